"""Verdicts: the write-ups' answers get theirs, each with its reason and what would be right."""

import contextlib
import json
import re
from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attnlab import attention
from attnlab.answers import FormulaError, check, find_problem, problems
from attnlab.answers.parsing.formulas import parse
from attnlab.answers.questions.instances import instances
from attnlab.answers.values.effort import UndecidedError
from attnlab.answers.values.primes import prime_factors
from attnlab.errors import ArgumentError

D_VALUES = ("V = (u_b u_b^T - u_c u_c^T)/β²", "K = I")

HOLDS = [
    ("copy", "q = C k_j"),
    ("copy", r"q = \beta k_j, \beta \gg 0"),
    ("extract", "M = A A^T"),
    ("extract", "M = I - B B^T"),
    ("extract", r"M = \sum_i a_i a_i^T"),
    # A small t for a transpose, chains, and inner products.
    ("extract", "M = A A^t"),
    ("extract", r"M = \sum_i a_i a_i^{t}"),
    ("extract", "M = A(A^tA)^{-1}A^t = A A^T = I - B B^T"),
    ("average", "q = t k_a^t k_a (k_a + k_b) = t(k_a + k_b)"),
    ("average", "q = C^t(k_a + k_b)"),
    ("average", "q = C(k_a + k_b) = C k_a + C k_b, C → ∞"),
    ("average", "q = C ⟨k_a, k_a⟩ (k_a + k_b)"),
    ("copy", "k_j^t q ≫ k_i^t q for all i ≠ j"),
    ("copy", r"\langle k_j, q\rangle \gg \left\langle k_i, q \right\rangle"),
    ("extract", "M = A(A^TA)^{-1}A^T"),
    ("average", "q = C(k_a + k_b)"),
    ("average", r"q = \frac{t}{2}(u_a+u_b)"),
    ("average", "q = e^C(k_a + k_b)"),
    ("average", "q = -C Σ_{i≠a,b} k_i"),
    ("average", "α_a = e^C/(2e^C + n - 2)"),
    ("average-norm-noise", "α_a = 1/(1 + e^{-Cγ} + (n-2)e^{-C(1+γ)})"),
    ("average-norm-noise", "q = -C Σ_{i≠a,b} μ_i"),
    ("two-heads", r"q_1 = \lambda \mu_a", r"q_2 = \lambda \mu_b"),
    ("two-heads", "q_1 = C k_b; q_2 = t k_a"),
    ("two-heads", "q_1 = C_1 k_a, q_2 = C_2 k_b"),
    ("average", "q = C(k_a + k_b) - t Σ_i k_i"),
    ("average", "q = C(k_a + k_b) + k_a/t"),
    # Slow, late, and at the mercy of rounding.
    ("copy", "q = C^{0.1} k_j"),
    ("copy", "q = (C - 10^7)k_j"),
    ("average", "q = (C+1)^3 k_a + (C^3+3C^2+3C+1)k_b"),
    ("average", "q = e^{2C}k_a + (e^C)^2 k_b"),
    ("copy", "q = C k_j + e^C Σ_i k_i"),
    ("copy", "q = (C + ln C)k_j - C k_j"),
    ("copy", "q = C^{0.01} k_j"),
    ("copy", "q = C Σ_i k_i + ln(C) k_j"),
    ("average", "q = ln(ln C)(k_a + k_b)"),
    ("average", "q = (C + ln n)(k_a + k_b)"),
    ("average", "q = e^{e^C}(k_a + k_b) + k_a/C"),
    ("copy", "q = C² ln(1 + 1/C) k_j"),
    # The vanishing variance as a small parameter.
    ("average-noisy", "q = ln(ln(1/α))(μ_a + μ_b)"),
    ("average-noisy", "q = α^{-1/4}(μ_a + μ_b)"),
    ("average-noisy", "q = ln(1/α)(μ_a + μ_b)"),
    # As people spell it.
    ("average", "q = C times (k_a + k_b)"),
    ("copy", r"q = C \hat{k}_j"),
    ("extract", "M = A pinv(A)"),
    ("extract", "M = A A^+"),
    ("extract", r"M = A A^\dagger"),
    ("average-norm-noise", r"-C \sum_{i \in [n] \setminus \{a,b\}} \mu_i"),
    ("two-heads", r"\begin{cases} q_1 = C\mu_a \\ q_2 = C\mu_b \end{cases}"),
    # As the write-ups spell it, and conditions, small constants and gradients.
    ("two-heads", "q_a = λμ_1", "q_b = λμ_2"),
    ("two-heads", "q_1 = C μ_b", "q_2 = t μ_a"),
    ("copy", "q = k_j/s, s → 0"),
    ("copy", r"k_j^T q \gg k_i^T q"),
    ("copy", "2 q^T k_j ≫ 2 q^T k_i for all i ≠ j"),
    ("copy-margin", "Δ = ln(n-1) + ln(1-ε) - ln ε"),
    ("average-scale", "C = ln(n-2) + ln(1/(4ε) - 1/2)"),
    ("perplexity-base", r"P = \exp(J \ln b)"),
    ("softmax-gradient", r"\frac{\partial CE}{\partial \theta} = \hat{y} - y"),
    ("softmax-gradient", "∂ŷ/∂θ = diag(ŷ)(I - (diag(ŷ)^{-1} ŷᵀ) ŷ)"),
    # Vectors as columns, and a formula for one entry.
    ("softmax-gradient", "∂ŷ/∂θ = diag(ŷ) − ŷ ŷ^T"),
    ("softmax-gradient", "∂ŷ_i/∂θ_j = ŷ_i(δ_ij − ŷ_j)"),
    ("softmax-gradient", "∂ŷ_i/∂θ_j = ŷ_j(δᵢⱼ − ŷ_i)"),
    ("softmax-gradient", "∂ŷ_a/∂θ_b = ŷ_a(1[a=b] − ŷ_b)"),
    ("softmax-gradient", r"\frac{\partial \hat{y}_i}{\partial \theta_j} = \hat{y}_i(\delta_{ij} - \hat{y}_j)"),
    ("softmax-gradient", r"∂ŷ_i/∂θ_j = \hat{y}_i(\mathbb{1}\{i=j\} - \hat{y}_j)"),
    ("softmax-gradient", "∂CE/∂θ_j = ŷ_j - y_j"),
    ("network-gradients", "∂J/∂x = (((ŷ - y) W_2^T) ⊙ h ⊙ (1 - h)) W_1^T"),
    ("network-gradients", "∂J/∂b_1 = (ŷ - y) W_2^T ⊙ σ'(x W_1 + b_1)"),
    ("network-gradients", "∂J/∂W_1 = x^T ((ŷ - y) W_2^T ⊙ (h - h ⊙ h))"),
    # Powers and quotients entry by entry, the identity beside a matrix, and a name of the answer's own.
    ("network-gradients", "∂J/∂W_1 = x^T ((ŷ - y) W_2^T ⊙ (h - h²))"),
    ("network-gradients", "∂J/∂x = (ŷ - y) W_2^T diag(h)(I - diag(h)) W_1^T"),
    ("network-gradients", "∂J/∂x = δ W_1^T, δ = (ŷ - y) W_2^T ⊙ h ⊙ (1 - h)"),
    ("network-gradients", "δ_2 = ŷ - y, ∂J/∂W_2 = h^T δ_2"),
    ("softmax-gradient", "∂CE/∂θ = -(y/ŷ)(diag(ŷ) - ŷ^T ŷ)"),
    ("softmax-gradient", r"∂CE/∂θ = e^θ/\sum_i e^{θ_i} - y"),
    # The least value, inner products of columns, and a base that is no prime number.
    ("copy-margin", r"Δ \geq \ln\frac{(n-1)(1-ε)}{ε}"),
    ("average-scale", "C ≥ ln((n-2)(1-2ε)/(4ε))"),
    ("copy", "k_j·q >> k_i·q for i ≠ j"),
    ("perplexity-base", "P = 10^{J log_{10}(b)}"),
    ("self-attention", *D_VALUES, "Q = (u_d u_a^T + u_c u_d^T)/β²"),
    ("self-attention", "V = (u_b u_b^T - u_c u_c^T)/‖u_a‖²", "Q = C u_d u_a^T + C u_c u_d^T"),
    # Several constants, right on every path, or on every path with the relation that the answer states.
    ("copy", "q = C k_j + t k_j"),
    ("copy", "q = C k_j - ln(t) Σ_{i≠j} k_i + k_j/t"),
    ("average", "q = sqrt(C t)(k_a + k_b)"),
    ("average", "q = (C t - 1)(k_a + k_b) - e^t Σ_{i≠a,b} k_i"),
    ("average", "q = C(k_a + k_b) + t Σ_{i≠a,b} k_i, C ≫ t"),
    ("average", "q = C(k_a + k_b) + D Σ_{i≠a,b} k_i, D ≪ C"),
    ("average", "q = C(k_a + k_b) + (t + s) Σ_{i≠a,b} k_i, C ≫ t, s ≪ C"),
    ("average", "q = C(k_a + k_b) + s² Σ_{i≠a,b} k_i, √C ≫ s ≫ t"),
    ("average", "q = e^C(k_a + k_b) + t Σ_{i≠a,b} k_i, e^C ≫ t"),
    ("average", "q = ln(C)(k_a + k_b) + t Σ_{i≠a,b} k_i, ln C ≫ t"),
    ("average", "q = (C - 3t)²(k_a + k_b) where C ≫ t"),
    ("average", "q = C(k_a + k_b), C ≫ ln n"),
    ("copy", "q = (1/s - C)k_j, s → 0, s ≪ 1/C"),
    ("average-noisy", "q = C(μ_a + μ_b), C ≪ 1/√α"),
    ("average-noisy", "q = C(μ_a + μ_b), C√α ≪ 1"),
    ("average-scale", "C > ln((n-2)(1-2ε)/(4ε))"),
    # As people spell it: the large constant in words, and the unknown on the right.
    ("average", "q = C(k_a + k_b) where C is a large positive constant"),
    ("extract", "A A^T = M"),
    ("extract", "M = A I_m A^T"),
    ("copy", "exp(k_j^T q) ≫ Σ_{i≠j} exp(k_i^T q)"),
    ("copy", "e^{k_j^T q} >> e^{k_i^T q} for all i ≠ j"),
    ("copy", r"k_j^T q \gg \max_{i \neq j} k_i^T q"),
]


@pytest.mark.parametrize(("problem", "formulas"), [(problem, formulas) for problem, *formulas in HOLDS])
def test_right_answers_hold(problem, formulas):
    found = check(problem, *formulas)
    assert (found.verdict, found.condition, found.suggestion, found.counterexample) == ("holds", "", None, None)


WRONG = [
    # In floating point a large term swallows a small one; in truth the small one decides.
    ("average", "q = C²(k_a + k_b) + k_a", "q = C²(k_a + k_b)"),
    ("average", "q = 1000C²(k_a + k_b) + k_a", "q = 1000C²(k_a + k_b)"),
    ("average", "q = C³(k_a + k_b) + k_a", "q = C³(k_a + k_b)"),
    ("average", "q = C³k_a + (C³ + 1)k_b", "q = C³ k_a + C³ k_b"),
    ("average", "q = C⁴(k_a + k_b) + k_b", "q = C⁴(k_a + k_b)"),
    ("average", "q = e^C(k_a + k_b) + k_a", "q = e^C(k_a + k_b)"),
    ("average", "q = e^C(k_a + k_b) + k_b", "q = e^C(k_a + k_b)"),
    ("average", "q = e^C(k_a + k_b) + C k_a", "q = e^C(k_a + k_b)"),
    ("average", "q = C(k_a + k_b) + ln(C)k_a", "q = C(k_a + k_b)"),
    ("average", "q = C(k_a + k_b) + C^{1/10}k_a", "q = C(k_a + k_b)"),
    ("average", "q = C k_a + (C - ln C)k_b", "q = C k_a + C k_b"),
    ("average-noisy", "q = C(μ_a + μ_b) + ln(C)μ_a", "q = C(μ_a + μ_b)"),
    ("average", "q = 10^{20}(k_a + k_b) + k_a", "q = 10²⁰(k_a + k_b)"),
    # Right for every n but one, or up to one.
    ("average", "q = C(n - 5)²(k_a + k_b)", "q = C(k_a + k_b)"),
    ("average", "q = C(n - 1000003)²(k_a + k_b)", "q = C(k_a + k_b)"),
    ("average", "q = C(1000 - n)(k_a + k_b)", "q = C(k_a + k_b)"),
    ("average", "q = C ln(n/7)²(k_a + k_b)", None),
    ("average", "q = C(ln n - ln 6007)²(k_a + k_b)", None),
    ("average", "q = C(√n - 100)²(k_a + k_b)", None),
    ("average", "q = C(2^n - 2^{50})²(k_a + k_b)", None),
    ("average", "q = (C^n - C^{37})²(k_a + k_b)", None),
    # With two keys every query averages, so another number of dimensions is tried with more keys.
    ("average", "q = C(d - 7)²(k_a + k_b)", None),
    ("average", "q = C(d - n - 3)²(k_a + k_b)", None),
    # A number of vectors that has no name.
    ("average", "q = C(‖Σ_i k_i‖² - 37)²(k_a + k_b)", None),
    ("average", "q = C((Σ_i k_i)^T(Σ_i k_i) - 37)²(k_a + k_b)", None),
    ("average", "q = C(Σ_i k_i^T k_i - 5)²(k_a + k_b)", None),
    ("average", "q = C(Σ_{i≠a,b} 1 - 29)²(k_a + k_b)", None),
    ("extract", "M = A A^T(1 + (‖A‖² - 1)(‖A‖² - 2)(‖A‖² - 4))", "M = A Aᵀ"),
    ("extract", "M = A A^T(1 + (‖I‖² - 2)(‖I‖² - 3)(‖I‖² - 5)(‖I‖² - 8))", "M = A Aᵀ"),
    ("softmax-gradient", "∂CE/∂θ = ŷ - y + (‖I‖² - 2)(‖I‖² - 3)(‖I‖² - 5) y", None),
    # Every part of a chain must hold; t is a transpose; an inner product of orthogonal vectors is 0.
    ("extract", "M = A A^T = A^T", "M = A Aᵀ"),
    ("extract", "M = 2 A A^T = A A^T", "M = A Aᵀ"),
    ("extract", "M = A^t A", "M = A Aᵀ"),
    ("average", "q = C(k_a + k_b) = C k_a", "q = C(k_a + k_b)"),
    ("average", "q = C ⟨k_a, k_b⟩ (k_a + k_b)", None),
    ("copy", "⟨k_i, q⟩ ≫ ⟨k_j, q⟩", None),
    # Nearly equal is not equal.
    ("extract", "M = A Aᵀ + 10^{-30} B Bᵀ", "M = A Aᵀ"),
    ("extract", "M = a_1 a_1^T", "M = A Aᵀ"),
    ("average-norm-noise", r"c \to v_a", None),
    # The other way round, a condition on one key alone, and one head for both.
    ("copy", "k_i^T q ≫ k_j^T q", None),
    ("copy", "k_j^T q ≫ 0", None),
    ("two-heads", "q_1 = C(μ_a + μ_b) + ln(2)μ_a, q_2 = C(μ_a + μ_b) + ln(2)μ_b", "q_1 = C μ_a, q_2 = C μ_b"),
    ("two-heads", "q_1 = C μ_a, q_2 = C μ_a", "q_1 = C μ_a, q_2 = C μ_b"),
    ("softmax-gradient", "∂CE/∂θ = y - ŷ", None),
    ("softmax-gradient", "∂CE/∂θ_j = y_j - ŷ_j", None),
    ("softmax-gradient", "∂ŷ/∂θ = diag(ŷ) + ŷ ŷ^T", None),
    ("softmax-gradient", "∂ŷ/∂θ = diag(ŷ) - 2 ŷ ŷ^T", None),
    ("softmax-gradient", "∂ŷ_i/∂θ_j = ŷ_i(δ_ij + ŷ_j)", "∂ŷ_i/∂θ_j = ŷ_i(δ_ij − ŷ_j)"),
    ("softmax-gradient", "∂ŷ_i/∂θ_j = ŷ_j(δ_ij − ŷ_j)", None),
    ("softmax-gradient", "∂ŷ_i/∂θ_j = ŷ_i(δ_ij − (1 + 10^{-30}) ŷ_j)", None),
    ("softmax-gradient", "∂ŷ_i/∂θ_j = ŷ", None),
    ("network-gradients", "∂J/∂x = ((ŷ - y) W_2^T ⊙ h) W_1^T", None),
    ("network-gradients", "∂J/∂W_2 = (ŷ - y)^T h", None),
    ("perplexity-base", "P = e^J", None),
    ("copy-margin", "Δ = ln((n-1)/ε)", None),
    ("copy-margin", "Δ ≥ ln((n-1)/ε)", None),
    ("perplexity-base", "P = 10^{J log_{10}(b)} + 10^{-30}", None),
    ("network-gradients", "∂J/∂x = δ W_1^T, δ = (ŷ - y) W_2^T ⊙ h", None),
    ("network-gradients", "∂J/∂x = (ŷ - y) W_2^T diag(h)(1 - diag(h)) W_1^T", None),
    ("softmax-gradient", "∂CE/∂θ = (y/ŷ)(diag(ŷ) - ŷ^T ŷ)", None),
    ("copy", "k_i·q >> k_j·q", None),
    ("copy", "e^{k_i^T q} ≫ e^{k_j^T q}", None),
    ("copy", "k_j^T q ≫ Σ_{i≠j} k_i^T q", None),
    # Noise in the keys grows with the query.
    ("average-noisy", "q = (μ_a + μ_b)/α", "q = C(μ_a + μ_b)"),
    ("average-noisy", "q = α^{-1/2}(μ_a + μ_b)", "q = C(μ_a + μ_b)"),
    # Wrong on a path of several constants, and in each regime; or the answer states the wrong regime, or number.
    ("average", "q = (C + t)(k_a + k_b) + ln(C/t)² k_a", "q = (C + t)(k_a + k_b)"),
    ("average", "q = C k_a + 1.2537 t k_b", None),
    ("average", "q = C(k_a + k_b) + (C/t) k_a + (t/C) k_b", "q = C(k_a + k_b)"),
    ("average", "q = C(k_a + k_b) + t Σ_{i≠a,b} k_i, t ≫ C", None),
    ("average", "q = C(k_a + k_b) + t Σ_{i≠a,b} k_i, t = C²", None),
    ("copy", "q = (C - t)k_j, C ≪ t", None),
    ("average-noisy", "q = C(μ_a + μ_b), C ≫ 1/√α", "q = C(μ_a + μ_b)"),
    ("average", "q = C(k_a + k_b), C = 1", "q = C(k_a + k_b)"),
    ("two-heads", "q_1 = (C-t) μ_a, q_2 = (t-C) μ_b", None),
]


@pytest.mark.parametrize(("problem", "formula", "right"), WRONG)
def test_wrong_answers_that_rounding_would_let_pass_fail(problem, formula, right):
    found = check(problem, formula)
    assert found.verdict == "fails"
    if right is not None:
        assert found.suggestion == right
        assert check(problem, right).holds


@pytest.mark.parametrize(
    ("problem", "formula", "expected"),
    [
        ("average", "α_a ≥ 0", "expected α_a = …, got ≥, which only the least value of a number may have"),
        ("network-gradients", "∂J/∂x = δ W_1^T, δ = δ", "expected predictions only, got δ too"),
    ],
)
def test_at_least_and_names_of_the_answers_own_are_read_only_where_they_mean_something(problem, formula, expected):
    with pytest.raises(FormulaError, match=re.escape(expected)):
        check(problem, formula)


def test_a_formula_that_cannot_be_decided_is_said_to_be_so():
    """e^C(e^(1/C − e^(−C)) − e^(1/C)) → −1: no series in 1/C ever meets e^(−C)."""
    found = check("average", "q = C(k_a + k_b) + e^C(e^{1/C - e^{-C}} - e^{1/C} + e^{-C}) k_a")
    assert (found.verdict, found.holds) == ("undecided", False)
    assert found.reason == "the lab cannot decide about it: its terms cancel further than the lab can follow"


@pytest.mark.parametrize("formula", ["q = C k_j/(1 + s C), s → 0", "q = √(C + t) k_j"])
def test_an_answer_whose_growth_no_proof_covers_is_undecided(formula):
    found = check("copy", formula)
    reason = "the lab cannot decide about it: it depends on which of its constants grows faster"
    assert (found.verdict, found.reason) == ("undecided", reason)


def test_a_condition_on_something_else_than_differences_of_logits_is_undecided():
    for condition in ("e^{k_j^T q} ≫ Σ_i e^{k_i^T q}", "2 e^{k_j^T q} ≫ e^{k_i^T q}"):
        assert check("copy", condition).verdict == "undecided"


def test_how_large_several_constants_must_be_is_not_told():
    """(C − 3t)² is 0 for C = 3 and t = 1, and for every C = 3t."""
    found = check("average", "q = (C - 3t)²(k_a + k_b), C ≫ t")
    assert (found.verdict, found.large_enough, found.reason) == ("holds", None, "")


UNSEARCHED = {
    "q = C(n - d - 1)²(k_a + k_b) + C(d - 7)²(n - 7)²(k_a + k_b)": "d and n",
    "q = C(2^n - n³ - 5)²(k_a + k_b)": "n",
}


@pytest.mark.parametrize("formula", UNSEARCHED)
def test_an_answer_that_may_fail_at_a_size_that_no_search_finds_is_undecided(formula):
    found = check("average", formula)
    expected = f"the lab cannot decide about it: it is not known for which {UNSEARCHED[formula]} a part of it vanishes"
    assert (found.verdict, found.reason) == ("undecided", expected)


def test_answers_that_name_or_count_a_size_and_are_right_hold():
    for scale in ("C/√d", "C(n + d)", "(C + ln n)", "C(n² - n + 1)", "(C^n + C)", "C k_a^T (Σ_i k_i)", "C/‖Σ_i k_i‖"):
        assert check("average", f"q = {scale} (k_a + k_b)").verdict == "holds", scale


def test_the_logarithm_of_a_number_with_hundreds_of_digits_is_not_waited_for():
    """Its value is a sum of logarithms of primes, and nobody can find those of such a number."""
    assert check("copy-margin", f"Δ = ln((n-1)({'C' * 300}-ε)/ε)").verdict == "fails"
    with pytest.raises(UndecidedError, match="too large to factor"):
        prime_factors(Fraction(10**200 + 1234567))
    assert prime_factors(Fraction(1_000_003**9 * 7, 2)) == {1_000_003: 9, 7: 1, 2: -1}


CONDITIONS = {
    ("average-noisy", "q = C(μ_a + μ_b)"): "C is large but not too large: at α = 1e−6, from 5.28 to 21",
    ("two-heads-norm-noise", "q_1 = C μ_a, q_2 = C μ_b"): "γ > −1, which is so in 92.1 % of the draws",
    ("average", "α_a = e^C/(2e^C)"): "C is large: right in the limit, but not equal",
    ("average", "α_a = e^C/(2e^C + n)"): "C is large: right in the limit, but not equal",
    ("average", "α_a = e^C/(2e^C + n - 2 + 10^{-9})"): "C is large: right in the limit, but not equal",
    ("average", "α_a = ½ + 1/C"): "C is large: right in the limit, but not equal",
    ("average", "α_a = e^t/(2e^t + n - 2)"): "C and t are large: right in the limit, but not equal",
    ("average", "q = 20(k_a + k_b)"): "n ≤ 10: the error is within 1 %, but no constant makes it smaller",
    ("average-noisy", "q = 100(μ_a + μ_b)"): "α ≤ 5e-08, as α vanishes",
    ("copy", "q = (t - C)k_j"): "t ≫ C",
    ("copy", "q = C/t k_j"): "C ≫ t",
    # Terms that cancel where two constants meet: (C − 3t)² is 0 for C = 3t.
    ("copy", "q = (C-t)² k_j"): "C ≫ t",
    ("copy", "q = (C-κ)² k_j"): "C ≫ κ",
    ("copy", "q = (C - 1/s)² k_j, s → 0"): "C ≫ 1/s",
    ("copy", "q = e^t k_j + C Σ_{i≠j} k_i"): "t ≫ C",
    ("copy", "q = C k_j + t^{1.4} Σ_{i≠j} k_i"): "C ≫ t^{1.4}",
    ("average", "q = (C-3t)²(k_a+k_b)"): "C ≫ t",
    ("average", "q = (C-t²)²(k_a+k_b)"): "t ≫ C",
    ("average", "q = (C²-2Ct+t²)(k_a+k_b)"): "C ≫ t",
    ("average", "q = ln(C)(k_a+k_b) + t Σ_{i≠a,b} k_i"): "ln(C) ≫ t",
    ("average", "q = C(k_a + k_b) + (t + s) Σ_{i≠a,b} k_i"): "C ≫ t ≫ s",
    ("two-heads", "q_1 = (C-2t)² μ_a, q_2 = (C-2t)² μ_b"): "C ≫ t",
    ("average-noisy", "q = C α^{-1/3}(μ_a + μ_b)"): "1/α^{(1/6)} ≫ C",
    ("average", "q = C(k_a + k_b), C = 100"): "n ≤ 10: the error is within 1 %, but no constant makes it smaller",
    ("average", "α_a = e^{t/1.2537}/(2e^{t/1.2537} + n - 2)"): "C and t are large: right in the limit, but not equal",
}


@pytest.mark.parametrize("answer", CONDITIONS)
def test_some_hold_under_a_condition_and_it_is_said(answer):
    found = check(*answer)
    assert (found.verdict, found.condition, found.holds) == ("holds if", CONDITIONS[answer], True)


# A wrong answer, why it fails, and what was meant.
FAILS = {
    ("extract", "M = A^T"): ("M should be d×d, but Aᵀ is m×d", "M = A Aᵀ"),
    ("extract", "M = A^T A"): ("M should be d×d, but Aᵀ A is m×m", "M = A Aᵀ"),
    ("extract", "M = -A A^T"): ("M(v_a + v_b) is (−3, 0), where (3, 0) is wanted (d = 2, m = 1, p = 1)", "M = A Aᵀ"),
    ("extract", "M = B B^T"): ("M(v_a + v_b) is (0, −2), where (3, 0) is wanted (d = 2, m = 1, p = 1)", "M = A Aᵀ"),
    ("two-heads", r"q_1 = \mu_a", r"q_2 = \mu_b"): (
        "c_1 is 0.576 v_a + 0.212 v_b + 0.212 v_3, where v_a is wanted (n = 3)",
        "q_1 = C μ_a, q_2 = C μ_b",
    ),
    ("self-attention", *D_VALUES, "Q = (u_d u_a^T - u_c u_d^T)/β²"): (
        "c_1 is ½ u_b, where u_b − u_c is wanted, as β grows (d = 4)",
        "V = (u_b u_bᵀ − u_c u_cᵀ)/β², K = I, Q = (u_d u_aᵀ + u_c u_dᵀ)/β²",
    ),
    ("self-attention", "V = u_b u_b^T - u_c u_c^T", "Q = (u_d u_a^T + u_c u_d^T)/β²"): (
        "c_1 is 1e+06 u_b − 1e+06 u_c, where u_b − u_c is wanted (d = 4, β = 1000)",
        "V = (u_b u_bᵀ − u_c u_cᵀ)/β², Q = (u_d u_aᵀ + u_c u_dᵀ)/β²",
    ),
    ("average", "q = C(k_a - k_b)"): (
        "c is v_a, where ½ v_a + ½ v_b is wanted, as C grows (n = 3)",
        "q = C(k_a + k_b)",
    ),
    ("average", "q = C k_a"): ("c is v_a, where ½ v_a + ½ v_b is wanted, as C grows (n = 3)", "q = C(k_a + k_b)"),
    ("average", "q = C k_a + t k_b"): (
        "c is v_b, where ½ v_a + ½ v_b is wanted, as C and t grow (n = 3)",
        "q = C(k_a + k_b)",
    ),
    # The limit, which no constant that can be shown comes near: C^{1/10} is 2 for C = 1000.
    ("average", "q = C(k_a + k_b) + C^{1/10}k_a"): (
        "c is v_a, where ½ v_a + ½ v_b is wanted, as C grows (n = 3)",
        "q = C(k_a + k_b)",
    ),
    ("average", "q = C(k_a + k_b) + 10^{-10} C k_a"): (
        "c is v_a, where ½ v_a + ½ v_b is wanted, as C grows (n = 3)",
        "q = C(k_a + k_b)",
    ),
    ("average", "q = k_a/0"): ("the answer divides by 0", "q = C(k_a + k_b)"),
    ("average-norm-noise", "q = C(μ_a + μ_b)"): (
        "c is v_a, where ½ v_a + ½ v_b is wanted, as C grows (n = 3, γ = 0.5)",
        "q = −C Σ_{i≠a,b} μ_i",
    ),
    ("average-norm-noise", "c = v_a"): ("c is v_b, not v_a, as C grows (n = 3, γ = −0.5)", None),
    ("average-norm-noise", "α_a = 1/(1 + e^{Cγ} + (n-2)e^{-C(1+γ)})"): (
        "α_a is 1, not 0, as C grows (n = 3, γ = 0.5)",
        "α_a = 1/(1 + e^{−C γ} + (n − 2) e^{−C(1 + γ)})",
    ),
}


@pytest.mark.parametrize("answer", FAILS)
def test_wrong_answers_fail_with_the_reason_and_what_would_be_right(answer):
    found = check(*answer)
    assert found.verdict == "fails"
    assert (found.reason, found.suggestion) == FAILS[answer]
    json.dumps(found.counterexample, allow_nan=False)
    if found.suggestion:
        assert check(answer[0], found.suggestion).holds


NEVER = [
    ("average", "q = 1.5C k_a + t k_b"),
    ("average", "q = C(k_a + k_b) + k_a"),
    ("average", "q = C k_a + (C + 0.001)k_b"),
    ("average", "q = C(k_a + 1.0000000001 k_b)"),
    ("average", "q = (C - C²/10^8)(k_a + k_b)"),
    ("average", "α_a = 0.5005"),
    ("copy", "q = (10^8 - C)k_j"),
    ("extract", "M = (3C/(2t)) A A^T"),
    ("extract", "M = (1 - 1/C) A A^T"),
    ("extract", "M = A A^T (1 + 10^{-10})"),
    ("self-attention", "V = (1.0009 u_b u_b^T - u_c u_c^T)/β², Q = (u_d u_a^T + u_c u_d^T)/β²"),
]


@pytest.mark.parametrize("answer", NEVER)
def test_nearly_right_is_not_right(answer):
    found = check(*answer)
    assert found.verdict == "fails"
    numbers = found.counterexample
    assert numbers is not None
    assert numbers["got"] != numbers["wanted"] or "apart" in found.reason


def test_a_slip_is_named():
    assert check("two-heads", "q_1 = μ_a, q_2 = μ_b").slip.startswith("the scale is missing")
    assert check("extract", "M = A^T").slip == "a factor is missing"
    assert check("average", "q = C(k_a - k_b)").slip == "a sign is wrong"
    assert check("average-norm-noise", "q = C(μ_a + μ_b)").slip == ""


@pytest.mark.parametrize("problem", problems())
def test_samples_get_the_verdicts_that_their_problem_states(problem):
    """The contract of every problem; a teacher's is held to it by `attnlab check --problem`."""
    samples = find_problem(problem).samples
    assert {sample.verdict for sample in samples} >= {"fails"}
    assert any(sample.verdict.startswith("holds") for sample in samples)
    for sample in samples:
        assert check(problem, sample.answer).verdict == sample.verdict, sample.answer


@pytest.mark.parametrize(("formula", "heads"), [("q = C(k_a + k_b)", 1), ("q = C k_a", 1)])
def test_a_counterexample_is_what_attention_does(formula, heads):
    """Against the attention bench, which knows nothing of formulas."""
    found = check("average", formula.replace("+", "- "))
    numbers = found.counterexample
    assert numbers is not None
    n = numbers["n"]
    keys = torch.eye(n, dtype=torch.float64)
    attended = attention.attend(torch.tensor(numbers["q"], dtype=torch.float64), keys, keys)
    np.testing.assert_allclose(attended.output, numbers["got"], atol=1e-6)


@pytest.mark.parametrize("factor", [0.05, 0.5, 1, 3, 20])
def test_how_large_is_large_enough_is_the_closed_form(factor):
    """|α_a − ½| ≤ 1 % from C = ln((n−2)(1−2ε)/(4ε)) on; a factor before C divides it."""
    found = check("average", f"q = {factor} C(k_a + k_b)")
    assert found.large_enough == pytest.approx(np.log(8 * 0.98 / 0.04) / factor, rel=1e-6)


def test_without_a_large_constant_one_percent_is_asked():
    assert check("average", "q = 20(k_a + k_b)").verdict == "holds if"
    assert check("average", "q = 3(k_a + k_b)").verdict == "fails"
    assert check("average", "q = 100(k_a + k_b)").reason == "the error is below 0.01 %"
    # ½ − e⁶/(2e⁶ + 8) is 0.49088 %, and the bound is rounded up
    assert check("average", "q = 6(k_a + k_b)").reason == "the error is at most 0.491 %"


REFUSED = {
    ("average", "M = A"): "the problem does not ask for M: expected q = …, or α_a, α_b, c = …",
    ("average", "q = x"): "'q = x': x is not a symbol of this problem; "
    "its symbols are k_a, k_b, v_a, v_b, C, t, β, λ, κ, τ, s, n, d, e, π",
    ("extract", "A^T + xyz"): "'M = Aᵀ + x y z': x is not a symbol of this problem; "
    "its symbols are A, B, I, C, t, β, λ, κ, τ, s, d, m, p, e, π; 'xyz' is read as 'x·y·z'",
    ("two-heads", "q_1 = C μ_a", "q_2 = k_ab"): "'q_2 = k_a b': b is not a symbol of this problem; "
    "its symbols are μ_a, μ_b, v_a, v_b, C, t, β, λ, κ, τ, s, n, d, e, π; 'k_ab' is read as 'k_a·b'",
    ("average-noisy", "q = C(k_a + k_b)"): "'q = C(k_a + k_b)': k_a is not known in advance, so an answer cannot use "
    "it; it may use μ_a, μ_b, v_a, v_b, α, C, t, β, λ, κ, τ, s, n, d, e, π",
    ("extract", ""): "expected a formula such as M = …, got an empty text",
    ("two-heads", "C ≫ 0"): "expected a formula such as q_1 = … and q_2 = …, got only a condition",
    ("two-heads", "q_1 = C μ_a"): "expected a formula for q_2 too: q_1 = … and q_2 = …",
    ("two-heads", "C μ_a"): "expected q_1 = … and q_2 = …, got C μ_a without a left side",
    ("self-attention", "Q = I"): "expected a formula for V too: Q = … and V = …",
    (
        "extract",
        "M = A^999999999",
    ): "'M = A⁹⁹⁹⁹⁹⁹⁹⁹⁹': A⁹⁹⁹⁹⁹⁹⁹⁹⁹: expected a matrix to a whole power of at most 20, such as A⁻¹ or A²",
    ("average", "c = v_a, q = k_a"): "expected predictions only, got q too",
    ("average", "q = C k_a, C k_b"): "expected q = …, or α_a, α_b, c = …, got C k_b without a left side",
    ("average", "q = C(k_a + k_b), n ≫ C"): "n ≫ C: expected a large constant far above something else, as in C ≫ t",
    ("average", "q = C(k_a + k_b) + t k_a, C ≫ t, t ≫ C"): "expected relations that can hold together, got constants "
    "that are far above each other",
    ("average", "q = C(k_a + k_b) + t k_a, C > t"): "expected ≫ (far greater), got >: 'C > t'",
    ("copy", "k_j^T q > k_i^T q"): "expected ≫ (far greater), got >: 'k_jᵀ q > k_iᵀ q'",
    ("copy", "q = max_i k_i"): "expected max only in a condition such as k_jᵀ q ≫ max_{i≠j} k_iᵀ q",
    ("average", "q = C n k_a, n >> 0"): "the problem gives n, so an answer cannot declare it large",
    ("average", "q = C k_a, k_a >> 0"): "the problem gives k_a, so an answer cannot declare it large",
}


@pytest.mark.parametrize("answer", REFUSED)
def test_what_was_not_asked_is_refused(answer):
    with pytest.raises(FormulaError) as refused:
        check(*answer)
    assert str(refused.value) == REFUSED[answer]


def test_a_problem_that_is_none_is_refused_with_a_hint():
    with pytest.raises(ArgumentError) as refused:
        check("averge", "q = k_a")
    assert str(refused.value).startswith("PROBLEM: expected copy, copy-margin, extract, ")
    assert str(refused.value).endswith("got 'averge'; did you mean average?")


@pytest.mark.parametrize("problem", problems())
def test_instances_differ_in_size_and_in_what_is_random(problem):
    tried = instances(find_problem(problem))
    assert len({tuple(each.sizes.items()) for each in tried}) >= 3
    assert {each.seed for each in tried} == {0, 1}


@settings(deadline=None, max_examples=60)
@given(st.text(alphabet="qkabC_+-*/()^{}T=ΣMA'½², \\", max_size=30))
def test_no_text_breaks_the_checker(text):
    for problem in ("average", "extract"):
        with contextlib.suppress(FormulaError):
            assert check(problem, text).verdict in ("holds", "holds if", "fails", "undecided")


def test_the_same_answer_gets_the_same_verdict_again():
    first, second = (check("average", "q = C(k_a - k_b)").to_dict() for _ in range(2))
    assert first == second
    assert str(parse("q = C(k_a-k_b)")) == check("average", "q = C(k_a-k_b)").answer


@pytest.mark.parametrize("answer", ["α_a = \\frac{e^C}{2e^C ^+ n - 2}", "q = k_a^+ 0^+", "q = (C 0)^+"])
def test_a_pseudo_inverse_of_zero_has_no_value(answer):
    """The search for a correction tries it with numbers, too."""
    assert not check("average", answer).holds
