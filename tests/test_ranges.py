"""Ranges: what is inside, and the words for what is not."""

import math

import pytest

from attnlab.errors import ArgumentError
from attnlab.ranges import Range


@pytest.mark.parametrize(
    ("limits", "value", "whole", "message"),
    [
        (Range(1, 64), 65, True, "expected a whole number from 1 to 64, got 65; try 64"),
        (Range(1, 64), 0, True, "expected a whole number from 1 to 64, got 0; try 1"),
        (Range(1, 10**12), 0, True, "expected a whole number from 1 to 1,000,000,000,000, got 0; try 1"),
        (Range(0, 1), 1.5, False, "expected a number from 0 to 1, got 1.5; try 1"),
        (Range(0, 1, below=True), 1.0, False, "expected a number of at least 0 and less than 1, got 1.0"),
        (Range(0, 1, below=True), -1.0, False, "expected a number of at least 0 and less than 1, got -1.0; try 0"),
        (Range(2), 1, True, "expected a whole number of at least 2, got 1; try 2"),
        (Range(0), math.inf, False, "expected a finite number of at least 0, got inf"),
        (Range(0, 5), math.nan, False, "expected a finite number from 0 to 5, got nan"),
    ],
)
def test_a_number_outside_is_named_with_its_range_and_the_nearest_number(limits, value, whole, message):
    assert value not in limits
    assert limits.refusal(value, whole) == message


@pytest.mark.parametrize(("limits", "value"), [(Range(1e-9, 10), 0.0), (Range(0, 2**31), 2**31 + 1)])
def test_an_end_that_nobody_would_use_is_no_advice(limits, value):
    assert "try" not in limits.refusal(value, whole=False)


def test_a_huge_whole_number_is_compared_like_any_other():
    assert 10**400 not in Range(1, 64)
    assert 10**400 in Range(1)
    with pytest.raises(ArgumentError, match=r"^seeds: expected a whole number from 1 to 64, got 1000"):
        Range(1, 64).require("seeds", 10**400)


def test_a_number_inside_is_not_refused():
    Range(1, 64).require("seeds", 64)
    assert 0.999 in Range(0, 1, below=True)
