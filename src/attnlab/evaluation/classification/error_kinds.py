"""Why a text got its class, which kind of error a wrong class is, and the errors of a whole data set."""

import math
from collections.abc import Callable, Iterable, Iterator

import numpy as np

from attnlab.data.labelled.loading import Labelled
from attnlab.errors import ArgumentError
from attnlab.evaluation.classification.asking import Asker
from attnlab.evaluation.classification.experiments import ErrorTrial
from attnlab.evaluation.classification.loud_words import label_doubtful, mixed, one_loud_word
from attnlab.evaluation.classification.pushes import Pushes
from attnlab.evaluation.classification.reading import Read, read
from attnlab.evaluation.classification.reasons import Experiment, Misread, Reasons
from attnlab.evaluation.classification.unseen import negation, order, unknown_words
from attnlab.models.classifier import Classifier

LONGEST = 1_000_000
"""The most characters of a text that is explained. Reviews have some thousand."""
TRIALS: tuple[Callable[[ErrorTrial], Experiment], ...] = (unknown_words, negation, order, one_loud_word, mixed)


def explain_text(classifier: Classifier, text: str, label: str | None = None) -> Reasons:
    """Explains the class that a text gets."""
    _check_length(text)
    found = read(classifier.features, text)
    return _reasons(_pushes(Asker(classifier), found), found, label)


def explain_error(classifier: Classifier, text: str, label: str) -> Misread:
    """Explains why a text does not get its label, and which kind of error that is."""
    return _misread(Asker(classifier), text, label)


def misread_rows(classifier: Classifier, data: Labelled) -> list[int]:
    """The rows of the misclassified texts, most confident errors first."""
    found = classifier.probabilities(data.texts)
    numbers = np.array([_index(classifier.classes, name) for name in data.classes])
    wrong = np.flatnonzero(found.argmax(1) != numbers[data.labels])
    return wrong[np.argsort(-found.max(1)[wrong], kind="stable")].tolist()


def explain_errors(classifier: Classifier, data: Labelled, rows: Iterable[int]) -> Iterator[Misread]:
    """Yields the explanations of these errors; skips texts without words, which have nothing to explain."""
    asker = Asker(classifier)
    for row in rows:
        text = data.texts[row]
        if classifier.features.tokenizer.normalisation.token.search(text):
            yield _misread(asker, text, data.classes[data.labels[row]], data.places[row])


def _misread(asker: Asker, text: str, label: str, place: str = "") -> Misread:
    _check_length(text, place)
    found = read(asker.features, text)
    pushes = _pushes(asker, found)
    reasons = _reasons(pushes, found, label)
    if reasons.said == label:
        raise ArgumentError("label", f"expected a misclassified text; the classifier correctly predicts {label}")
    trial = ErrorTrial(asker, found, _index(asker.classes, label), pushes)
    experiments = [each(trial) for each in TRIALS]
    return Misread(reasons, (*experiments, label_doubtful(trial, experiments)), place)


def _check_length(text: str, place: str = "") -> None:
    """Raise if a text is so long that its explanation would take minutes and gigabytes."""
    if len(text) > LONGEST:
        where = f"{place}: " if place else ""
        raise ArgumentError("text", f"{where}expected at most {LONGEST:,} characters to explain, got {len(text):,}")


def _pushes(asker: Asker, found: Read) -> Pushes:
    """The pushes on the predicted class."""
    return Pushes(asker, found.ids, int(asker.ask([found.ids])[0].argmax()))


def _reasons(pushes: Pushes, found: Read, label: str | None) -> Reasons:
    classes = pushes.asker.classes
    return Reasons(
        text=found.text,
        said=classes[pushes.target],
        probability=1 / (1 + math.exp(-pushes.score)),
        log_odds=pushes.score,
        empty=pushes.empty,
        words=found.words,
        removal=pushes.removal,
        gradients=pushes.gradients,
        classes=classes,
        label=label,
    )


def _index(classes: tuple[str, ...], name: str) -> int:
    if name not in classes:
        raise ArgumentError.unknown("label", name, classes)
    return classes.index(name)
