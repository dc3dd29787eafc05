"""Why the first token gets attention: because its key is long, or because of its angle to the query.

A logit is ℓ_j = scale · ‖q‖ · l_j · c_j, with the length l_j of the key and the cosine c_j of its angle to the query.
With the means l̄ and c̄ over the keys of the row, the first key's lead over the mean logit is exactly

    ℓ_0 − ℓ̄ = scale · ‖q‖ · ( (l_0 − l̄)(c_0 + c̄)/2 + (c_0 − c̄)(l_0 + l̄)/2 − cov(l, c) )
                              because of its length     because of its angle     what others have in common
"""

from dataclasses import dataclass

import numpy as np

from attnlab.evaluation.heads.theory.rows import HeadRows, QueryRow


@dataclass(frozen=True)
class Sink:
    """The mean weight of the first key, its lead over the mean logit, and the three parts that add up to the lead."""

    weight: float
    lead: float
    length: float
    angle: float
    rest: float


def sink_of(head: HeadRows) -> Sink:
    """The attention of a head to the first token, in parts; means over the rows."""
    parts = np.array([lead_parts(row) for row in head.rows]).mean(0)
    weight = float(np.mean([row.weights[0] for row in head.rows]))
    return Sink(weight, float(parts.sum()), *map(float, parts))


def lead_parts(row: QueryRow) -> tuple[float, float, float]:
    """The first key's lead over the mean logit: because of its length, because of its angle, and the rest."""
    size = float(np.linalg.norm(row.query))
    lengths = row.lengths
    with np.errstate(invalid="ignore", divide="ignore"):
        cosines = np.nan_to_num(row.keys @ row.query / (lengths * size))
    length, cosine, factor = lengths.mean(), cosines.mean(), row.scale * size
    because_of_length = (lengths[0] - length) * (cosines[0] + cosine) / 2
    because_of_angle = (cosines[0] - cosine) * (lengths[0] + length) / 2
    common = length * cosine - (lengths * cosines).mean()
    return factor * because_of_length, factor * because_of_angle, factor * common
