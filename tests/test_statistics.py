"""Shares and their intervals."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from attnlab.statistics import Share


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_an_interval_holds_the_share(pair):
    share = Share(*pair)
    assert 0 <= share.low <= share.value + 1e-9
    assert share.value - 1e-9 <= share.high <= 1


def test_an_interval_covers_as_often_as_it_says():
    draws = np.random.default_rng(0).binomial(50, 0.93, 4000).tolist()
    covered = np.mean([Share(right, 50).low <= 0.93 <= Share(right, 50).high for right in draws])
    assert 0.92 < covered < 0.98


@pytest.mark.parametrize(("count", "examples"), [(0, 1), (1, 1), (3, 7), (0, 500), (500, 500), (110, 500)])
def test_the_interval_is_that_of_scipy(count, examples):
    share, wilson = Share(count, examples), binomtest(count, examples).proportion_ci(method="wilson")
    assert (share.low, share.high) == pytest.approx((wilson.low, wilson.high))


def test_a_share_of_nothing_is_none():
    assert Share.of(0, 0) is None
    assert Share.of(1, 2) == Share(1, 2)


def test_json_has_its_interval():
    value = json.loads(json.dumps(Share(0, 4).as_json()))
    assert (value["value"], value["count"], value["examples"], value["interval"][0]) == (0, 0, 4, 0)
