"""How much of a text a model has seen in training: a text that was trained on says little about new text."""

from attnlab.data.texts.loading import load_text
from attnlab.errors import AttnlabError
from attnlab.evaluation.scoring.subjects import Subject

PASSAGES = 200
LENGTH = 50
"""How many passages of how many characters are looked for, spread over the text."""
LARGEST = 1 << 25
"""Bytes of a training text that are too many to be searched."""


def seen_in_training(subject: Subject, text: str) -> float | None:
    """The share of a text's passages that stand in the model's training text; None if that text cannot be read."""
    if subject.trained_on is None or len(text) < LENGTH:
        return None
    try:
        training = load_text(subject.trained_on)
        if training.size("train") > LARGEST:
            return None
        known = training.train
    except AttnlabError:
        return None
    last = len(text) - LENGTH
    starts = sorted({last * number // max(PASSAGES - 1, 1) for number in range(PASSAGES)})
    return sum(text[start : start + LENGTH] in known for start in starts) / len(starts)
