"""A row of `knowledge thresholds` as the page Knowledge shows it."""

from typing import Any

from attnlab.benches.knowledge import Thresholds
from attnlab.contents import Content, OneOf
from attnlab.evaluation.knowledge.measuring import Confidence
from attnlab.numbers import percent, percents
from attnlab.statistics import Share

SHARE = Content(value=str, interval=str)


@Content(
    wanted=float,
    threshold=str | None,
    precision=OneOf(SHARE, None),
    coverage=OneOf(SHARE, None),
    strangers=OneOf(SHARE, None),
    command=str,
    python=str,
)
def shown_threshold(found: Thresholds, row: Confidence) -> dict[str, Any]:
    """The threshold of a wanted precision, what it gives, and the call of the evaluation at it."""
    least, again = row.threshold.probability, found.evaluation(row)
    return {
        "wanted": row.threshold.precision,
        "threshold": None if least is None else f"{least:.4f}",
        "precision": _shown(row.given.precision),
        "coverage": _shown(row.given.coverage),
        "strangers": _shown(row.confident_wrong),
        "command": again.command,
        "python": again.python,
    }


def _shown(share: Share | None) -> dict[str, str] | None:
    if share is None:
        return None
    counts = f"{share.count:,} of {share.examples:,}"
    return {"value": percent(share.value), "interval": f"{counts}, 95 % interval {percents(share.low, share.high)} %"}
