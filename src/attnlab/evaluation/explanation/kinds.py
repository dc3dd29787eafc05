"""Kinds of segments: a segment has the first kind that fits any of its words."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial

import numpy as np
from jaxtyping import Bool, Int

from attnlab.data.texts.loading import TrainingText
from attnlab.errors import AttnlabError
from attnlab.evaluation.explanation.alignment import Alignment
from attnlab.evaluation.explanation.words import RULE, TextWords
from attnlab.evaluation.scoring.costs import Costs
from attnlab.evaluation.scoring.subjects import Subject

BEGINNING = "the beginning"
"""The first segment of a text. It has no context, so its cost says little about the rest."""
UNSEEN = "words unseen in training"
REST = "the rest"
Lacking = frozenset[str] | str
"""The words of a text, in lower case, that a training text lacks; or a note why the training text cannot be read."""
FORMS = {
    "capitals": lambda form: any(map(str.isupper, form)),
    "digits": lambda form: any(map(str.isdigit, form)),
    "punctuation": lambda form: not form.isspace() and not any(map(str.isalnum, form)),
    "line ends": lambda form: form == "\n",
}


@dataclass(frozen=True)
class Kinds:
    """The kinds in order. `unseen` maps the name of a kind to its words; `unit` is the unit of unknown tokens."""

    unseen: Mapping[str, frozenset[str]]
    unit: str = "words"

    @property
    def names(self) -> list[str]:
        """The names of the kinds, highest priority first."""
        return [BEGINNING, f"unknown {self.unit}", *self.unseen, *FORMS, REST]

    def of(self, found: Alignment, unknown: Sequence[Bool[np.ndarray, " _"]]) -> Int[np.ndarray, " segments"]:
        """The number of each segment's kind; `unknown` marks each model's unknown tokens."""
        traits = _Traits(self.unseen)
        forms = found.words.forms
        words = np.fromiter(map(traits.__getitem__, forms), np.int64, len(forms))
        seen = np.bitwise_or.reduceat(words, found.first_words)
        seen[0] |= 1
        for model, tokens in enumerate(unknown):
            seen |= (found.sums(model, tokens) > 0).astype(np.int64) << 1
        lowest = [(number & -number).bit_length() - 1 for number in range(1 << len(self.names))]
        return np.array(lowest)[seen | 1 << (len(self.names) - 1)]


class _Traits(dict[str, int]):
    """The kinds that fit a word, as bits, computed once per word. The first two (the beginning, unknown) are left out:
    they depend on more than the word."""

    def __init__(self, unseen: Mapping[str, frozenset[str]]):
        super().__init__()
        self._fits = [*((lambda form, some=some: form.lower() in some) for some in unseen.values()), *FORMS.values()]

    def __missing__(self, form: str) -> int:
        found = self[form] = sum(1 << bit for bit, fits in enumerate(self._fits, start=2) if fits(form))
        return found


def unknown_unit(subjects: Sequence[Subject], found: Sequence[Costs]) -> str:
    """The unit of the models' unknown tokens: words, characters or tokens."""
    units = {each.unit for each, some in zip(subjects, found, strict=True) if some.unknown.any()}
    return " or ".join(sorted(units, reverse=True)) or "words"


def unseen_kinds(
    trained_on: Mapping[str, TrainingText | None], lacking_in: Callable[[TrainingText], Lacking]
) -> tuple[dict[str, frozenset[str]], list[str]]:
    """The words that the training texts lack, as kinds, and notes on training texts that cannot be read.

    `trained_on` maps names of models to training texts, and `lacking_in` a training text to the words that it lacks.
    """
    notes = []
    unknown = " and ".join(name for name, text in trained_on.items() if text is None)
    if unknown:
        notes.append(f"the training text of {unknown} is unknown, so no word counts as unseen in its training")
    lacking = {text: lacking_in(text) for text in dict.fromkeys(trained_on.values()) if text is not None}
    notes += [each for each in lacking.values() if isinstance(each, str)]
    found = {
        name: some
        for name, text in trained_on.items()
        if text is not None and isinstance(some := lacking[text], frozenset)
    }
    if len(set(trained_on.values())) == 1:
        return dict.fromkeys([UNSEEN][: len(found)], next(iter(found.values()), frozenset())), notes
    if len(found) < 2:
        return {_unseen_by(name): some for name, some in found.items()}, notes
    (one, first), (other, second) = found.items()
    both = {f"{UNSEEN}, by either model": first & second}
    return both | {_unseen_by(one): first - second, _unseen_by(other): second - first}, notes


def _unseen_by(name: str) -> str:
    return f"{UNSEEN} by {name}"


def lacking_words(words: TextWords) -> Callable[[TrainingText], Lacking]:
    """A function that finds the words that a training text lacks, and reads each training text once.

    A word counts as seen in any case, because capitals are a part of their own. Numbers and signs are not words.
    """
    return cache(partial(_lacking, words))


def _lacking(words: TextWords, text: TrainingText) -> Lacking:
    left = {form.lower() for form in set(words.forms) if any(map(str.isalpha, form))}
    try:
        for piece in text.read().pieces("train"):
            left.difference_update(part.rstrip().lower() for part in set(RULE.parts(piece)))
            if not left:
                break
    except AttnlabError as error:
        return f"words unseen in training are not counted: {error}"
    return frozenset(left)
