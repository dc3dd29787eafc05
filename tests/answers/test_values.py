"""The shape and the value of a formula: against numpy, torch and scipy, and the words for what has none."""

import numpy as np
import pytest
import scipy.special
import torch

from attnlab import attention
from attnlab.answers.parsing.formulas import FormulaError, parse_expression
from attnlab.answers.parsing.shapes import NoValueError, Symbols, shape_of
from attnlab.answers.values.evaluation import evaluate, softmax

random = np.random.default_rng(0)
A, B, k, S = (random.standard_normal(shape) for shape in ((4, 2), (4, 3), (4, 5), (4, 4)))
TABLE = Symbols(
    {"A": ("d", "m"), "B": ("d", "p"), "k": ("d", "n"), "S": ("d", "d"), "C": ("1", "1"), "n": ("1", "1")},
    members={"n": ("a", "b")},
    aliases={"μ": "k", "k_j": "k_a"},
)
VALUES = {
    name: np.atleast_2d(value)[None, None]
    for name, value in {"A": A, "B": B, "k": k, "S": S, "C": 3.0, "n": 5.0}.items()
}
a, b = k[:, :1], k[:, 1:2]

EQUAL = {
    "A A^T": A @ A.T,
    "C(k_a + k_b)": 3 * (a + b),
    "k_a^T k_b": a.T @ b,
    "k_a k_b^T - 2 S": a @ b.T - 2 * S,
    "μ_a + k_j": 2 * a,
    "S^{-1}": np.linalg.inv(S),
    "S²": S @ S,
    "S^3 k_a/C": S @ S @ S @ a / 3,
    "A(A^T A)^{-1}A^T": A @ np.linalg.inv(A.T @ A) @ A.T,
    "Σ_i k_i": k.sum(axis=1, keepdims=True),
    "Σ_{i≠a,b} k_i": k[:, 2:].sum(axis=1, keepdims=True),
    "Σ_i k_i k_i^T": k @ k.T,
    "Σ_{i≠a,b} C": np.array([[9.0]]),
    "exp(-C)/ln(n)": np.exp([[-3.0]]) / np.log(5),
    "‖k_a‖·sqrt(n)": np.linalg.norm(a) * np.sqrt([[5.0]]),
    "softmax(k^T k_a)": scipy.special.softmax(k.T @ a, axis=0),
}


@pytest.mark.parametrize("formula", EQUAL)
def test_a_value_is_what_numpy_makes_of_it(formula):
    node = parse_expression(formula)
    shape_of(node, TABLE)
    np.testing.assert_allclose(evaluate(node, VALUES, TABLE)[0, 0], EQUAL[formula], rtol=1e-12)


def test_many_constants_and_draws_are_worked_out_at_once():
    many = VALUES | {"C": np.array([1.0, 2.0]).reshape(2, 1, 1, 1), "k": np.stack([k, 2 * k, 3 * k])[None]}
    found = evaluate(parse_expression("C k_a"), many, TABLE)
    assert found.shape == (2, 3, 4, 1)
    np.testing.assert_allclose(found[1, 2], 6 * a)


def test_softmax_is_that_of_the_attention_bench():
    logits = random.standard_normal((7, 5, 3, 1)) * 1e4
    of_torch = attention.softmax(torch.tensor(logits[..., 0]))
    np.testing.assert_allclose(softmax(logits)[..., 0], of_torch, atol=1e-15)


NO_VALUE = {
    "k_a k_b": "k_a is a vector of d numbers and k_b is a vector of d numbers: they cannot be multiplied; "
    "k_aᵀ k_b would be their dot product",
    "A B": "A is d×m and B is d×p: they cannot be multiplied",
    "A + B": "A is d×m and B is d×p: they cannot be added",
    "1 - k_a": "1 is a number and k_a is a vector of d numbers: they cannot be added",
    "C/k_a": "k_a is a vector of d numbers: only division by a number is possible",
    "exp(k_a)": "exp(k_a): k_a is a vector of d numbers, expected a number",
    "σ(k_a)": "σ(k_a): k_a is a vector of d numbers, expected a number",
    "k_a ⊙ k_b": "k_a ⊙ k_b: this problem does not fix the coordinates of its vectors, so ⊙ and diag have no value",
    "diag(k_a)": "diag(k_a): this problem does not fix the coordinates of its vectors, so ⊙ and diag have no value",
    "A²": "A²: A is d×m; only a square matrix has powers and an inverse",
    "2^A": "2^A: A is d×m, expected a number",
}


@pytest.mark.parametrize("formula", NO_VALUE)
def test_what_does_not_fit_has_no_value_and_the_reason_is_said(formula):
    with pytest.raises(NoValueError) as found:
        shape_of(parse_expression(formula), TABLE)
    assert str(found.value) == NO_VALUE[formula]


UNKNOWN = {
    "x": "x is not a symbol of this problem; its symbols are A, B, k_a, k_b, S, C, n",
    "k_c": "k_c is not a symbol of this problem",
    "S^{0.5}": "S^{0.5}: expected a matrix to a whole power of at most 20, such as A⁻¹ or A²",
    "A^999999999": "A⁹⁹⁹⁹⁹⁹⁹⁹⁹: expected a matrix to a whole power of at most 20, such as A⁻¹ or A²",
    "Σ_i k_i A_i": "Σ_i k_i A_i: expected a sum of symbols with the index i",
    "Σ_{i≠z} k_i": "Σ_{i≠z} k_i: z is not one of a, b",
}


@pytest.mark.parametrize("formula", UNKNOWN)
def test_what_no_problem_knows_is_refused(formula):
    with pytest.raises(FormulaError) as refused:
        shape_of(parse_expression(formula), TABLE)
    assert str(refused.value).startswith(UNKNOWN[formula])


GRADIENTS = Symbols(
    {"h": ("1", "H"), "y": ("1", "c"), "W": ("H", "c"), "p": ("1", "n"), "A": ("d", "m"), "n": ("1", "1")},
    members={"n": ("a",)},
    elementwise=True,
)
SHAPES = {
    "1 - h": ("1", "H"),
    r"h ⊙ (\mathbf{1} - h)": ("1", "H"),
    "h W + ½": ("1", "c"),
    "ln(y)": ("1", "c"),
    "σ'(y W^T)": ("1", "H"),
    "diag(h) W": ("H", "c"),
    "diag(h^T) W": ("H", "c"),
    "A^+": ("m", "d"),
    "A_2": ("d", "1"),
    "Π_i p_i": ("1", "1"),
}


@pytest.mark.parametrize("formula", SHAPES)
def test_an_elementwise_problem_has_numbers_beside_vectors(formula):
    assert shape_of(parse_expression(formula), GRADIENTS) == SHAPES[formula]


NO_SHAPE = {
    "n - h": "n is a number and h is 1×H: they cannot be added",
    "h ⊙ y": "h is 1×H and y is 1×c: ⊙ needs the same shape on both sides",
    "diag(W)": "diag(W): W is H×c, expected a vector",
    "Π_i p_i h": "Π_i p_i h: p_i h is 1×H, expected a number",
}


@pytest.mark.parametrize("formula", NO_SHAPE)
def test_an_elementwise_problem_keeps_its_shapes_apart(formula):
    with pytest.raises(NoValueError) as found:
        shape_of(parse_expression(formula), GRADIENTS)
    assert str(found.value) == NO_SHAPE[formula]


def test_a_column_without_a_name_has_a_number():
    assert GRADIENTS.place("A", "2", {}) == 1
    assert GRADIENTS.place("p", "a", {}) == 0
    assert GRADIENTS.place("p", "i", {"i": 4}) == 4


def test_a_singular_matrix_has_no_inverse():
    singular = VALUES | {"S": np.zeros((1, 1, 4, 4))}
    with pytest.raises(NoValueError, match="S⁻¹: S has no inverse"):
        evaluate(parse_expression("S^{-1}"), singular, TABLE)
