"""Labelled texts as the bench reads them: to be asked about, and with the rows that were skipped."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from attnlab.data.labelled.loading import Half, Labelled, load_labelled, with_classes
from attnlab.data.labelled.tables import NAMED, Skipped
from attnlab.models.classifier import Answers, Classifier
from attnlab.progress import Observer

AT_ONCE = 4096
"""Texts that are answered together: enough for two cores to share the work."""


def known_labels(data: str | Path, part: Half, classifier: Classifier) -> Labelled:
    """Labelled texts whose classes are numbered as a classifier has them."""
    return with_classes(load_labelled(data, part), classifier.classes)


def answer(classifier: Classifier, texts: Sequence[str], observer: Observer) -> Answers:
    """What a classifier says of texts, as a task."""
    found = []
    with observer.task("reading the texts", len(texts)) as task:
        for first in range(0, len(texts), AT_ONCE):
            some = texts[first : first + AT_ONCE]
            found.append(classifier.answers(some))
            task.advance(len(some))
    parts = zip(*((each.probabilities, each.words, each.known) for each in found), strict=True)
    return Answers(*map(np.concatenate, parts))


def skipped_rows(skipped: Sequence[Skipped]) -> dict[str, Any]:
    """How many rows were skipped, and the first of them, as JSON has it."""
    return {"skipped": len(skipped), "skipped_rows": [asdict(each) for each in skipped[:NAMED]]}


def half_words(part: Half) -> list[str]:
    """What to type for a half of the data."""
    return ["--part", part] if part != "test" else []
