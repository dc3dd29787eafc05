"""Self-attention built by hand: inputs that are sums of orthogonal parts, and Q, K, V that give wanted outputs.

sums → evaluation computes what given matrices do; sums → problem → obstacles, search find matrices or a proof.
"""

from attnlab.attention.constructions.evaluation import (
    SelfAttention,
    beta_within,
    error_bounds,
    evaluate,
    limit,
    margins,
)
from attnlab.attention.constructions.obstacles import Exhausted, Obstacle, OutsideHull, SameQuery, TooFewDirections
from attnlab.attention.constructions.search import Construction, solve
from attnlab.attention.constructions.sums import (
    Inputs,
    format_matrix,
    format_rows,
    format_sum,
    parse_inputs,
    parse_matrix,
    parse_wants,
)

__all__ = [
    "Construction",
    "Exhausted",
    "Inputs",
    "Obstacle",
    "OutsideHull",
    "SameQuery",
    "SelfAttention",
    "TooFewDirections",
    "beta_within",
    "error_bounds",
    "evaluate",
    "format_matrix",
    "format_rows",
    "format_sum",
    "limit",
    "margins",
    "parse_inputs",
    "parse_matrix",
    "parse_wants",
    "solve",
]
