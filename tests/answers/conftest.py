"""A problem as a teacher would write it, and what tests of records share."""

import pytest
from tests.benches.conftest import watcher

__all__ = ["watcher"]

DIFFERENCE = """
title = "The difference of two values"
question = "Keys k_i are orthonormal. With two heads, c = c_1 - c_2. Give queries for which c ≈ v_a - v_b."
wanted = "c ≈ v_a - v_b"
shown_in = "v"
sizes = { n = [2, 3, 6], d = [2, 4, 6] }
members = { n = ["a", "b"] }
unknowns = { q_1 = "d", q_2 = "d" }

[symbols]
k = { is = "orthonormal", shape = "d×n", says = "the keys" }
v = { is = "orthonormal", shape = "d×n", says = "the values" }

[definitions]
c = "v softmax(k^T q_1) - v softmax(k^T q_2)"

[[samples]]
answer = "q_1 = C k_a, q_2 = C k_b"
verdict = "holds"

[[samples]]
answer = "q_1 = k_a, q_2 = k_b"
verdict = "fails"
"""


@pytest.fixture
def difference() -> str:
    return DIFFERENCE
