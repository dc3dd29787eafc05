"""Records of reasons: the push of each word, the experiments on an error, and the counts of kinds of errors."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np
from jaxtyping import Float

from attnlab.contents import Content
from attnlab.evaluation.classification.reading import TextWord

Kind = Literal["unknown words", "negation", "order", "one loud word", "mixed", "label doubtful"]
KINDS: tuple[Kind, ...] = get_args(Kind)
"""In order of priority: words that the network cannot see, then words that it ignores, then words that it weighs
wrongly; last, that it may be right. The first kind that fits is an error's first kind."""
WHY_FIRST = {
    "unknown words": "words that the classifier cannot see come first",
    "negation": "ignored words come before wrongly weighed words",
    "order": "ignored words come before wrongly weighed words",
    "one loud word": "one word explains more than many",
    "mixed": "no single word explains it",
    "label doubtful": "no experiment speaks for the label",
}
NONE = "none of these"


@dataclass(frozen=True)
class StrongWord:
    """A distinct word of a text, and how far it pushes in all its places together."""

    text: str
    """The word as it first appears in the text."""
    times: int
    removal: float
    gradients: float

    @property
    def name(self) -> str:
        """The word, and how often it occurs if that is more than once.

        >>> StrongWord("bad", 4, 1.0, 1.0).name
        'bad ×4'
        """
        return self.text if self.times == 1 else f"{self.text} ×{self.times}"


@dataclass(frozen=True)
class Reasons:
    """How far each word of a text pushes the predicted class: above 0 for it, below 0 against it."""

    text: str
    said: str
    probability: float
    """The probability of the predicted class."""
    log_odds: float
    """ln(p / (1 − p)) of the predicted class."""
    empty: float
    """The log-odds of a text without known words."""
    words: tuple[TextWord, ...]
    removal: Float[np.ndarray, " words"]
    """How much lower the log-odds are if the word is nowhere in the text: the same number for each of its places."""
    gradients: Float[np.ndarray, " words"]
    """Integrated gradients of each place; they sum to log_odds − empty."""
    classes: tuple[str, ...]
    label: str | None = None
    """The true class, if known."""

    @property
    def unknown(self) -> int:
        """The number of unknown words."""
        return sum(not word.known for word in self.words)

    @property
    def against(self) -> str:
        """The class that a push below 0 supports: the other class or, with more than two, "not" the predicted one."""
        others = [name for name in self.classes if name != self.said]
        return others[0] if len(others) == 1 else f"not {self.said}"

    def strongest(self, count: int = 10) -> list[StrongWord]:
        """The distinct known words with the largest push either way by removal, largest first."""
        places: dict[str, list[int]] = {}
        for place, word in enumerate(self.words):
            if word.known:
                places.setdefault(word.form, []).append(place)
        order = sorted(places.values(), key=lambda each: -abs(self.removal[each[0]]))
        return [
            StrongWord(
                self.words[each[0]].text, len(each), float(self.removal[each[0]]), float(self.gradients[each].sum())
            )
            for each in order[:count]
        ]

    @Content(
        "text",
        "said",
        "label",
        "probability",
        "log_odds",
        "unknown",
        log_odds_of_no_words=float,
        words=[Content(TextWord, removal=float, gradients=float)],
    )
    def to_dict(self) -> dict[str, Any]:
        """All fields."""
        numbers = zip(self.words, self.removal.tolist(), self.gradients.tolist(), strict=True)
        return {
            "text": self.text,
            "said": self.said,
            "label": self.label,
            "probability": self.probability,
            "log_odds": self.log_odds,
            "log_odds_of_no_words": self.empty,
            "unknown": self.unknown,
            "words": [asdict(word) | {"removal": off, "gradients": along} for word, off, along in numbers],
        }


@dataclass(frozen=True)
class Experiment:
    """An experiment on an error: whether the error is of this kind, the numbers that decided it, and a sentence."""

    kind: Kind
    holds: bool
    numbers: dict[str, float]
    told: str
    words: tuple[str, ...] = ()
    """The words in question."""


@dataclass(frozen=True)
class Misread:
    """An error: its reasons, and the experiment of each kind."""

    reasons: Reasons
    experiments: tuple[Experiment, ...]
    place: str = ""
    """Where the text comes from."""

    @cached_property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds that hold, in order of priority."""
        held = {each.kind for each in self.experiments if each.holds}
        return tuple(kind for kind in KINDS if kind in held)

    @property
    def first(self) -> str:
        """The first kind, or `none of these`."""
        return self.kinds[0] if self.kinds else NONE

    @property
    def why_first(self) -> str:
        """Why that kind is first; empty if it is the only one."""
        return WHY_FIRST[self.first] if len(self.kinds) > 1 else ""

    @Content(Reasons, "place", "kinds", "first", "why_first", "experiments")
    def to_dict(self) -> dict[str, Any]:
        """All fields."""
        experiments = [asdict(each) | {"words": list(each.words)} for each in self.experiments]
        found = {"kinds": list(self.kinds), "first": self.first, "why_first": self.why_first}
        return self.reasons.to_dict() | {"place": self.place, **found, "experiments": experiments}


@dataclass(frozen=True)
class KindCounts:
    """How many errors have each kind: as the first kind, and at all."""

    texts: int
    errors: int
    first: dict[str, int]
    any: dict[str, int]

    @classmethod
    def of(cls, errors: Sequence[Misread], texts: int) -> "KindCounts":
        """Counts the kinds of these errors."""
        first, held = Counter(each.first for each in errors), Counter(kind for each in errors for kind in each.kinds)
        held[NONE] = first[NONE]
        return cls(texts, len(errors), *({kind: counts[kind] for kind in (*KINDS, NONE)} for counts in (first, held)))

    @property
    def rows(self) -> list[tuple[str, int, int]]:
        """Each kind, how often it is the first, and how often it holds."""
        return [(kind, first, self.any[kind]) for kind, first in self.first.items()]

    def to_dict(self) -> dict[str, Any]:
        """The counts."""
        return asdict(self)
