"""What a stretch of text is: the first kind that fits any of its words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Int

from attnlab.data.text import load_text
from attnlab.errors import AttnlabError
from attnlab.evaluation.explanation.segments import Segments
from attnlab.evaluation.explanation.words import RULE, Words

UNKNOWN = "unknown words"
UNSEEN = "words unseen in training"
REST = "the rest"
FORMS = {
    "capitals": lambda form: any(map(str.isupper, form)),
    "digits": lambda form: any(map(str.isdigit, form)),
    "punctuation": lambda form: not form.isspace() and not any(map(str.isalnum, form)),
    "line ends": lambda form: form == "\n",
}


@dataclass(frozen=True)
class Kinds:
    """The kinds in order. `unseen` has, by its name, the words that make a stretch one of that kind."""

    unseen: Mapping[str, frozenset[str]]

    @property
    def names(self) -> list[str]:
        """The kinds, the one that comes first first."""
        return [UNKNOWN, *self.unseen, *FORMS, REST]

    def of(self, found: Segments, unknown: Sequence[Bool[np.ndarray, " _"]]) -> Int[np.ndarray, " segments"]:
        """The number of each stretch's kind; `unknown` says of each model's tokens whether they are."""
        traits = _Traits(self.unseen)
        forms = found.words.forms
        words = np.fromiter(map(traits.__getitem__, forms), np.int64, len(forms))
        seen = np.bitwise_or.reduceat(words, found.first_words)
        for model, tokens in enumerate(unknown):
            seen |= (found.sums(model, tokens) > 0).astype(np.int64)
        lowest = [(number & -number).bit_length() - 1 for number in range(1 << len(self.names))]
        return np.array(lowest)[seen | 1 << (len(self.names) - 1)]


class _Traits(dict[str, int]):
    """The kinds that fit a word as bits, looked at once; the first bit, of unknown words, is for tokens to set."""

    def __init__(self, unseen: Mapping[str, frozenset[str]]):
        super().__init__()
        self._fits = [*((lambda form, some=some: form.lower() in some) for some in unseen.values()), *FORMS.values()]

    def __missing__(self, form: str) -> int:
        found = self[form] = sum(1 << bit for bit, fits in enumerate(self._fits, start=1) if fits(form))
        return found


def unseen_kinds(words: Words, trained_on: Sequence[str | None]) -> tuple[dict[str, frozenset[str]], list[str]]:
    """The words that the models' training texts lack, a kind each, and notes on the texts that cannot be read.

    A word is seen in whatever case: what its capitals cost is their own part. Numbers and signs are no words here.
    """
    notes: list[str] = []
    lacking = {name: _lacking(words, name, notes) for name in dict.fromkeys(trained_on)}
    first, second = (lacking[name] for name in (trained_on[0], trained_on[-1]))
    if first is second or first is None or second is None:
        found = first if second is None else second
        which = "" if first is second else f" of the {'first' if second is None else 'second'} model"
        return ({} if found is None else {f"{UNSEEN}{which}": found}), notes
    either = {"both models": first & second, "the first model": first - second, "the second model": second - first}
    return {f"{UNSEEN} of {name}": some for name, some in either.items()}, notes


def _lacking(words: Words, text: str | None, notes: list[str]) -> frozenset[str] | None:
    """The words that do not occur in what a text has to train on, in small letters; none where it cannot be read."""
    if text is None:
        notes.append("what a model was trained on is not known, so its words unseen in training are not told apart")
        return None
    left = {form.lower() for form in set(words.forms) if any(map(str.isalpha, form))}
    try:
        for piece in load_text(text).pieces("train"):
            left.difference_update(part.rstrip().lower() for part in set(RULE.parts(piece)))
            if not left:
                break
    except AttnlabError as error:
        notes.append(f"words unseen in training are not told apart: {error}")
        return None
    return frozenset(left)
