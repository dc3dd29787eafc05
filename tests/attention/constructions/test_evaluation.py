"""What given matrices do, against attention computed with real vectors, and against the coursework's answer."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attnlab.attention.constructions import (
    Inputs,
    beta_within,
    error_bounds,
    evaluate,
    format_sum,
    limit,
    margins,
    parse_inputs,
    parse_matrix,
)
from attnlab.errors import ArgumentError

COURSEWORK = "x1 = d + b; x2 = a; x3 = c + b"
problems = st.tuples(st.integers(1, 5), st.integers(1, 5), st.integers(0, 10_000))


def integers(*shape: int, seed: int) -> torch.Tensor:
    return torch.randint(-2, 3, shape, generator=torch.Generator().manual_seed(seed)).double()


def random_problem(count: int, size: int, seed: int) -> tuple[Inputs, tuple[torch.Tensor, ...]]:
    inputs = Inputs(tuple("abcde"[:size]), integers(count, size, seed=seed))
    return inputs, tuple(integers(size, size, seed=seed + i) for i in (1, 2, 3))


def read(inputs: Inputs, *texts: str) -> tuple[torch.Tensor, ...]:
    return tuple(parse_matrix(text, inputs.parts) for text in texts)


def outputs(text: str, Q: str, K: str, V: str) -> list[str]:
    inputs = parse_inputs(text)
    return [format_sum(c, inputs.parts) for c in limit(inputs, *read(inputs, Q, K, V)).outputs]


@settings(deadline=None)
@given(problems, st.sampled_from([0.3, 1.0, 2.0, 5.0]))
def test_equals_attention_on_real_vectors(problem, beta):
    """The parts as columns of a randomly turned basis, of norm β, and softmax(QKᵀ)V as torch has it."""
    inputs, matrices = random_problem(*problem)
    size, dim = len(inputs.parts), len(inputs.parts) + 3
    turned = torch.linalg.qr(torch.randn(dim, dim, generator=torch.Generator().manual_seed(problem[2])).double()).Q
    u = beta * turned[:, :size]
    x = inputs.coefficients @ u.mT
    q, k, v = (x @ (u @ M @ u.mT / beta**2).mT for M in matrices)
    weights = torch.softmax(q @ k.mT, -1)
    ours = evaluate(inputs, *matrices, beta=beta)
    assert ours.beta == beta
    torch.testing.assert_close(ours.logits, q @ k.mT, atol=1e-10, rtol=1e-10)
    torch.testing.assert_close(ours.weights, weights, atol=1e-10, rtol=1e-10)
    torch.testing.assert_close(ours.outputs @ u.mT, weights @ v, atol=1e-9, rtol=1e-10)


@settings(deadline=None)
@given(problems)
def test_a_large_beta_is_the_limit(problem):
    inputs, matrices = random_problem(*problem)  # integers, so a score is best or at least 1 short
    end, near = limit(inputs, *matrices), evaluate(inputs, *matrices, beta=10.0)
    torch.testing.assert_close(near.outputs, end.outputs, atol=1e-12, rtol=0)
    torch.testing.assert_close(near.weights, end.weights, atol=1e-12, rtol=0)
    torch.testing.assert_close(torch.softmax(end.logits, -1), end.weights)
    assert torch.equal(near.scores, end.scores)
    assert end.beta == math.inf


@settings(deadline=None)
@given(problems, st.floats(0.05, 3.0))
def test_the_bound_holds(problem, beta):
    inputs, matrices = random_problem(*problem)
    error = (evaluate(inputs, *matrices, beta=beta).outputs - limit(inputs, *matrices).outputs).norm(dim=-1)
    assert bool((error <= error_bounds(inputs, *matrices, beta=beta) + 1e-12).all())


@settings(deadline=None)
@given(problems, st.floats(1e-9, 0.5))
def test_the_stated_beta_is_enough(problem, tolerance):
    inputs, matrices = random_problem(*problem)
    beta = beta_within(inputs, *matrices, tolerance=tolerance)
    for factor in (1.0, 1.5):
        near = evaluate(inputs, *matrices, beta=max(beta * factor, 1e-6))
        error = (near.outputs - limit(inputs, *matrices).outputs).norm(dim=-1)
        assert float(error.max()) <= tolerance * (1 + 1e-9) + 1e-12


def test_the_stated_beta_is_not_far_too_much():
    inputs = parse_inputs(COURSEWORK)
    matrices = read(inputs, "d a^T + c d^T", "I", "b b^T - c c^T")
    beta = beta_within(inputs, *matrices, tolerance=1e-6)
    assert beta == pytest.approx(math.sqrt(math.log((1 + math.sqrt(2)) / 1e-6)))
    assert float(error_bounds(inputs, *matrices, beta=0.95 * beta).max()) > 1e-6
    everything_ties = read(inputs, "0", "I", "I")
    assert beta_within(inputs, *everything_ties, tolerance=1e-6) == 0.0
    assert margins(inputs, *everything_ties[:2]).tolist() == [math.inf] * 3
    assert margins(inputs, *matrices[:2]).tolist() == [1.0, 1.0, math.inf]


def test_the_identity_copies():
    assert outputs(COURSEWORK, "I", "I", "I")[1] == "u_a"
    assert outputs("x1 = d + b; x2 = a + d; x3 = c + b", "I", "I", "I")[1] == "u_a + u_d"
    assert outputs("x1 = d + b; x2 = a + c; x3 = c + b", "I", "I", "I")[1] == "u_a + u_c"


def test_one_sign_decides():
    V = "(u_b u_bᵀ − u_c u_cᵀ)/β²"
    assert outputs(COURSEWORK, "(u_d u_aᵀ − u_c u_dᵀ)/β²", "I", V)[:2] == ["0.5 u_b", "u_b"]
    assert outputs(COURSEWORK, "(u_d u_aᵀ + u_c u_dᵀ)/β²", "I", V)[:2] == ["u_b − u_c", "u_b"]


def test_ties_survive_rounding():
    numbers = [[0.1, 0.2], [0.3, 0.0], [0.0, 0.3], [0.3 - 1e-6, 0.0]]  # 0.1 + 0.2 is not 0.3 in floating point
    inputs = Inputs(("a", "b"), torch.tensor(numbers, dtype=torch.float64))
    ones = torch.ones(2, 2, dtype=torch.float64)
    assert limit(inputs, ones, ones, ones).weights[0].tolist() == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0.0])


@pytest.mark.usefixtures("as_installed")
@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda i, M: evaluate(i, M, M, M, beta=0.0), "beta: expected a number above 0 and below 1e+100, got 0"),
        (lambda i, M: evaluate(i, M, M, M, beta=math.nan), "beta: expected a number above 0 and below 1e+100, got nan"),
        (lambda i, M: evaluate(i, M, M[:2], M, beta=1.0),
         "K: expected 4 × 4, one row and column per part, got shape (2, 4)"),
        (lambda i, M: limit(i, M, M, M[:, :2]), "V: expected 4 × 4, one row and column per part, got shape (4, 2)"),
        (lambda i, M: limit(i, M * math.nan, M, M), "Q: expected finite numbers, got nan at [0, 0]"),
        (lambda i, M: limit(i, M.int(), M, M), "Q: expected floating-point numbers, got int32"),
        (lambda i, M: beta_within(i, M, M, M, tolerance=0.0),
         "tolerance: expected a number above 0 and below inf, got 0"),
        (lambda i, M: error_bounds(i, M, M, M, beta=-1.0),
         "beta: expected a number above 0 and below 1e+100, got -1"),
    ],
)  # fmt: skip
def test_bad_input_is_named(call, message):
    with pytest.raises(ArgumentError) as error:
        call(parse_inputs(COURSEWORK), torch.eye(4))
    assert str(error.value) == message
