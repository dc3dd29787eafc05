"""Shares and their intervals."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, t

from attnlab.statistics import Share, over_seeds, student


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_an_interval_holds_the_share(pair):
    share = Share(*pair)
    assert 0 <= share.low <= share.value + 1e-9
    assert share.value - 1e-9 <= share.high <= 1


def test_an_interval_covers_as_often_as_it_says():
    draws = np.random.default_rng(0).binomial(50, 0.93, 4000).tolist()
    covered = np.mean([Share(right, 50).low <= 0.93 <= Share(right, 50).high for right in draws])
    assert 0.92 < covered < 0.98


@pytest.mark.parametrize(("count", "examples"), [(1, 2), (3, 7), (1, 500), (499, 500), (110, 500)])
def test_the_interval_is_that_of_scipy(count, examples):
    share, wilson = Share(count, examples), binomtest(count, examples).proportion_ci(method="wilson")
    assert (share.low, share.high) == pytest.approx((wilson.low, wilson.high))


def test_a_share_of_nothing_is_none():
    assert Share.of(0, 0) is None
    assert Share.of(1, 2) == Share(1, 2)


def test_json_has_its_interval():
    value = json.loads(json.dumps(Share(0, 4).as_json()))
    assert (value["value"], value["count"], value["examples"], value["interval"][0]) == (0, 0, 4, 0)


@pytest.mark.parametrize(("count", "examples"), [(0, 1), (1, 1), (0, 7), (0, 500), (500, 500)])
def test_at_the_edge_the_interval_is_exact(count, examples):
    share, exact = Share(count, examples), binomtest(count, examples).proportion_ci(method="exact")
    assert (share.low, share.high) == pytest.approx((exact.low, exact.high))
    assert share.low < share.high


def test_students_quantile_is_that_of_scipy():
    assert [student(n) for n in (1, 2.5, 30)] == pytest.approx([t.ppf(0.975, n) for n in (1, 2.5, 30)])


def test_seeds_are_told_without_an_interval_that_says_nothing():
    assert over_seeds([1.5], 4) == "1.5000 (1 seed)"
    assert over_seeds([51.7, 24.9], 1) == "24.9 and 51.7 (2 seeds)"  # not 38.3 ± 170
    assert over_seeds([100.0] * 3, 1, " %") == "100.0 % (each of 3 seeds)"  # not ± 0.0
    assert over_seeds([1.42, 1.43, 1.47], 2) == "1.44 ± 0.07 (3 seeds)"
    assert over_seeds([1.0, 1.0004, 1.0006], 3) == "1.000 ± 0.001 (3 seeds)"  # at least one in the last digit
