"""Designs queries: the query that gives keys the wanted weights, its length, or the proof that there is none.

queries uses ratios (do the wanted weights agree with one another?) and hulls (can the other keys be kept away?);
obstacles words the proofs of impossibility; scales computes how long a query must be.
"""

from attnlab.attention.design.obstacles import Containment, Dependency
from attnlab.attention.design.queries import Design, average_query, copy_query, mix_query
from attnlab.attention.design.scales import Limit, average_scale, copy_scale, scale_for

__all__ = [
    "Containment",
    "Dependency",
    "Design",
    "Limit",
    "average_query",
    "average_scale",
    "copy_query",
    "copy_scale",
    "mix_query",
    "scale_for",
]
