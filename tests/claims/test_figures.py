"""The numbers that the claims print, to the printed digits."""

import math

import pytest

SCALES = (1, 5, 10, 20, 100, 1000)


@pytest.fixture
def value(findings):
    def look(name: str, measure: str) -> float:
        (found,) = [each.value for each in findings[name][1].measures if each.name == measure]
        return found

    return look


@pytest.mark.parametrize(
    ("what", "row"),
    [
        ("E[α_a]", "0.2237 0.4947 0.5000 0.5000 0.5000 0.5000"),
        ("sd[α_a]", "0.1165 0.3860 0.4420 0.4712 0.4943 0.4994"),
        ("error", "0.2255 0.2838 0.3905 0.4440 0.4887 0.4989"),
    ],
)
def test_one_head_under_norm_noise(what, row, value):
    found = [value("norm-noise-formula", f"{what}, n = 10, C = {C}") for C in SCALES]
    assert " ".join(f"{x:.4f}" for x in found) == row


@pytest.mark.parametrize(
    ("keys", "scale", "error"), [(4, 1.248, 0.0975), (10, 2.136, 0.1468), (100, 4.464, 0.2243), (1000, 6.856, 0.2667)]
)
def test_the_best_scale_of_one_head(keys, scale, error, value):
    assert f"{value('norm-noise-large-scale', f'best C, n = {keys}'):.3f}" == f"{scale:.3f}"
    assert f"{value('norm-noise-large-scale', f'error at the best C, n = {keys}'):.4f}" == f"{error:.4f}"


def test_slips_of_norm_noise(value):
    assert f"{value('norm-noise-range', 'P(0.5 ≤ 1 + γ ≤ 1.5) = erf(½)'):.2f}" == "0.52"
    assert f"{value('norm-noise-range', 'P(1 + γ < 0)'):.3f}" == "0.079"
    spread = "standard deviation of the logit difference, C = 10", "the same if both norms were noisy"
    one, both = (value("norm-noise-both-keys", name) for name in spread)
    assert math.isclose(both / one, math.sqrt(2))
    assert abs(value("norm-noise-to-a", "P(α_a > ½), C = 1000, n = 10") - 0.5) < 1e-6


def test_two_heads_under_norm_noise(value):
    errors = [value("two-heads-noise-average", f"error, n = 10, C = {C}") for C in SCALES]
    assert " ".join(f"{x:.4f}" for x in errors) == "0.2878 0.0448 0.0310 0.0259 0.0226 0.0219"
    assert f"{value('two-heads-noise-average', 'P(k_aᵀq₁ > 0) = Φ(√2)'):.5f}" == "0.92135"
    assert f"{value('two-heads-noise-average', 'its limit ½√(p(1 − p))'):.4f}" == "0.1346"
    ratios = [
        value("two-heads-noise-small-scale", f"error of one head over that of two, n = 10, C = {C}") for C in SCALES
    ]
    assert [float(f"{x:.3g}") for x in ratios] == [0.784, 6.34, 12.6, 17.2, 21.7, 22.8]


@pytest.mark.parametrize(("keys", "scale"), [(4, "1.37"), (10, "2.17"), (100, "3.82")])
def test_where_two_heads_overtake_one(keys, scale, value):
    assert f"{value('two-heads-noise-small-scale', f'C where the errors are equal, n = {keys}'):.2f}" == scale


def test_normalised_keys_turn_round(value):
    assert f"{value('noise-remedies-normalised', 'share of keys that turn round'):.3f}" == "0.079"
    error = value("noise-remedies-normalised", "error, keys normalised, C = 100, n = 10")
    assert math.isclose(error, (1 - 0.9213503964748574) / 2, rel_tol=1e-6)


def test_two_heads_without_a_scale(value):
    assert f"{value('two-heads-unscaled', 'α_a in head 1, n = 10'):.3f}" == "0.232"


def test_the_scale_of_an_average(value):
    assert f"{value('averaging-scale', 'C for ε = 0.001, n = 10'):.4f}" == "7.5989"


def test_one_sign_halves_the_first_output(value):
    assert value("self-attention-minus", "coefficient of u_b in c₁ (wanted 1)") == 0.5
    assert value("self-attention-minus", "‖c₂ − u_b‖/β") == 0


def test_mixed_bases_give_the_power_of_ln_2(value):
    assert math.isclose(value("perplexity-mixed", "ln(mixed) / ln(perplexity)"), math.log(2))


def test_the_synthesizer_guesses_with_as_many_parameters(findings, value):
    measures = {measure.name: measure for measure in findings["synthesizer-cannot-compare"][1].measures}
    assert measures["accuracy, dot product"].value > 0.95
    guess = measures["accuracy, synthesizer"]
    assert abs(guess.value - 1 / 15) < guess.within + 0.01
    assert guess.how == "95 % interval"
    assert measures["seeds"].value >= 5
    assert value("synthesizer-blind", "largest change of a weight, synthesizer") == 0
