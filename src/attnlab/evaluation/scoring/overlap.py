"""How much of a text a model saw in training: a score on the training text says little about new text."""

from attnlab.data.texts.loading import load_text
from attnlab.errors import AttnlabError
from attnlab.evaluation.scoring.subjects import Subject

PASSAGES = 200
LENGTH = 50
"""The number of passages to look for, spread over the text, and the characters of each."""
LARGEST = 1 << 25
"""A training text of more bytes than this is not searched."""


def seen_in_training(subject: Subject, text: str) -> float | None:
    """The share of a text's passages that are in the model's training text; None if that text is unknown."""
    known = training_text(subject) if len(text) >= LENGTH else None
    if known is None:
        return None
    last = len(text) - LENGTH
    starts = sorted({last * number // max(PASSAGES - 1, 1) for number in range(PASSAGES)})
    return sum(text[start : start + LENGTH] in known for start in starts) / len(starts)


def training_text(subject: Subject) -> str | None:
    """The training text of a model; None if it is not known, cannot be read, has changed since, or is too large."""
    try:
        if subject.trained_on is None or load_text(subject.trained_on.name).size("train") > LARGEST:
            return None
        return subject.trained_on.read().train
    except AttnlabError:
        return None
