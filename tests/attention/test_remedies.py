"""What helps against noisy keys: which rows there are, that each error is the true one, and the limits behind them."""

import math
import re

import jaxtyping
import pytest
import torch

from attnlab.attention import AveragingQuestion, Distribution, Remedy, distribution, remedies
from attnlab.errors import ArgumentError

TURNED = 1 - 0.9213503964748574
"""1 − Φ(√2): how often 1 + γ < 0, with γ ~ N(0, ½)."""

USUAL = {
    "one head, large scale": (1, {}),
    "one head, best scale": (1, {}),
    "two heads, best scale": (2, {}),
    "one head, keys normalised, best scale": (1, {"normalise_keys": True}),
    "two heads, keys normalised, best scale": (2, {"normalise_keys": True}),
    "one head, 1 added to softmax's denominator": (1, {"sink": 1.0}),
}


SEEN: list[str] = []
"""The rows that progress was told of."""


@pytest.fixture(scope="module")
def found() -> list[Remedy]:
    jaxtyping.config.update("jaxtyping_disable", True)  # thousands of small calls: quicker unchecked
    try:
        return remedies(AveragingQuestion(10), scale=50.0, heads=2, progress=SEEN.append)
    finally:
        jaxtyping.config.update("jaxtyping_disable", False)


def measured(setting: AveragingQuestion, queries: torch.Tensor, **options) -> Distribution:
    return distribution(setting.noisy_keys(), queries, setting.target(), **options)


def aside(keys: int) -> torch.Tensor:
    """The sum of the others' directions."""
    return torch.tensor([0.0, 0.0] + [1.0] * (keys - 2), dtype=torch.float64)


def test_the_rows_and_their_order(found):
    assert [each.name for each in found] == [
        *USUAL,
        "one head, best queries found",
        "two heads, best queries found",
        "one head that only turns the others away",
    ]
    assert [each.name for each in found if each.unbounded] == ["two heads, best scale"]
    assert {each.method for each in found} == {"exact"}


def test_each_error_is_the_true_one(found):
    """Measured again at the queries that the row names, whose four digits are enough: a best scale is a flat place."""
    setting = AveragingQuestion(10)
    for each in found[: len(USUAL)]:
        heads, options = USUAL[each.name]
        scale = re.match(r"(\S+)\(μ_a \+ μ_b\)$|.*, (?:still falling at )?C = (\S+)$", each.queries)
        assert scale
        again = measured(setting, float((scale[1] or scale[2]).replace(",", "")) * setting.directions(heads), **options)
        assert again.error == pytest.approx(each.error, abs=1e-7)
        assert each.error_bound <= 1e-9


def test_the_figures(found):
    errors = {each.name: each.error for each in found}
    assert round(errors["one head, best scale"], 4) == 0.1468
    assert errors["two heads, best scale"] == pytest.approx(TURNED / 4 * (1 + 1 / 9), abs=1e-4)
    queries = {each.name: each.queries for each in found}
    assert queries["two heads, best scale"] == "Cμ_a, Cμ_b, still falling at C = 10,000"
    assert re.fullmatch(r"−\d[\d.]* Σ μ_other", queries["one head, best queries found"])
    assert errors["one head, best queries found"] < 1e-6
    assert errors["two heads, best queries found"] < 1e-6
    assert errors["one head that only turns the others away"] < 1e-12


def test_progress_is_told_of_every_row(found):
    assert [each.name for each in found] == SEEN


@pytest.mark.parametrize("keys", [2, 4, 10])
def test_normalised_keys_keep_the_sign_of_the_noise(keys):
    """Divided by its norm, (1 + γ)μ_a is ±μ_a: the size of the noise is gone, not its sign.

    Where 1 + γ > 0, C(μ_a + μ_b) gives a and b the logit C and averages. Where 1 + γ < 0, a has −C and b has C, so that
    c → v_b, whose squared distance from ½(v_a + v_b) is ½. So the error goes to (1 − Φ(√2))/2, not to 0.
    """
    setting = AveragingQuestion(keys)
    for scale in (20.0, 1e3):
        one = measured(setting, scale * setting.directions(1), normalise_keys=True)
        assert one.error == pytest.approx(TURNED / 2, abs=(keys - 2) * math.exp(-scale) + 1e-8)
        assert float(one.weight_mean[0]) == pytest.approx((1 - TURNED) / 2, abs=1e-7)
    # With two heads, the one that looks for a looks at all the others alike instead: ¼(1 + 1/(n − 1)) in those draws.
    two = measured(setting, 1e3 * setting.directions(2), normalise_keys=True)
    assert two.error == pytest.approx(TURNED / 4 * (1 + 1 / (keys - 1)), abs=1e-8)


def test_normalising_does_remove_noise_that_cannot_turn_a_key_round():
    """At norm variance 0.01, 1 + γ < 0 is ten standard deviations away."""
    setting = AveragingQuestion(10, norm_variance=0.01)
    plain, normalised = (measured(setting, 30 * setting.directions(1), normalise_keys=each) for each in (False, True))
    assert normalised.error < 1e-9 < 0.1 < plain.error


@pytest.mark.parametrize("keys", [3, 10, 1000])
@pytest.mark.parametrize("scale", [0.5, 3.0, 100.0])
@pytest.mark.parametrize("noise", [("a",), ("a", "b")])
def test_a_query_that_only_turns_away_hears_no_norm(keys, scale, noise):
    """−C Σ μ_other leaves a and b at logit 0, whatever their norms: α_a = 1/(2 + (n − 2)e^{−C}) in every draw."""
    shaken = measured(AveragingQuestion(keys, noise, norm_variance=3.0), -scale * aside(keys))
    assert shaken.directions == 0
    assert float(shaken.weight_sd.max()) == 0.0
    expected = 1 / (2 + (keys - 2) * math.exp(-scale))
    assert float(shaken.weight_mean[0]) == pytest.approx(expected, abs=1e-15)
    assert float(shaken.weight_mean[1]) == pytest.approx(expected, abs=1e-15)


@pytest.mark.usefixtures("as_installed")
def test_two_keys_have_no_others_to_turn_away_from():
    rows = remedies(AveragingQuestion(2), heads=1)
    assert [each.name for each in rows] == [*USUAL, "one head, best queries found"]
    assert rows[0].error == pytest.approx(measured(AveragingQuestion(2), torch.full((2,), 100.0)).error)
    assert rows[-1].error < 1e-6
    assert "other" not in rows[-1].queries


def test_bad_input_is_named():
    with pytest.raises(ArgumentError, match=r"^scale: expected a number above 0 and below 1e\+150, got nan$"):
        remedies(AveragingQuestion(3), scale=math.nan)
