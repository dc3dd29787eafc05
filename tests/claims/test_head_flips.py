"""Verdicts on induction and on trained heads follow what was measured: with other measurements, they turn. The models
themselves are small here, and hardly trained."""

from dataclasses import replace
from inspect import unwrap
from random import Random
from typing import Any

import pytest
import torch

from attnlab.claims.families import induction, trained_heads
from attnlab.claims.ledger import choose
from attnlab.claims.models import induction as induction_models
from attnlab.claims.models import prose as prose_models
from attnlab.claims.models.induction import Continued, InductionModel
from attnlab.claims.models.prose import MeasuredHead, MeasuredModel
from attnlab.claims.seeds import Rate

pytestmark = pytest.mark.usefixtures("as_installed")  # see LONG in conftest.py

SLOW = tuple(3.0 - 0.02 * place for place in range(30))
SUDDEN = (*[3.0] * 12, 2.5, 1.8, 1.3, *[1.2] * 15)
AT_ONCE = (3.0, 2.0, 1.4, *[1.2] * 27)


def any_learnt(model: str, seed: int) -> InductionModel:
    """What some model might have learnt, by its seed."""
    draw = Random(f"{model} {seed}").random
    drawn, outside, fixed = (Continued(Rate(draw(), 40), draw()) for _ in range(3))
    return InductionModel(tuple(3 - place / 30 - draw() / 100 for place in range(30)), drawn, outside, fixed)


def any_measured(model: str, seed: int) -> MeasuredModel:
    """What might have been measured of some model, by its seed."""
    draw = Random(f"{model} {seed}").random
    heads = tuple(MeasuredHead(draw(), draw(), draw(), draw(), draw()) for _ in range(8))
    return MeasuredModel(3 + draw(), draw(), draw(), heads)


def verdict(name: str) -> str:
    (claim,) = choose([name])
    return claim.run().verdict


def scored(score: float, elsewhere: float | None = None, losses: tuple[float, ...] = SLOW) -> InductionModel:
    """A model whose best head has this score on lines of drawn periods, and another on those of one period."""
    here = Continued(Rate(score, 40), 0.1)
    return InductionModel(losses, here, here, Continued(Rate(score if elsewhere is None else elsewhere, 40), 0.1))


MATCHING, BLIND = scored(0.9), scored(0.1)
BY_DISTANCE = scored(0.0, 0.9)


@pytest.mark.parametrize(
    ("name", "models", "expected"),
    [
        ("two-layers", {"two layers": MATCHING, "one layer": BLIND}, "holds"),
        ("two-layers", {"two layers": MATCHING, "one layer": MATCHING}, "fails"),
        ("two-layers", {"two layers": BLIND, "one layer": BLIND}, "fails"),
        ("fixed-period", {"fixed": BY_DISTANCE}, "fails"),
        ("fixed-period", {"fixed": MATCHING}, "holds"),
        ("smeared", {"smeared": MATCHING, "one layer": BLIND}, "holds"),
        ("smeared", {"smeared": BLIND, "one layer": BLIND}, "fails"),
        ("sudden", {"two layers": SUDDEN, "smeared": AT_ONCE, "one layer": SLOW}, "holds"),
        ("sudden", {"two layers": SLOW, "smeared": AT_ONCE, "one layer": SLOW}, "fails"),
        ("sudden", {"two layers": AT_ONCE, "smeared": AT_ONCE, "one layer": SLOW}, "fails"),
    ],
)
def test_a_verdict_on_induction_follows_scores_and_losses(name, models, expected, monkeypatch):
    found = {
        model: each if isinstance(each, InductionModel) else scored(0.9, losses=each) for model, each in models.items()
    }
    monkeypatch.setattr(induction, "learnt", lambda model, seed: found[model])
    assert verdict(f"induction-{name}") == expected


def model_of(bits: float = 3.0, equal: float = 0.1, shared: float = 0.1, **heads: Any) -> MeasuredModel:
    """A model with eight heads; the n-th costs n times 0.02 bits if it is switched off."""
    made = [MeasuredHead(0.3, 0.1, 0.2, 0.02 * place, 0.02 * place) for place in range(8)]
    changed = [
        replace(head, **{name: value(place) for name, value in heads.items()}) for place, head in enumerate(made)
    ]
    return MeasuredModel(bits, equal, shared, tuple(changed))


NORMALISED = model_of(2.8, variation=lambda place: 1e-7)


@pytest.mark.parametrize(
    ("name", "models", "expected"),
    [
        ("key-lengths", {}, "holds"),
        ("key-lengths", {"plain": model_of(variation=lambda place: 0.3 if place else 0.05)}, "fails"),
        ("key-lengths", {"plain": model_of(equal=-0.01)}, "fails"),
        ("key-lengths", {"normalised": model_of(2.8)}, "fails"),
        ("qk-norm", {}, "holds"),
        ("qk-norm", {"normalised": model_of(3.1)}, "fails"),
        ("two-keys", {}, "holds"),
        ("two-keys", {"two heads": model_of(2.9, shared=-0.1)}, "fails"),
        ("zero-and-mean", {}, "holds"),
        ("zero-and-mean", {"normalised": model_of(zero=lambda place: 0.02 * ((3 * place) % 8))}, "fails"),
        ("most-can-go", {}, "fails"),
        ("most-can-go", dict.fromkeys(("plain", "normalised"), model_of(mean=lambda place: 0.001 * place)), "holds"),
        ("exact-law", {}, "fails"),
        ("exact-law", {"plain": model_of(observed=lambda place: 0.11)}, "holds"),
    ],
)
def test_a_verdict_on_trained_heads_follows_what_was_measured(name, models, expected, monkeypatch):
    usual = {"plain": model_of(), "normalised": NORMALISED, "one head": model_of(), "two heads": model_of(2.9)}
    found = usual | models

    def jittered(model: str, seed: int) -> MeasuredModel:
        each = found[model]
        return replace(each, bits=each.bits + seed % 7 / 1e4, shared=each.shared + seed % 5 / 1e5)

    monkeypatch.setattr(trained_heads, "measured", jittered)
    assert verdict(f"trained-heads-{name}") == expected


def test_rows_repeat_letters_that_no_other_row_has_in_this_order():
    found = induction_models.lines_of(10, seed=3)
    assert found.ids.shape == (induction_models.ROWS, induction_models.CONTEXT)
    assert (found.ids[:, 10:] == found.ids[:, :-10]).all()
    assert all(len(set(row[:10].tolist())) == 10 for row in found.ids)
    assert len({tuple(row.tolist()) for row in found.ids}) == induction_models.ROWS


@pytest.mark.parametrize("model", ["two layers", "smeared"])
def test_a_model_that_hardly_learnt_has_no_induction_head_and_is_the_same_again(model, monkeypatch):
    monkeypatch.setattr(induction_models, "LINES", 40)
    monkeypatch.setattr(induction_models, "TRAINING", replace(induction_models.TRAINING, steps=5, batch=2))
    found, again = (unwrap(induction_models.learnt)(model, 1) for _ in range(2))
    assert found == again
    assert len(found.losses) == 1
    assert max(each.score.value for each in (found.drawn, found.outside, found.fixed)) < 0.3


def test_what_is_measured_of_trained_models(monkeypatch):
    monkeypatch.setattr(prose_models, "TRAINING", replace(prose_models.TRAINING, steps=3, batch=2))
    windows = prose_models.held_out()[:: prose_models.WINDOWS // 4]
    monkeypatch.setattr(prose_models, "held_out", lambda: windows)
    for name in ("WINDOWS", "ROWS"):
        monkeypatch.setattr(prose_models, name, 4)
    plain, normalised, one = (unwrap(prose_models.measured)(model, 1) for model in ("plain", "normalised", "one head"))
    assert [len(each.heads) for each in (plain, normalised, one)] == [8, 8, 1]
    assert all(head.variation > 1e-2 and head.predicted > 0 for head in plain.heads)
    assert max(head.variation for head in normalised.heads) < 0.1 * min(head.variation for head in plain.heads)
    assert abs(one.shared) < 1e-6  # a single head shares its weights with nobody


def test_the_mean_output_of_a_head_is_that_over_all_windows_and_positions(monkeypatch):
    monkeypatch.setattr(prose_models, "TRAINING", replace(prose_models.TRAINING, steps=1, batch=2))
    inside, windows = prose_models._trained("normalised", 1), prose_models.held_out()[:3]
    means = prose_models.mean_outputs(inside, windows)
    seen = inside.look(windows).layers[1].outputs[:, 2].flatten(0, 1).mean(0)
    torch.testing.assert_close(means[1, 2], seen)
