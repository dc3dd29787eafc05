"""Perplexity: models measured on texts, audited, compared and explained."""

from attnlab.benches.perplexity.auditing import Audited, audit
from attnlab.benches.perplexity.comparison import Comparison, ModelPair, PreprocessedText, perplexity
from attnlab.benches.perplexity.measuring import MeasuredText
from attnlab.benches.perplexity.texts import GivenText
from attnlab.evaluation.settings import MeasureSettings

__all__ = [
    "Audited",
    "Comparison",
    "GivenText",
    "MeasureSettings",
    "MeasuredText",
    "ModelPair",
    "PreprocessedText",
    "audit",
    "perplexity",
]
