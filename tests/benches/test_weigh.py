"""The weights of given keys under noise: the numbers of `robustness`, the closed form, and the law against draws."""

import csv
import math

import numpy as np
import pytest
import torch

import attnlab as al
from attnlab.benches.attention.robustness import robustness
from attnlab.benches.attention.settings import RobustnessSettings, WeighSettings
from attnlab.benches.attention.weigh import best, weigh
from attnlab.errors import ArgumentError

TRIANGLE = [[1.0, 0.0], [0.0, 1.0], [-1.0, -0.5]]
HALVES = {0: 0.5, 1: 0.5}


def test_without_noise_the_weights_are_the_softmax():
    found = weigh(TRIANGLE, [[0.3, 0.7]], {0: 1.0}, WeighSettings(scale=2, sink=1.0))
    exponentials = np.exp(2 * np.array(TRIANGLE) @ [0.3, 0.7])
    weights = exponentials / (exponentials.sum() + 1)
    assert np.allclose(found.distribution.weight_mean, weights)
    assert math.isclose(found.error, ((weights - [1, 0, 0]) ** 2).sum(), rel_tol=1e-9)
    assert np.allclose(found.to_dict()["centre"], weights @ np.array(TRIANGLE))
    assert found.law is None


@pytest.mark.parametrize("heads", [1, 2])
def test_orthonormal_keys_give_the_numbers_of_robustness(heads):
    keys = np.eye(4)
    queries = [keys[0] + keys[1]] if heads == 1 else [keys[0], keys[1]]
    asked = WeighSettings(scale=5, norm_variance=0.5, noisy=(0,))
    found = weigh(keys, np.array(queries), HALVES, asked)
    known = robustness(RobustnessSettings(keys=4, scale=5, heads=heads, quantiles=(0.05, 0.5, 0.95)))
    assert math.isclose(found.error, known.error, rel_tol=1e-9)
    assert found.law is not None
    for each in found.law.quantiles:
        assert each.low - 1e-9 <= known.quantiles[each.probability] <= each.high + 1e-9
        assert each.high - each.low < 2e-3
    assert math.isclose(float(np.dot(found.law.density, np.diff(found.law.edges))), 1.0, abs_tol=1e-6)


def test_drawn_quantiles_hold_the_exact_ones():
    asked = WeighSettings(scale=3, norm_variance=0.5, noisy=(0,), method="monte-carlo", samples=4096)
    drawn = weigh(TRIANGLE, [[1.0, 1.0]], HALVES, asked).law
    exact = weigh(TRIANGLE, [[1.0, 1.0]], HALVES, WeighSettings(scale=3, norm_variance=0.5, noisy=(0,))).law
    assert drawn is not None
    assert exact is not None
    for rough, fine in zip(drawn.quantiles, exact.quantiles, strict=True):
        assert rough.low <= fine.high
        assert fine.low <= rough.high


def test_the_best_queries_are_better_and_the_best_scale_lies_between():
    asked = WeighSettings(scale=20, norm_variance=0.5, noisy=(0,))
    given = weigh(TRIANGLE, [[1.0, 1.0]], HALVES, asked)
    scaled = best(TRIANGLE, [[1.0, 1.0]], HALVES, asked, scale_only=True)
    free = best(TRIANGLE, [[1.0, 1.0]], HALVES, asked)
    assert free.error < scaled.error < given.error
    assert min(given.curve.error) >= scaled.error - 1e-6
    assert torch.equal(scaled.scene.queries, given.scene.queries)


def test_the_call_makes_the_record_again(tmp_path, monkeypatch, again):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "keys.csv").write_text("\n".join(",".join(map(str, row)) for row in TRIANGLE))
    found = al.weigh("keys.csv", [[-1, 1], [0.5, 0]], {2: 1}, norm_variance=0.25, noisy=(0,), isotropic=0.0, key=1)
    assert "'--queries=-1.0,1.0;0.5,0.0'" in found.command
    assert again(found) == found.to_dict()
    assert "error" in repr(found)
    found.save(tmp_path / "law.svg")
    assert "quantile" in (tmp_path / "law.svg").read_text()
    rows = list(csv.DictReader(found.save(tmp_path / "law.csv").read_text().splitlines()))
    bins = [
        (float(row["weight_to"]) - float(row["weight_from"])) * float(row["density"]) for row in rows if row["density"]
    ]
    assert sum(bins) == pytest.approx(1)
    assert [row["quantile"] for row in rows if row["quantile"]] == ["0.05", "0.5", "0.95"]
    chosen, *curve = (row for row in rows if row["scale"])
    assert (float(chosen["error"]), bool(chosen["error_bound"])) == (found.error, True)
    assert [float(row["error"]) for row in curve] == list(found.curve.error)


@pytest.mark.parametrize(
    ("keys", "queries", "mix", "options", "argument"),
    [
        (TRIANGLE, [[1.0]], HALVES, {}, "queries"),
        (TRIANGLE, [[math.nan, 0.0]], HALVES, {}, "queries"),
        ([[1.0, math.inf]], [[1.0, 0.0]], {0: 1}, {}, "means"),
        (TRIANGLE, [[1.0, 0.0]], {3: 1.0}, {}, "mix"),
        (TRIANGLE, [[1.0, 0.0]], {}, {}, "mix"),
        (TRIANGLE, [[1.0, 0.0]], {0: 0.7}, {}, "mix"),
        (TRIANGLE, [[1.0, 0.0]], HALVES, {"noisy": (3,)}, "noisy"),
        (TRIANGLE, [[1.0, 0.0]], HALVES, {"key": 3}, "key"),
        (TRIANGLE, [[1.0, 0.0]], HALVES, {"sink": -1}, "sink"),
        (TRIANGLE, [[1.0, 0.0]], HALVES, {"norm_variance": math.nan}, "norm_variance"),
    ],
)
def test_wrong_input_is_named(keys, queries, mix, options, argument):
    with pytest.raises(ArgumentError) as caught:
        al.weigh(keys, queries, mix, **options)
    assert caught.value.argument == argument.replace("means", "keys")
