"""What preprocessing gains: a text measured after some steps, with the cost of what they threw away.

A step that cannot be undone makes a text easier by forgetting some of it. To compare, the raw file must be had back:
the text after the step is cut into words, spaces and signs, and the raw text of each is encoded, given what was seen.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from jaxtyping import Int

from attnlab.errors import ArgumentError
from attnlab.evaluation.coding.surface_code import surface_nats
from attnlab.evaluation.scoring.costs import Costs, Policy, costs
from attnlab.evaluation.scoring.subjects import Subject
from attnlab.evaluation.scoring.units import bits, finite, perplexity
from attnlab.text.preprocessing import Step, find_steps

PIECE = re.compile(r"\w+|\s+|[^\w\s]")


@dataclass(frozen=True)
class Forgotten:
    """What a step threw away of a text."""

    step: str
    nats: float
    """Of encoding it; 0 for a step that can be undone or changed nothing."""


@dataclass(frozen=True)
class Preprocessed:
    """A text after some steps, what it costs a model, and what having the raw text back costs beside that."""

    raw_bytes: int
    costs: Costs
    forgotten: tuple[Forgotten, ...]

    @property
    def charge(self) -> float:
        """The nats of all that the steps threw away."""
        return sum(each.nats for each in self.forgotten)

    @property
    def perplexity(self) -> float:
        """Of the tokens, as people report it: whatever was thrown away makes it look better."""
        return perplexity(float(self.costs.nats.mean()))

    @property
    def bits_per_byte_uncharged(self) -> float:
        """Bits per byte of the raw file without the cost of what the steps threw away."""
        return bits(float(self.costs.comparable.sum())) / self.raw_bytes

    @property
    def bits_per_byte(self) -> float:
        """Bits per byte of the raw file, with what was thrown away included: this compares."""
        return self.bits_per_byte_uncharged + bits(self.charge) / self.raw_bytes

    def to_dict(self) -> dict[str, Any]:
        """The numbers, and what each step threw away."""
        own = ("raw_bytes", "perplexity", "bits_per_byte", "bits_per_byte_uncharged")
        steps = [asdict(each) for each in self.forgotten]
        return {
            "tokens": len(self.costs.nats),
            **{name: finite(getattr(self, name)) for name in own},
            "forgotten": steps,
        }


def measure_preprocessed(
    subject: Subject,
    raw: str,
    steps: Sequence[str],
    policy: Policy | None = None,
    advance: Callable[[int], None] = lambda tokens: None,
) -> Preprocessed:
    """A text measured after some steps; after none, as it is."""
    text, forgotten = forget(raw, steps)
    if not text.strip():
        raise ArgumentError("preprocess", f"expected steps that leave some text, got {', '.join(steps)}")
    return Preprocessed(len(raw.encode()), costs(subject, text, policy, advance), forgotten)


def forget(raw: str, steps: Sequence[str]) -> tuple[str, tuple[Forgotten, ...]]:
    """The text after some steps, and what each of them threw away.

    >>> text, forgotten = forget("The End of The Line", ["case-marks", "lower"])
    >>> text, [(each.step, round(each.nats, 1)) for each in forgotten]
    ('↑the ↑end of ↑the ↑line', [('case-marks', 0.0), ('lower', 0.0)])
    """
    found = []
    for step in find_steps(steps):
        text, starts = step_through(step, raw)
        # Whether a step changed anything is taken to be known, as which step it was is.
        kept = bool(step.undo) or text == raw
        nats = 0.0 if kept else float(surface_nats(*side_by_side(raw, text, starts)).sum())
        found.append(Forgotten(step.name, nats))
        raw = text
    return raw, tuple(found)


Origins = Callable[[Int[np.ndarray, " places"]], Int[np.ndarray, " places"]]
"""The places of a raw text that places of the text after a step come from."""


def step_through(step: Step, raw: str) -> tuple[str, Origins]:
    """The text after a step, and where its places come from.

    A place inside of what was replaced comes from the end of it, and so does one where something was deleted.
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
        inside = (last % 2 == 1) & (places > marks[last])  # marks with odd numbers begin what was replaced
        beyond = np.minimum(last + 1, len(marks) - 1)
        return np.where(inside, origins[beyond], origins[last] + places - marks[last])

    return "".join([*text, raw[done:]]), origin


def side_by_side(raw: str, text: str, origin: Origins) -> tuple[list[str], list[str]]:
    """Words, spaces and signs of a text, and the raw text that each comes from, all of it."""
    seen = PIECE.findall(text) or [""]
    starts = origin(np.cumsum([len(piece) for piece in seen])[:-1]).tolist()
    cuts = [0, *starts, len(raw)]
    return seen, [raw[start:stop] for start, stop in pairwise(cuts)]
