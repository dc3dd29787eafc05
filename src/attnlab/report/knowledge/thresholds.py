"""How the thresholds of several wanted precisions are shown: a row for each, and what the columns mean."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attnlab.numbers import percent, percent_as_typed
from attnlab.report.blocks import Presentation, borderless
from attnlab.report.writing.estimates import NONE

if TYPE_CHECKING:
    from attnlab.benches.knowledge import Thresholds
    from attnlab.evaluation.knowledge.measuring import Confidence
    from attnlab.statistics import Share

COLUMNS = ("wanted precision", "threshold", "precision", "coverage", "strangers answered")
MEANING = (
    "threshold           the lowest probability of an answer that reached the wanted precision on people who were kept",
    "                    out of finetuning, and on strangers; the other columns are measured on other people",
    "precision           the share of given answers that are right",
    "coverage            the share of questions that the model answers",
    "strangers answered  the share of strangers about whom it gives an answer, which is always made up",
)


def thresholds(found: Thresholds) -> Presentation:
    """What the model answers at each threshold."""
    table = borderless(COLUMNS, [_cells(each) for each in found.rows])
    return Presentation([table, "", *MEANING], rows=[_numbers(each) for each in found.rows])


def _cells(row: Confidence) -> tuple[str, ...]:
    least = row.threshold.probability
    return (
        percent_as_typed(row.threshold.precision),
        "not reached" if least is None else f"{least:.4f}",
        _share(row.given.precision),
        _share(row.given.coverage),
        _share(row.confident_wrong),
    )


def _share(share: Share | None) -> str:
    return NONE if share is None else f"{percent(share.value)} ({share.count:,} of {share.examples:,})"


def _numbers(row: Confidence) -> dict[str, Any]:
    """A row of a .csv file."""
    shares = {"precision": row.given.precision, "coverage": row.given.coverage, "strangers": row.confident_wrong}
    found: dict[str, Any] = {"wanted": row.threshold.precision, "threshold": row.threshold.probability}
    for name, share in shares.items():
        found |= {name: share and share.value, f"{name}_low": share and share.low, f"{name}_high": share and share.high}
    return found
