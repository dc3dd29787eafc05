"""Reasons as records: how far each word pushed, the experiments on an error, and how often each kind of error is."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np
from jaxtyping import Float

from attnlab.evaluation.classification.reading import Word

Kind = Literal["unknown words", "negation", "order", "one loud word", "mixed", "label doubtful"]
KINDS: tuple[Kind, ...] = get_args(Kind)
"""What a network cannot see comes first, then what it does not heed, then what it weighs wrongly; last, that it may be
right. Of several kinds the first of these is an error's first."""
WHY_FIRST = {
    "unknown words": "what it cannot see comes before what it does with the rest",
    "negation": "what it does not heed comes before how it weighs words",
    "order": "what it does not heed comes before how it weighs words",
    "one loud word": "one word explains more than many",
    "mixed": "no single word explains it",
    "label doubtful": "no experiment speaks for the label",
}
NONE = "none of these"


@dataclass(frozen=True)
class Reasons:
    """How far each word of a text pushed the class that was said; above 0 for it, below against it."""

    text: str
    said: str
    probability: float
    """That of the class that was said."""
    log_odds: float
    """ln(p / (1 − p)) of it."""
    empty: float
    """The same of a text without a known word."""
    words: tuple[Word, ...]
    removal: Float[np.ndarray, " words"]
    """How much lower the log-odds are without each word."""
    gradients: Float[np.ndarray, " words"]
    """Integrated gradients, which add up to log_odds − empty."""
    classes: tuple[str, ...]
    label: str | None = None
    """What the text is, where that is known."""

    @property
    def unknown(self) -> int:
        """How many words are not known."""
        return sum(not word.known for word in self.words)

    @property
    def against(self) -> str:
        """What a push below 0 is for: the other class or, of more than two, any other."""
        others = [name for name in self.classes if name != self.said]
        return others[0] if len(others) == 1 else f"not {self.said}"

    def strongest(self, count: int = 10) -> list[int]:
        """The numbers of the known words that pushed farthest either way by removal, the farthest first."""
        order = np.argsort(-np.abs(self.removal), kind="stable")
        return [place for place in order.tolist() if self.words[place].known][:count]

    def to_dict(self) -> dict[str, Any]:
        """All of it."""
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
    """An experiment on an error: whether the error is of that kind, the numbers that decided it, and these in words."""

    kind: Kind
    holds: bool
    numbers: dict[str, float]
    told: str
    words: tuple[str, ...] = ()
    """The words that it is about."""


@dataclass(frozen=True)
class Misread:
    """An error: why it was said, and the experiment of each kind."""

    reasons: Reasons
    experiments: tuple[Experiment, ...]
    place: str = ""
    """Where the text comes from."""

    @cached_property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds that hold, the first first."""
        held = {each.kind for each in self.experiments if each.holds}
        return tuple(kind for kind in KINDS if kind in held)

    @property
    def first(self) -> str:
        """The first kind, or `none of these`."""
        return self.kinds[0] if self.kinds else NONE

    @property
    def why_first(self) -> str:
        """Why that one is first."""
        return WHY_FIRST[self.first] if len(self.kinds) > 1 else ""

    def to_dict(self) -> dict[str, Any]:
        """All of it."""
        experiments = [asdict(each) | {"words": list(each.words)} for each in self.experiments]
        found = {"kinds": list(self.kinds), "first": self.first, "why_first": self.why_first}
        return self.reasons.to_dict() | {"place": self.place, **found, "experiments": experiments}


@dataclass(frozen=True)
class KindCounts:
    """How often each kind is among the errors on some texts: as the first, and at all."""

    texts: int
    errors: int
    first: dict[str, int]
    any: dict[str, int]

    @classmethod
    def of(cls, errors: Sequence[Misread], texts: int) -> "KindCounts":
        """The counts of some errors."""
        first, held = Counter(each.first for each in errors), Counter(kind for each in errors for kind in each.kinds)
        held[NONE] = first[NONE]
        return cls(texts, len(errors), *({kind: counts[kind] for kind in (*KINDS, NONE)} for counts in (first, held)))

    @property
    def rows(self) -> list[tuple[str, int, int]]:
        """Each kind, how often it is the first, and how often it is one at all."""
        return [(kind, first, self.any[kind]) for kind, first in self.first.items()]

    def to_dict(self) -> dict[str, Any]:
        """The counts."""
        return asdict(self)
