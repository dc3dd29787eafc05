"""Memorised and extracted: the table and its rates."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnlab.errors import ArgumentError
from attnlab.evaluation.knowledge.extraction import extraction
from attnlab.statistics import Share


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1))
def test_the_cells_are_counted_and_the_rates_follow(pairs):
    memorised, extracted = [one for one, _ in pairs], [other for _, other in pairs]
    found = extraction(memorised, extracted)
    assert found.both == sum(one and other for one, other in pairs)
    assert found.memorised_only == sum(one and not other for one, other in pairs)
    assert found.extracted_only == sum(other and not one for one, other in pairs)
    assert found.neither == sum(not one and not other for one, other in pairs)
    assert found.questions == len(pairs)
    assert found.memorised == Share(sum(memorised), len(pairs))
    assert found.extracted == Share(sum(extracted), len(pairs))
    value = json.loads(json.dumps(found.as_json(), allow_nan=False))
    assert value["questions"] == len(pairs)
    assert sum(value[cell]["value"] for cell in ("both", "memorised_only", "extracted_only", "neither")) == (
        pytest.approx(1)
    )
    assert (value["extracted_of_memorised"] is None) == (not any(memorised))
    assert (value["extracted_of_others"] is None) == all(memorised)


def test_rates_by_hand():
    found = extraction([True] * 6 + [False] * 4, [True, True, False, False, False, False, True, False, False, False])
    assert found.extracted_of_memorised == Share(2, 6)
    assert found.extracted_of_others == Share(1, 4)


def test_what_cannot_be():
    with pytest.raises(ArgumentError, match="memorised: expected one value for each of 2 questions, got 1 values"):
        extraction([True], [True, False])
    with pytest.raises(ArgumentError, match="memorised: expected at least one question, got no questions"):
        extraction([], [])
