"""Perplexity: `perplexity`, `audit`, and `GivenText` for a text that is not in a file."""

from collections.abc import Sequence
from pathlib import Path
from typing import Unpack

from attnlab.api.options import MeasureOptions
from attnlab.arguments import checked
from attnlab.benches import perplexity as bench
from attnlab.benches.language import LanguageModel
from attnlab.benches.perplexity import Audited, Comparison, GivenText
from attnlab.evaluation.settings import MeasureSettings
from attnlab.observers import watching
from attnlab.parallel import Workers
from attnlab.settings import read

__all__ = ["GivenText", "audit", "perplexity"]

Text = str | Path | GivenText


@checked
def perplexity(
    *models: str | Path | LanguageModel,
    text: Text | Sequence[Text],
    jobs: int = 0,
    cluster: str = "",
    **options: Unpack[MeasureOptions],
) -> Comparison:
    """Measure models on texts: perplexity, and bits per byte, which are comparable. Each number is audited.

    A model is an opened model, the folder of a run, "MODEL.arpa", "hf:FOLDER" or "hf:NAME". A text is a file,
    the name of a text, or a `GivenText("…")`. `explain=True` explains where the cost comes from; with two texts, or two
    or more models, why each two differ. Several models or texts are measured in up to `jobs` processes (0: one for each
    core), or on a Dask `cluster`, "tcp://HOST:8786".
    """
    return bench.perplexity(models, text, read(MeasureSettings, options), watching(), Workers(jobs, cluster))


@checked
def audit(model: str | Path | LanguageModel, text: Text | None = None) -> Audited:
    """Check whether a model's perplexity can be trusted: a certificate with one line for each check."""
    return bench.audit(model, text, watching())
