"""Measures a text after preprocessing, with the cost of the information that preprocessing throws away.

A step that cannot be undone makes a text easier by forgetting some of it. A fair comparison needs the raw file back:
the text after the step is cut into words, spaces and signs, and the raw text of each is told, given the seen text. The
code for that is learnt from the training text, before and after the step.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
from jaxtyping import Int

from attnlab.errors import ArgumentError
from attnlab.evaluation.scoring.costs import Costs, Policy, costs
from attnlab.evaluation.scoring.nats_to_units import bits_per_byte, finite, perplexity
from attnlab.evaluation.scoring.subjects import Subject
from attnlab.text.case_and_spaces.code import APART, CaseAndSpacesCode, CaseAndSpacesTeller, Pieces
from attnlab.text.case_and_spaces.learning import LEARNT, USUAL
from attnlab.text.preprocessing import PreprocessingStep, find_steps

PIECE = re.compile(r"\w+|\s+|[^\w\s]")


@dataclass(frozen=True)
class Forgotten:
    """The information that a step threw away."""

    step: str
    nats: float
    """The cost of encoding it; 0 for a step that can be undone or that changed nothing."""


@dataclass(frozen=True)
class Preprocessed:
    """A text after some steps, its cost for a model, and the cost of restoring the raw text."""

    raw_bytes: int
    costs: Costs
    forgotten: tuple[Forgotten, ...]

    @property
    def charge(self) -> float:
        """The nats of everything that the steps threw away."""
        return sum(each.nats for each in self.forgotten)

    @property
    def perplexity(self) -> float:
        """The token perplexity, as people report it: it looks better the more was thrown away."""
        return perplexity(float(self.costs.nats.mean()))

    @property
    def bits_per_byte_uncharged(self) -> float:
        """Bits per byte of the raw file, without the cost of the lost information."""
        return bits_per_byte(float(self.costs.comparable.sum()), self.raw_bytes)

    @property
    def bits_per_byte(self) -> float:
        """Bits per byte of the raw file, including the cost of the lost information; comparable across steps."""
        return self.bits_per_byte_uncharged + bits_per_byte(self.charge, self.raw_bytes)

    def to_dict(self) -> dict[str, Any]:
        """The numbers, and the cost of each step."""
        own = ("raw_bytes", "perplexity", "bits_per_byte", "bits_per_byte_uncharged")
        steps = [asdict(each) for each in self.forgotten]
        return {
            "tokens": len(self.costs.nats),
            **{name: finite(getattr(self, name)) for name in own},
            "forgotten": steps,
        }


def measure_preprocessed(
    subject: Subject, raw: str, steps: Sequence[str], policy: Policy | None = None, training: str = USUAL
) -> Preprocessed:
    """Measures a text after some steps (without steps: unchanged); `training` is the raw training text."""
    text, forgotten = forget(raw, steps, training)
    if not text.strip():
        raise ArgumentError("preprocess", f"expected steps that leave some text; {', '.join(steps)} left no text")
    return Preprocessed(len(raw.encode()), costs(subject, text, policy), forgotten)


def forget(raw: str, steps: Sequence[str], training: str = USUAL) -> tuple[str, tuple[Forgotten, ...]]:
    """The text after some steps, and the information that each step threw away.

    >>> text, forgotten = forget("The End of The Line", ["case-marks", "lower"])
    >>> text, [(each.step, round(each.nats, 1)) for each in forgotten]
    ('↑the ↑end of ↑the ↑line', [('case-marks', 0.0), ('lower', 0.0)])
    """
    found, known = [], training[:LEARNT]
    for step in find_steps(steps):
        text, starts = step_through(step, raw)
        kept = bool(step.undo) or text == raw
        after, code = _learnt(step, known)
        # Which steps were applied, and whether a step changed anything, counts as known.
        nats = 0.0
        if not kept:
            nats = float(CaseAndSpacesTeller(code).add(side_by_side(raw, text, starts)).sum())
        found.append(Forgotten(step.name, nats))
        raw, known = text, after
    return raw, tuple(found)


@lru_cache(maxsize=16)
def _learnt(step: PreprocessingStep, training: str) -> tuple[str, CaseAndSpacesCode]:
    """The training text after a step, and the code of what the step threw away."""
    after, origins = step_through(step, training)
    return after, CaseAndSpacesCode.learn(side_by_side(training, after, origins))


Origins = Callable[[Int[np.ndarray, " places"]], Int[np.ndarray, " places"]]
"""Maps places in the text after a step to the places in the raw text that they come from."""


def step_through(step: PreprocessingStep, raw: str) -> tuple[str, Origins]:
    """The text after a step, and the map of its places to the raw text.

    A place inside a replacement maps to the end of the replaced text; so does a place where text was deleted.
    """
    text, before, after, done = [], [0], [0], 0
    length = 0
    for match in step.pattern.finditer(raw):
        new = step.replace(match[0])
        if new == match[0]:
            continue
        text += raw[done : match.start()], new
        length += match.start() - done
        before += match.start(), match.end()
        after += length, length + len(new)
        done, length = match.end(), length + len(new)
    marks, origins = np.array(after), np.array(before)

    def origin(places: Int[np.ndarray, " places"]) -> Int[np.ndarray, " places"]:
        last = np.searchsorted(marks, places, side="right") - 1
        inside = (last % 2 == 1) & (places > marks[last])  # odd marks begin a replacement
        beyond = np.minimum(last + 1, len(marks) - 1)
        return np.where(inside, origins[beyond], origins[last] + places - marks[last])

    return "".join([*text, raw[done:]]), origin


def side_by_side(raw: str, text: str, origin: Origins) -> Pieces:
    """The words, spaces and signs of a text, and the raw text that each comes from; together they are all of it."""
    seen = PIECE.findall(text) or [""]
    starts = origin(np.cumsum([len(piece) for piece in seen])[:-1]).tolist()
    cuts = [0, *starts, len(raw)]
    return Pieces.of(
        [(piece, raw[start:stop], APART) for piece, (start, stop) in zip(seen, pairwise(cuts), strict=True)]
    )
