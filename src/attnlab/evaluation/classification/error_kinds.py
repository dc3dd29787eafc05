"""Why a text was given its class, of which kind an error is, and how often each kind is among many."""

import math
from collections.abc import Callable, Iterable, Iterator

import numpy as np

from attnlab.data.labelled.loading import Labelled
from attnlab.errors import ArgumentError
from attnlab.evaluation.classification.asking import Asker
from attnlab.evaluation.classification.error_trial import ErrorTrial
from attnlab.evaluation.classification.pushes import Pushes
from attnlab.evaluation.classification.reading import Read, read
from attnlab.evaluation.classification.reasons import Experiment, Misread, Reasons
from attnlab.evaluation.classification.unseen import negation, order, unknown_words
from attnlab.evaluation.classification.weighed import label_doubtful, mixed, one_loud_word
from attnlab.models.classifier import Classifier

TRIALS: tuple[Callable[[ErrorTrial], Experiment], ...] = (unknown_words, negation, order, one_loud_word, mixed)


def explain_text(classifier: Classifier, text: str, label: str | None = None) -> Reasons:
    """Why a text is given the class that it is."""
    found = read(classifier.features, text)
    return _reasons(_pushes(Asker(classifier), found), found, label)


def explain_error(classifier: Classifier, text: str, label: str, place: str = "") -> Misread:
    """Why a text is not given its class, and of which kind that error is."""
    return _misread(Asker(classifier), text, label, place)


def misread_rows(classifier: Classifier, data: Labelled) -> list[int]:
    """The numbers of the texts that are not given their class, the surest errors first."""
    found = classifier.probabilities(data.texts)
    numbers = np.array([_number(classifier, name) for name in data.classes])
    wrong = np.flatnonzero(found.argmax(1) != numbers[data.labels])
    return wrong[np.argsort(-found.max(1)[wrong], kind="stable")].tolist()


def explain_errors(classifier: Classifier, data: Labelled, rows: Iterable[int]) -> Iterator[Misread]:
    """Those errors one by one; a text without a word has nothing to be explained by and is left out."""
    asker = Asker(classifier)
    for row in rows:
        text = data.texts[row]
        if classifier.features.tokenizer.normalisation.token.search(text):
            yield _misread(asker, text, data.classes[data.labels[row]], data.places[row])


def _misread(asker: Asker, text: str, label: str, place: str) -> Misread:
    found = read(asker.features, text)
    pushes = _pushes(asker, found)
    reasons = _reasons(pushes, found, label)
    if reasons.said == label:
        raise ArgumentError("label", f"expected an error, got a text that is {label}, as the classifier says")
    trial = ErrorTrial(asker, found, _index(asker.classes, label), pushes)
    experiments = [each(trial) for each in TRIALS]
    return Misread(reasons, (*experiments, label_doubtful(trial, experiments)), place)


def _pushes(asker: Asker, found: Read) -> Pushes:
    """On the class that is said."""
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


def _number(classifier: Classifier, name: str) -> int:
    return _index(classifier.classes, name)


def _index(classes: tuple[str, ...], name: str) -> int:
    if name not in classes:
        raise ArgumentError("label", f"expected one of {', '.join(classes)}, got {name!r}")
    return classes.index(name)
