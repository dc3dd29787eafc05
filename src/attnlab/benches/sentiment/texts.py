"""Read labelled texts, and classify them in batches."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, get_args

import numpy as np

from attnlab.contents import Content
from attnlab.data.labelled.loading import Half, Labelled, load_labelled, with_classes
from attnlab.data.labelled.tables import NAMED, Skipped
from attnlab.errors import ArgumentError
from attnlab.models.classifier import Answers, Classifier
from attnlab.progress import Observer

AT_ONCE = 4096
"""The number of texts in a batch: enough for two cores to share the work."""


def known_labels(data: str | Path, part: Half, classifier: Classifier) -> Labelled:
    """Labelled texts whose classes have the same numbers as those of the classifier."""
    if part not in get_args(Half):
        raise ArgumentError.unknown("part", part, get_args(Half))
    return with_classes(load_labelled(data, part), classifier.classes)


def answer(classifier: Classifier, texts: Sequence[str], observer: Observer) -> Answers:
    """The answers of a classifier to texts, as a task."""
    found = []
    with observer.task("reading the texts", len(texts)) as task:
        for first in range(0, len(texts), AT_ONCE):
            some = texts[first : first + AT_ONCE]
            found.append(classifier.answers(some))
            task.advance(len(some))
    parts = zip(*((each.probabilities, each.words, each.known) for each in found), strict=True)
    return Answers(*map(np.concatenate, parts))


@Content(skipped=int, skipped_rows=list[Skipped])
def skipped_rows(skipped: Sequence[Skipped]) -> dict[str, Any]:
    """The number of skipped rows, and the first of them, for JSON."""
    return {"skipped": len(skipped), "skipped_rows": [asdict(each) for each in skipped[:NAMED]]}


def half_option(part: Half) -> dict[str, str]:
    """The option that chooses a half of the data; empty for the usual half."""
    return {"part": part} if part != "test" else {}
