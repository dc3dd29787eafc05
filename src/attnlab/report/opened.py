"""How a notebook shows an opened model: what it is, and what it can do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attnlab.report.blocks import Presentation, borderless

if TYPE_CHECKING:
    from attnlab.benches.knowledge import KnownModel
    from attnlab.benches.language import LanguageModel
    from attnlab.benches.sentiment import ClassifierModel


def language_model(found: LanguageModel) -> Presentation:
    """Its tokens, its context window, its step and its training text."""
    text = found.subject.trained_on
    return _opened(
        found.name,
        "language model",
        {
            "tokens": f"{found.tokenizer.size:,} {found.tokenizer.kind}",
            "context window": f"{found.context:,} tokens",
            "training step": "" if found.step is None else f"{found.step:,}",
            "trained on": text.name if text else "",
        },
        ".sample(PROMPT) lets it write; .score(TEXT) measures what each token of a text costs",
    )


def classifier_model(found: ClassifierModel) -> Presentation:
    """Its classes, its features and its size."""
    classifier = found.classifier
    return _opened(
        found.name,
        "classifier",
        {
            "classes": ", ".join(found.classes),
            "features": f"{classifier.features.size:,}",
        },
        ".predict(TEXTS) gives classes; .evaluate(DATA) scores it; .explain(TEXT) and .errors(DATA) give reasons",
    )


def known_model(found: KnownModel) -> Presentation:
    """Its facts, its tokens and its size."""
    tokenizer = found.taught.tokenizer
    return _opened(
        found.name,
        "finetuned model",
        {
            "facts": found.taught.config.facts.name,
            "tokens": f"{tokenizer.size:,} {tokenizer.kind}",
            "before it answers": "it recites a line" if found.knower.recites else "it recites nothing",
            "kept out of finetuning": f"{len({each.name for each in found.kept_out}):,} people and strangers",
        },
        ".ask(QUESTION) asks it; .people lists whom to ask about; .evaluate() measures its answers; .thresholds() "
        "shows what each wanted precision gives",
    )


def _opened(name: str, kind: str, values: dict[str, str], verbs: str) -> Presentation:
    """A small table of the values that are known, and the methods."""
    rows = [(what, value) for what, value in values.items() if value]
    return Presentation([borderless((kind, name), rows, words=2), verbs])
