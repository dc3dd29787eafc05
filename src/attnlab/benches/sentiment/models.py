"""An opened classifier: evaluate it, predict classes, and explain predictions and errors."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from attnlab.arguments import checked
from attnlab.benches.sentiment.evaluation import EvaluatedClassifier
from attnlab.benches.sentiment.predictions import Prediction, Predictions, file_lines, predicted, text_or_file
from attnlab.benches.sentiment.reasons import SHOWN, Explained, ExplainedErrors
from attnlab.benches.sentiment.texts import answer, known_labels
from attnlab.data.labelled.loading import Half
from attnlab.errors import ArgumentError
from attnlab.evaluation.classification import error_kinds
from attnlab.evaluation.classification.reasons import KindCounts
from attnlab.evaluation.classification.scores import classify_scores
from attnlab.models.classifier import Classifier
from attnlab.progress import SILENT, Observer
from attnlab.records import Shown
from attnlab.runs.classifiers import load_classifier
from attnlab.runs.folder import open_run
from attnlab.runs.seen_texts import hashes_of, load_seen
from attnlab.settings import Range

Texts = str | Path | Iterable[str | bytes]
"""Texts to classify: one text, a file with a text in each line (also as a string), or several texts."""


@dataclass(frozen=True)
class ClassifierModel(Shown):
    """A classifier: `evaluate` scores it, `predict` gives the class of texts, `explain` gives the reasons, and `errors`
    explains its errors."""

    shown_by: ClassVar[str] = "opened.classifier_model"

    name: str
    classifier: Classifier
    trained_on: str | None = None
    """The hash of the texts that it was trained on, if its run holds it."""
    folder: Path | None = None
    """The folder of its run, which holds a hash of each text that it has seen in training."""

    def __repr__(self) -> str:
        """Its name and its classes."""
        return f"ClassifierModel({self.name}: {', '.join(self.classes)})"

    @property
    def classes(self) -> tuple[str, ...]:
        """The names of the classes."""
        return self.classifier.classes

    @checked
    def evaluate(
        self, data: str | Path = "reviews", part: Half = "test", observer: Observer = SILENT
    ) -> EvaluatedClassifier:
        """Score it on labelled texts; `part` chooses one half of the data, if it has two halves."""
        found = known_labels(data, part, self.classifier)
        answers = answer(self.classifier, found.texts, observer)
        scores = classify_scores(answers.probabilities, found.labels, self.classes)
        unread = int((answers.known == 0).sum())
        same = None if self.trained_on is None else found.sha256 == self.trained_on
        hashes = None if self.folder is None else load_seen(self.folder)
        seen = None if hashes is None else int(np.isin(hashes_of(found.texts), hashes).sum())
        return EvaluatedClassifier(self.name, str(data), part, scores, unread, found.skipped, same, seen)

    @checked
    def predict(self, texts: Texts) -> Predictions:
        """Predict the class of each text. A `Path`, or a string that names a file, is a file with a text in each line;
        any other string is one text."""
        source = str(texts) if isinstance(texts, str | Path) else None
        return Predictions(self.name, self.classes, tuple(self.predictions(texts)), source)

    def predictions(self, texts: Texts) -> Iterator[Prediction]:
        """The predictions one by one, as the texts arrive."""
        given = text_or_file(texts) if isinstance(texts, str) else texts
        return predicted(self.classifier, file_lines(given) if isinstance(given, Path) else given)

    @checked
    def explain(self, text: str, label: str | None = None) -> Explained:
        """Explain the predicted class of a text. If `label`, the true class, differs, explain the error, too."""
        if label is not None and label not in self.classes:
            raise ArgumentError.unknown("label", label, self.classes)
        reasons = error_kinds.explain_text(self.classifier, text, label)
        if label in (None, reasons.said):
            return Explained(self.name, reasons)
        misread = error_kinds.explain_error(self.classifier, text, str(label))
        return Explained(self.name, misread.reasons, misread)

    @checked
    def errors(
        self,
        data: str | Path = "reviews",
        part: Half = "test",
        errors: int = SHOWN,
        observer: Observer = SILENT,
    ) -> ExplainedErrors:
        """Explain its errors on labelled texts: the kinds of each error, and the count of each kind. `errors` is the
        number of errors to show."""
        Range(0).require("errors", errors)
        labelled = known_labels(data, part, self.classifier)
        rows = error_kinds.misread_rows(self.classifier, labelled)
        found = tuple(error_kinds.explain_errors(self.classifier, labelled, observer.track(rows, "experiments")))
        counts = KindCounts.of(found, len(labelled))
        return ExplainedErrors(self.name, str(data), part, found, counts, errors, labelled.skipped)


def open_classifier(path: Path | str) -> ClassifierModel:
    """The classifier in the folder of a run."""
    classifier, data = load_classifier(path), open_run(Path(path)).config().get("data")
    hashed = data.get("sha256") if isinstance(data, dict) else None
    return ClassifierModel(str(path), classifier, hashed if isinstance(hashed, str) else None, Path(path))


def evaluate(
    run: Path | str, data: str | Path = "reviews", part: Half = "test", observer: Observer = SILENT
) -> EvaluatedClassifier:
    """Score the classifier of a run on labelled texts."""
    return open_classifier(run).evaluate(data, part, observer)


def predict(run: Path | str, texts: Texts) -> Predictions:
    """Predict the class of each text, or of each line of a file, with the classifier of a run."""
    return open_classifier(run).predict(texts)


def explain(
    run: Path | str,
    data: str | Path = "reviews",
    text: str | None = None,
    label: str | None = None,
    part: Half = "test",
    errors: int = SHOWN,
    observer: Observer = SILENT,
) -> Explained | ExplainedErrors:
    """Explain the prediction that the classifier of a run makes for a text with its true class `label`, if it is known.
    Without a text, explain its errors on labelled texts; `errors` is the number of errors to show."""
    if text is None and label is not None:
        raise ArgumentError("label", "needs a text: it is the true class of that text")
    model = open_classifier(run)
    return model.errors(data, part, errors, observer) if text is None else model.explain(text, label)
