"""Designs near degeneracy, held against exact fractions: no false proof, no bound below the true error.

Keys are drawn where float64 cannot decide: on and beside edges and faces of the hull of others, at sizes from 1e-12 to
1e12. Whether a key is in the hull is decided by trying every simplex of the others in fractions, and the weights of a
query are computed from exact logits.
"""

import itertools
import math
import random
from fractions import Fraction

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attnlab.attention.design.obstacles import Containment
from attnlab.attention.design.queries import Design, copy_query, mix_query
from attnlab.attention.design.rational import ahead_or_around, nearby_solution
from attnlab.attention.impossible import Impossible
from attnlab.errors import ArgumentError

Keys = list[list[float]]
Point = list[Fraction]


def exact(row: list[float]) -> Point:
    return [Fraction(x) for x in row]


def inside(key: Point, others: list[Point]) -> bool:
    """Whether a key is in the hull of others: in one of their simplices, by Carathéodory."""
    right = [*key, Fraction(1)]
    for size in range(1, min(len(others), len(key) + 1) + 1):
        for corners in itertools.combinations(others, size):
            rows = [list(row) for row in zip(*corners, strict=True)] + [[Fraction(1)] * size]
            found = nearby_solution(rows, right, [Fraction(0)] * size)
            if found is not None and min(found) >= 0:
                return True
    return False


def true_weights(keys: Keys, query: list[float]) -> list[float]:
    """The weights of a query, from exact logits."""
    scores = [sum(a * b for a, b in zip(exact(key), exact(query), strict=True)) for key in keys]
    powers = [math.exp(float(score - max(scores))) for score in scores]
    return [power / sum(powers) for power in powers]


def near_degenerate(seed: int) -> tuple[Keys, int]:
    """Keys in 1 to 3 dimensions, one of which lies on, or a hair beside, an edge or a face of the others."""
    draw = random.Random(seed)
    dim, count = draw.randint(1, 3), draw.randint(2, 6)
    units = [10.0 ** draw.choice([-12, -6, 0, 0, 0, 3, 9, 10, 12]) for _ in range(dim)]
    coordinate = draw.choice([lambda: draw.randint(-2, 2), lambda: draw.gauss(0, 1), lambda: draw.randint(-9, 9) / 10])
    keys = [[unit * coordinate() for unit in units] for _ in range(count)]
    shares = [draw.choice([0, 1, 1, 2, draw.random()]) for _ in keys]
    total = sum(shares) or 1
    hair = draw.choice([0, 0, 1e-17, 1e-15, 1e-12, 1e-9, 5e-10, 1e-6]) * draw.choice([-1, 1])
    between = [sum(s * key[c] for s, key in zip(shares, keys, strict=True)) / total for c in range(dim)]
    between[draw.randrange(dim)] += hair * draw.choice(units)
    at = draw.randint(0, count)
    return [*keys[:at], between, *keys[at:]], at


def check_copy(keys: Keys, at: int, **options: float) -> str:
    """Hold the answer to copying a key against fractions; returns its kind."""
    try:
        answer = copy_query(torch.tensor(keys, dtype=torch.float64), at, **options)
    except ArgumentError:
        return "undecided"
    key, others = exact(keys[at]), [exact(row) for i, row in enumerate(keys) if i != at]
    if isinstance(answer, Design):
        wanted = [float(i == at) for i in range(len(keys))]
        weights = true_weights(keys, answer.query.tolist())
        error = max(abs(a - w) for a, w in zip(weights, wanted, strict=True))
        assert error <= answer.bound
        assert "norm" in options or error <= 2 * options.get("tolerance", 1e-3)
        assert not inside(key, others)
        return "possible"
    proof = answer.certificate
    assert isinstance(proof, Containment)
    if proof.shorter_than == math.inf:
        assert inside(key, others)
        return "proven"
    check_short_queries(keys, at, proof)
    return "nearly"


def check_short_queries(keys: Keys, at: int, proof: Containment) -> None:
    """No query up to the stated length gives the key more than stated: tried along the direction that is best."""
    key, others = exact(keys[at]), [exact(row) for i, row in enumerate(keys) if i != at]
    points = [[a - b for a, b in zip(key, row, strict=True)] for row in others]
    direction, _ = ahead_or_around(points, [])
    if direction is None:
        return
    size = max(map(abs, direction))
    unit = [float(x / size) for x in direction]
    for share in (1e-9, 1e-3, 0.5, 0.999):
        length = share * proof.shorter_than / math.hypot(*unit)
        assert true_weights(keys, [length * x for x in unit])[at] <= 1 - proof.leak


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 10**9), st.sampled_from([{}, {"tolerance": 1e-6}, {"norm": 3.0}]))
def test_near_degeneracy_gives_no_false_proof(seed, options):
    keys, at = near_degenerate(seed)
    if max(abs(x) for row in keys for x in row) > 0:
        check_copy(keys, at, **options)


@pytest.mark.parametrize(
    ("keys", "at"),
    [
        ([[0, 0], [1e10, 1], [2e10, 0]], 1),
        ([[0, 0], [1e9, 1], [2e9, 0]], 1),
        ([[0, 0], [1e16, 1], [3e16, 0.5]], 1),
        ([[0, 0], [1, 1e-10], [2, 0]], 1),
        ([[0, 0], [1, 1e-17], [2, 0]], 1),
        ([[-1, 1.9999999995], [2, 0.5], [0.5, 0.5], [1, 1]], 3),
    ],
)
def test_a_key_just_outside_the_hull_is_copied(keys, at):
    assert check_copy([[float(x) for x in row] for row in keys], at) == "possible"


def test_a_key_outside_by_less_than_rounding_has_a_proof_up_to_a_length():
    answer = copy_query(torch.tensor([[0, 0], [0.1, 0.3], [0.3, 0.9]], dtype=torch.float64), 1)
    assert isinstance(answer, Impossible)
    assert answer.certificate.shorter_than == pytest.approx(1e9, rel=0.5)
    assert answer.reason.startswith("key 1 is up to rounding in the convex hull of others, 0.6667·key 0 + 0.3333·key 2")
    assert check_copy([[0, 0], [0.1, 0.3], [0.3, 0.9]], 1) == "nearly"


def test_ratios_that_only_a_small_direction_can_give():
    keys = torch.tensor([[0, 0], [1e10, 1], [2e10, 0]], dtype=torch.float64)
    design = mix_query(keys, {0: 0.25, 1: 0.5, 2: 0.25})
    assert isinstance(design, Design)
    assert true_weights(keys.tolist(), design.query.tolist()) == pytest.approx([0.25, 0.5, 0.25], abs=1e-9)


def test_ratios_of_keys_that_are_dependent_up_to_rounding():
    keys = torch.tensor([[0, 0], [0.1, 0.3], [0.3, 0.9]], dtype=torch.float64)
    answer = mix_query(keys, {0: 0.25, 1: 0.5, 2: 0.25})
    assert isinstance(answer, Impossible)
    assert 1e8 < answer.certificate.shorter_than < math.inf
    assert answer.reason.startswith("to within 1e-06, every query shorter than ")


def test_many_keys_are_proven_without_fractions():
    keys = torch.randn(300, 40, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    keys[0] *= 0.1
    answer = copy_query(keys, 0)
    assert isinstance(answer, Impossible)
    assert answer.certificate.shorter_than == math.inf
