"""Bins of reliability, against a count by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnlab.evaluation.reliability import calibration_error, reliability


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=60), st.integers(1, 20))
def test_the_bins_are_those_of_a_plain_loop(pairs, bins):
    found = reliability(np.array([sure for sure, _ in pairs]), np.array([hit for _, hit in pairs]), bins)
    groups: dict[int, list[tuple[float, bool]]] = {}
    for sure, hit in pairs:
        groups.setdefault(min(int(sure * bins), bins - 1), []).append((sure, hit))
    assert [each.examples for each in found] == [len(groups[place]) for place in sorted(groups)]
    error = sum(abs(sum(sure - hit for sure, hit in group)) for group in groups.values()) / len(pairs)
    assert calibration_error(found) == pytest.approx(error, abs=1e-12)
