"""Two ways to one verdict: a claim that is a formula, measured by its experiment, and read by the answer checker."""

import pytest

from attnlab.answers import check

FORMULAS = {
    "extracting-projector": ("extract", "M = A A^T"),
    "extracting-transpose": ("extract", "M = A^T"),
    "averaging-two": ("average", "q = C(k_a + k_b), C ≫ 0"),
    "averaging-without-others": ("average", "α_a = e^C/(e^C + e^C)"),
    "small-noise-average": ("average-noisy", "q = C(μ_a + μ_b)"),
    "norm-noise-to-a": ("average-norm-noise", "c = v_a"),
    "two-heads-scaled": ("two-heads", "q_1 = C μ_a, q_2 = C μ_b"),
    "two-heads-unscaled": ("two-heads", "q_1 = μ_a, q_2 = μ_b"),
    "two-heads-noise-average": ("two-heads-norm-noise", "q_1 = C μ_a, q_2 = C μ_b"),
    "noise-remedies-turn-away": ("average-norm-noise", "q = -C Σ_{i≠a,b} μ_i"),
    "self-attention-minus": (
        "self-attention",
        "V = (u_b u_bᵀ − u_c u_cᵀ)/β², K = I, Q = (u_d u_aᵀ − u_c u_dᵀ)/β²",
    ),
    "self-attention-plus": (
        "self-attention",
        "V = (u_b u_bᵀ − u_c u_cᵀ)/β², K = I, Q = (u_d u_aᵀ + u_c u_dᵀ)/β²",
    ),
}


@pytest.mark.parametrize("claim", FORMULAS)
def test_the_experiment_and_the_checker_agree(findings, claim):
    _, finding = findings[claim]
    assert check(*FORMULAS[claim]).verdict == finding.verdict
