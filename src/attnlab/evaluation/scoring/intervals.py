"""Confidence intervals of a cost: how far the number may be from that of more text of the same kind.

Nearby passages are alike: one article is about football, the next one about a chemist, and their costs differ by more
than chance within an article. So a text tells as much about others as it has *independent parts*. They are its
documents, where headings mark them, or else stretches of 96 KiB. The delete-one jackknife turns the differences between
them into an interval (Miller 1974), with the quantile of Student's t for the effective number of parts,
(Σ bytes)² / Σ bytes² (Kish 1965): one long document and ten short ones are little more than one.

Where neighbouring parts are still alike, they are joined in pairs. With fewer than four effective parts there is no
interval. `benchmarks/intervals.py` measures how often these intervals hold the truth.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from attnlab.statistics import student

FEWEST = 4
"""With fewer effective parts than this there is no interval."""
Sums = Float[np.ndarray, " parts"]


@dataclass(frozen=True)
class Estimate:
    """A number with its 95 % interval for more text of the same kind; the ends are None if the text cannot tell."""

    value: float
    low: float | None = None
    high: float | None = None

    def map(self, function: Callable[[float], float]) -> "Estimate":
        """The estimate of `function` of the number; the function must increase."""
        ends = (None if each is None else function(each) for each in (self.low, self.high))
        return Estimate(function(self.value), *ends)


@dataclass(frozen=True)
class Uncertainty:
    """How far a number may be from that of more text of the same kind, and how many parts of the text tell it."""

    parts: int
    effective: float
    """The number of equally long parts that would tell as much."""
    joined: bool
    """Whether neighbouring parts were alike, and so were joined."""
    half: float | None
    """The half-width of the interval; None if there are too few parts, or if they do not differ at all."""


def spread(*ratios: tuple[Sums, Sums]) -> Uncertainty:
    """The spread of one sum over another, or of the difference of two such ratios over the same parts.

    >>> costs, sizes = np.array([10.0, 14.0, 11.0, 13.0]), np.full(4, 10.0)
    >>> found = spread((costs, sizes))
    >>> found.parts, found.effective, round(found.half or 0, 3)  # t at 0.975 with 3 degrees of freedom is 3.182
    (4, 4.0, 0.291)
    """
    sums = np.array([column for pair in ratios for column in pair])
    joined = False
    while True:
        parts, effective = int((sums[1] > 0).sum()), effective_parts(sums[1])
        if effective < FEWEST:
            return Uncertainty(parts, effective, joined, None)
        apart = _influences(sums)
        if not np.isfinite(apart).all() or not apart.any():
            return Uncertainty(parts, effective, joined, None)
        if not _alike(apart):
            break
        sums, joined = _in_pairs(sums), True
    error = math.sqrt((parts - 1) / parts * float((apart**2).sum()))
    return Uncertainty(parts, effective, joined, student(effective - 1) * error)


def effective_parts(sizes: Sums) -> float:
    """The number of equally long parts that tell as much as parts of these sizes.

    >>> effective_parts(np.array([10.0, 10.0])), round(effective_parts(np.array([100.0, 1.0])), 2)
    (2.0, 1.02)
    """
    return float(sizes.sum() ** 2 / (sizes**2).sum()) if sizes.any() else 0.0


def _influences(sums: Float[np.ndarray, "columns parts"]) -> Sums:
    """How much the number changes if each part is left out."""
    with np.errstate(divide="ignore", invalid="ignore"):
        whole, without = sums.sum(1), sums.sum(1, keepdims=True) - sums
        changes = without[::2] / without[1::2] - (whole[::2] / whole[1::2])[:, None]
    return changes[0] if len(changes) == 1 else changes[0] - changes[1]


def _alike(apart: Sums) -> bool:
    """Whether neighbouring parts are more alike than by chance: their correlation is above one standard error."""
    return float((apart[1:] * apart[:-1]).sum() / (apart**2).sum()) > 1 / math.sqrt(len(apart))


def _in_pairs(sums: Float[np.ndarray, "columns parts"]) -> Float[np.ndarray, "columns pairs"]:
    """Neighbouring parts joined; of an odd number, the last three."""
    return np.add.reduceat(sums, np.arange(0, sums.shape[1] - 1, 2), axis=1)


def estimated(value: float, found: Uncertainty) -> Estimate:
    """A number with its interval, if it has one."""
    return Estimate(value) if found.half is None else Estimate(value, value - found.half, value + found.half)


def parts_in_words(found: Uncertainty, documents: bool) -> str:
    """What the interval is made from, for a sentence.

    >>> parts_in_words(Uncertainty(58, 31.2, False, 0.1), documents=True)
    'the differences between its 58 documents'
    """
    kind = "documents" if documents else "stretches of 96 KiB or more"
    each = f"groups of neighbouring {kind}" if found.joined else kind
    return f"the differences between its {found.parts:,} {each}"


def reason_for_no_interval(found: Uncertainty, documents: bool, raw_bytes: int, shortest: int) -> str:
    """Why a text has no interval, for a sentence."""
    if found.joined:
        return f"parts of the text that are far apart are still alike, so it has fewer than {FEWEST} independent parts"
    if found.effective >= FEWEST:
        return "the parts of the text do not differ"
    if documents:
        like = f", which count like {found.effective:.1f} equally long ones" if found.parts >= FEWEST else ""
        return f"the text has {found.parts} documents{like}; an interval takes {FEWEST}"
    least = f"an interval takes {FEWEST * shortest:,} bytes, or {FEWEST} documents with headings"
    return f"nearby passages are alike, so {raw_bytes:,} bytes without documents tell little about others; {least}"
