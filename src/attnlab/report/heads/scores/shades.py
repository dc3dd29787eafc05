"""How strongly a score is shaded, on pages and charts."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from attnlab.benches.heads.scores import HeadScores
    from attnlab.evaluation.heads.measures import HeadMeasure


def strengths(found: HeadScores, measure: HeadMeasure) -> list[float]:
    """The strength of each head's shade, from −1 to 1: the score itself. If a measure has no highest possible value,
    its share of the highest score or of chance, whichever is larger."""
    values = [each.scores[measure.key].value for each in found.heads]
    most = measure.high if math.isfinite(measure.high) else max(*values, found.found.chance[measure.key].value)
    return [max(-1.0, min(1.0, value / most)) for value in values]
