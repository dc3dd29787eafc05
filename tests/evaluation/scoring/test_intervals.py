"""Intervals: as wide as the differences between independent parts say, and none where there are too few."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_1samp

from attnlab.evaluation.scoring.intervals import FEWEST, effective_parts, spread

COUNTS = np.arange(1.0, 9.0)


def test_parts_of_one_size_have_the_interval_of_students_t():
    costs = np.array([3.0, 5.0, 4.0, 7.0, 2.0, 6.0])
    low, high = ttest_1samp(costs, 0).confidence_interval(0.95)
    assert spread((costs, np.ones(6))).half == pytest.approx((high - low) / 2)


def test_one_long_part_counts_for_little_more_than_one():
    assert effective_parts(np.array([1000.0, 1, 1, 1, 1, 1, 1])) < 1.1
    assert spread((np.arange(7.0), np.array([1000.0, 1, 1, 1, 1, 1, 1]))).half is None


@given(st.lists(st.floats(0.1, 9), min_size=1, max_size=FEWEST - 1))
def test_too_few_parts_have_no_interval(costs):
    assert spread((np.array(costs), np.ones(len(costs)))).half is None


def test_parts_that_drift_are_joined_until_there_are_too_few():
    drift = spread((np.linspace(1, 2, 12), np.ones(12)))
    assert drift.joined
    assert drift.half is None
    jumpy = spread((np.array([1.0, 2, 1, 2, 1, 2, 1, 2]), np.ones(8)))
    assert not jumpy.joined
    assert jumpy.half is not None


def test_a_difference_is_paired():
    sizes, shift = np.full(8, 10.0), np.array([0.1, -0.1, 0.2, -0.2, 0.1, -0.1, 0.2, -0.2])
    both = np.random.default_rng(0).permutation(COUNTS)
    apart = spread((both + shift, sizes), (both, sizes)).half
    alone = spread((both, sizes)).half
    assert apart is not None
    assert alone is not None
    assert apart < alone / 5
    assert apart == pytest.approx(spread((shift, sizes)).half)


@pytest.mark.parametrize("costs", [np.ones(8), np.full(8, math.inf), np.full(8, math.nan)])
def test_no_interval_has_width_0_or_none_at_all(costs):
    assert spread((costs, np.ones(8))).half is None
