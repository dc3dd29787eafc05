"""No answer can be made to fit the numbers and the sizes that it is tried at."""

import re

import numpy as np
import pytest

from attnlab.answers import FormulaError, check, find_problem, problems
from attnlab.answers.questions.instances import drawn_instances, instances, values_of

ROOTS = "".join(f"(n-{size})" for size in range(2, 26))
SIXTEENTHS = "".join(f"(16ε-{part})" for part in range(1, 8))
MARGIN, SCALE = "ln((n-1)(1-ε)/ε)", "ln((n-2)(1-2ε)/(4ε))"

FITTED = [
    # Numbers of the problem: polynomials with roots at all numbers that are easy to read.
    ("perplexity-base", "P = b^J (1 + (b-2)(b-3)(b-5)(b-7))"),
    ("copy-margin", f"Δ = {MARGIN} + {SIXTEENTHS}"),
    ("average-scale", f"C = {SCALE} + (2ε-1/2)(16ε-7)(16ε-5)(16ε-6)"),
    ("average-scale", f"C = {SCALE} + {SIXTEENTHS}"),
    # Sizes: roots at each size up to 25.
    ("average", f"α_a = e^C/(2e^C + n - 2) + {ROOTS}"),
    ("average-norm-noise", f"α_a = 1/(1 + e^{{-Cγ}} + (n-2)e^{{-C(1+γ)}}) + {ROOTS}"),
    ("softmax-gradient", f"∂CE/∂θ = (ŷ - y)(1 + {ROOTS})"),
    ("copy-margin", f"Δ = {MARGIN} + {ROOTS}"),
    ("extract", "M = A A^T (1 + (m-1)(m-2)(m-4))"),
    # A sum that ends at the wrong size.
    ("extract", "M = Σ_{i=1}^p a_i a_i^T"),
    ("extract", r"M = \sum_{i \in [d]} a_i a_i^T"),
    ("average", "q = -C Σ_{i=1,i≠a,b}^d k_i"),
    # A product of equal numbers is a power of a number of vectors.
    ("average", "q = C(Π_i 2 - 32)²(k_a + k_b)"),
]


@pytest.mark.parametrize(("problem", "formula"), FITTED)
def test_an_answer_made_to_fit_what_is_tried_fails(problem, formula):
    assert check(problem, formula).verdict == "fails"


HIDDEN = [
    # Kinks: √(x²) is x above 0 only.
    ("copy-margin", f"Δ = {MARGIN} + √((ε - 0.49999999)²) - (0.49999999 - ε)", "may have a kink"),
    ("copy-margin", f"Δ = {MARGIN} + e^{{ln((ε - 0.49999999)²)/2}} - (0.49999999 - ε)", "may have a kink"),
    ("perplexity-base", "P = b^J + ‖b - 10^9‖ - (10^9 - b)", "may have a kink"),
    (
        "average-norm-noise",
        "α_a = 1/(1 + e^{-Cγ} + (n-2)e^{-C(1+γ)}) + √((γ-50)²) - (50-γ)",
        "may have a kink",
    ),
    # Sizes that are counted, and not named.
    (
        "softmax-gradient",
        "∂CE/∂θ = ŷ - y + ((θ/θ)(θ/θ)^T - 2)((θ/θ)(θ/θ)^T - 3)((θ/θ)(θ/θ)^T - 5) y",
        "depends on a number of vectors that it does not name",
    ),
    (
        "perplexity-base",
        "P = b^J (1 + (Π_i (p_i/p_i + 1) - 4)(Π_i (p_i/p_i + 1) - 8)(Π_i (p_i/p_i + 1) - 32))",
        "depends on a number of vectors that it does not name",
    ),
]


@pytest.mark.parametrize(("problem", "formula", "reason"), HIDDEN)
def test_an_answer_that_may_be_wrong_where_nothing_is_tried_is_undecided(problem, formula, reason):
    found = check(problem, formula)
    assert found.verdict == "undecided"
    assert reason in found.reason


@pytest.mark.parametrize(
    ("problem", "formula"),
    [
        ("copy-margin", "Δ = log((n-1)(1/ε-1))"),
        ("average-scale", "C = ln((n-2)/(4ε) - (n-2)/2)"),
        ("perplexity-base", r"P = \sqrt[n]{1/\prod_i p_i}"),
        ("perplexity-base", r"P = b^{-\frac{1}{n}\sum_i \log_b p_i}"),
        ("softmax-gradient", "∂CE/∂θ = ŷ Σ_i y_i - y"),
        ("average", "c = (e^C(v_a + v_b) + Σ_{i≠a,b} v_i)/(2e^C + n - 2)"),
        ("average", "q = C(Π_i 2)(k_a + k_b)"),
        ("extract", r"M = \sum_{i=1}^m a_i a_i^T"),
        ("average", "q = -C Σ_{i≠a,b}^{N} k_i"),
    ],
)
def test_roots_logarithms_and_sums_in_right_answers_hold(problem, formula):
    assert check(problem, formula).verdict == "holds"


@pytest.mark.parametrize("problem", [name for name, each in problems().items() if each.drawn()])
def test_numbers_are_drawn_from_a_large_range_by_a_seed_that_depends_on_the_answer(problem):
    found = find_problem(problem)
    (name, *_) = sorted(found.drawn())
    plain = {float(values_of(found, each, {}, {})[name].flat[0]) for each in instances(found)}
    drawn = {
        float(values_of(found, each, {}, {})[name].flat[0])
        for seed in range(20)
        for each in drawn_instances(found, 10 * seed)
    }
    assert len(drawn) > 30
    assert not drawn & plain
    values = values_of(found, drawn_instances(found, 3)[0], {}, {})
    if "y" in values and found.symbols["y"].kind == "distribution":
        assert values["y"].sum() == pytest.approx(1)
        assert np.all(values["y"] > 0)


ALWAYS = {
    ("average", "q = C(k_a + k_b), for every C"): "expected a large constant, as in C → ∞, got: for all C",
    ("two-heads", "q_1 = C μ_a, q_2 = C μ_b, for all C"): "expected a large constant, as in C → ∞, got: for all C",
    ("average", "q = r(k_a + k_b), r ≫ 0, for every r"): "expected a large constant, as in r → ∞, got: for all r",
}


@pytest.mark.parametrize("answer", ALWAYS)
def test_a_query_for_every_constant_is_refused(answer):
    with pytest.raises(FormulaError, match=re.escape(ALWAYS[answer])):
        check(*answer)


def test_a_prediction_for_every_constant_must_be_an_equality():
    assert check("average", "α_a = e^C/(2e^C + n - 2), for all C").verdict == "holds"
    assert check("average", "α_a = ½, for all C").verdict == "fails"
    assert check("average", "α_a = ½").verdict == "holds if"


def test_a_condition_for_all_keys_leaves_out_the_one_it_is_about():
    found = check("copy", "k_j^T q ≫ k_i^T q for all i")
    assert (found.verdict, found.reason) == ("fails", "for i = j, both sides are equal: i ≠ j is missing")
    assert check("copy", "k_j^T q ≫ k_i^T q for all i ≠ b").verdict == "fails"
    assert check("copy", "k_j^T q ≫ k_i^T q + 5").verdict == "holds"
    for formula in ("k_j^T q ≫ 5 + 2k_i^T q", "√((k_j^T q + 10^9)²) - 10^9 ≫ k_i^T q", "‖k_j^T q‖ ≫ k_i^T q"):
        assert check("copy", formula).verdict == "fails"


def test_a_fixed_number_is_ruled_alike_in_all_problems():
    """A number in place of a large constant is right to within 1 %, also where a length grows beside it."""
    values = "V = (u_b u_b^T - u_c u_c^T)/β², K = I"
    expected = "the error is within 1 %, but no constant makes it smaller"
    found = check("self-attention", f"{values}, Q = 1000(u_d u_a^T + u_c u_d^T)/β⁴")
    assert (found.verdict, found.condition) == ("holds if", f"the sizes are as small as here: {expected}")
    assert check("average", "q = 1000(k_a + k_b)").condition == f"n ≤ 10: {expected}"
    assert check("self-attention", f"{values}, Q = 2(u_d u_a^T + u_c u_d^T)/β⁴").verdict == "fails"
