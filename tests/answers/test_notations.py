"""Right answers as people write them, and one wrong answer beside each form."""

import re

import pytest

from attnlab.answers import FormulaError, check

JACOBIAN = "∂ŷ_i/∂θ_j ="
READ = [
    ("softmax-gradient", rf"{JACOBIAN} \begin{{cases}} ŷ_i(1-ŷ_i) & i = j \\ -ŷ_i ŷ_j & i \neq j \end{{cases}}"),
    (
        "softmax-gradient",
        rf"{JACOBIAN} \begin{{cases}} ŷ_i(1-ŷ_i), & \text{{if }} i = j \\ -ŷ_i ŷ_j, & \text{{otherwise}} \end{{cases}}",
    ),
    ("softmax-gradient", rf"{JACOBIAN} \begin{{cases}} -ŷ_i ŷ_j & i ≠ j \\ ŷ_i(1-ŷ_j) & i=j\end{{cases}}"),
    ("softmax-gradient", f"{JACOBIAN} ŷ_i(1-ŷ_i) if i = j, -ŷ_i ŷ_j otherwise"),
    ("softmax-gradient", f"{JACOBIAN} ŷ_i(1-ŷ_i) if i = j, -ŷ_i ŷ_j if i ≠ j"),
    ("softmax-gradient", "ŷ - y"),
    ("softmax-gradient", "diag(ŷ) - ŷ^T ŷ"),
    ("copy", "q = C k_j with C ≫ 0 (large)"),
    ("average", "q = c(k_a + k_b), c >> 0"),
    ("average", "q = sinh(C)(k_a + k_b)"),
    ("average", "α_a = (1 + tanh(0))/2 - (n-2)/(2(2e^C + n - 2))"),
    ("extract", "M = a_1 a_1^T + … + a_m a_m^T"),
    ("extract", r"M = a_1 a_1^\top + a_2 a_2^\top + \dots + a_m a_m^\top"),
    ("extract", "M = A A^*"),
    ("extract", "M = A A^T since A^T A = I"),
]


@pytest.mark.parametrize(("problem", "formula"), READ)
def test_a_right_answer_is_read(problem, formula):
    assert check(problem, formula).verdict == "holds"


@pytest.mark.parametrize(
    ("problem", "formula"),
    [
        ("softmax-gradient", rf"{JACOBIAN} \begin{{cases}} ŷ_i(1-ŷ_i) & i = j \\ ŷ_i ŷ_j & i \neq j \end{{cases}}"),
        ("softmax-gradient", f"{JACOBIAN} -ŷ_i ŷ_j if i = j, ŷ_i(1-ŷ_i) otherwise"),
        ("softmax-gradient", "y - ŷ"),
        ("average", "q = tanh(C)(k_a + k_b)"),
        ("average", "q = cosh(C)(k_a - k_b)"),
        ("extract", "M = a_1 a_1^T + … + a_p a_p^T"),
        ("extract", "M = A^* A"),
    ],
)
def test_a_wrong_answer_of_that_form_fails(problem, formula):
    assert check(problem, formula).verdict == "fails"


def test_a_constant_without_a_meaning_is_named():
    with pytest.raises(FormulaError, match=re.escape("; if D is a large constant, write D ≫ 0")):
        check("two-heads", "q_1 = C μ_a; q_2 = D μ_b")
    assert check("two-heads", "q_1 = C μ_a; q_2 = D μ_b, D ≫ 0").verdict == "holds"


def test_a_reason_keeps_the_brackets_of_its_formula():
    found = check("network-gradients", "∂J/∂x = ((ŷ - y) W2.T * h * (1 - h)) W1.T")
    assert found.reason == "(ŷ − y) W_2ᵀ is 1×hidden and h is 1×hidden: they cannot be multiplied"
