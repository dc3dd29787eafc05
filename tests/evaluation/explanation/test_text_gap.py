"""The gap between two texts: how many there are of each kind and how costly they are add up to it."""

import math

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from attnlab.evaluation.explanation.gaps import Gap
from attnlab.evaluation.explanation.text_gap import explain_texts

TEXT = "The cat sat on the mat. 12 Dogs ran, too;\nand 7 cats hid from THEM!\n" * 3
LETTERS = st.text(st.sampled_from("abcDE 1,.\n\té😀x'-"), min_size=1, max_size=60).filter(str.strip)


def values(gap: Gap) -> dict[str, tuple[float, float]]:
    return {each.name: (each.nats_per_token, each.bits_per_byte) for each in gap.parts}


def assert_adds_up(gap: Gap) -> None:
    for unit in ("nats_per_token", "bits_per_byte"):
        parts = [getattr(each, unit) for each in gap.parts]
        size = max(getattr(gap.first, unit), getattr(gap.second, unit), *map(abs, parts))
        assert math.fsum(parts) == pytest.approx(getattr(gap, unit), rel=1e-9, abs=1e-9 * size)


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    texts=st.tuples(LETTERS, LETTERS),
    kind=st.sampled_from(["bytes", "characters", "words", "byte-pairs"]),
    context=st.integers(1, 9),
    seed=st.integers(0, 99),
)
def test_the_parts_add_up(restless_subject, texts, kind, context, seed):
    model = restless_subject(kind, TEXT + "abcDE", seed, context)
    gap = explain_texts(model, texts)
    assert_adds_up(gap)
    swapped = values(explain_texts(model, texts[::-1]))
    for name, each in values(gap).items():
        assert swapped[name] == pytest.approx(tuple(-value for value in each), abs=1e-12)


def test_a_text_does_not_differ_from_itself(restless_subject):
    gap = explain_texts(restless_subject("words", TEXT[:40], 1, 5), (TEXT, TEXT))
    assert {value for each in values(gap).values() for value in each} == {0.0}


def test_more_of_what_is_dear_is_how_many_and_nothing_is_dearer(priced_subject):
    model = priced_subject(**{"0123456789": 5.0})
    gap = explain_texts(model, ("a 1234 b 5678 c 9", "a bcd eeee f g h i"), ("numbers", "none"))
    found = values(gap)
    assert gap.bits_per_byte > 0
    assert found["digits: how many"][1] > 0
    assert found["digits: how costly"] == (0, 0)
    times = {each.name: each.times for each in gap.parts}
    assert times["digits: how many"] == (3, 0)
    assert times["the rest: how costly"] == (2, 6)
    assert times["the beginning"] == (1, 1)
    assert_adds_up(gap)


def test_what_is_dearer_is_how_dear(priced_subject):
    model = priced_subject(X=5.0)
    gap = explain_texts(model, ("aa XX aa XX", "aa YY aa YY"))
    found = values(gap)
    assert found["capitals: how costly"][1] == pytest.approx(gap.bits_per_byte)
    assert found["capitals: how many"] == (0, 0)
    assert found["tokenizer (length)"] == (0, 0)


def test_the_windows_have_their_part(restless_subject):
    gap = explain_texts(restless_subject("bytes", "", 3, 6), (TEXT, TEXT[::-1]), share=0.1)
    assert values(gap)["position in the window"][0] != pytest.approx(0, abs=1e-6)
    assert_adds_up(gap)


def test_kinds_that_neither_text_has_are_left_out_and_each_has_its_costliest(priced_subject):
    gap = explain_texts(priced_subject(x=9.0), ("a x b", "c d x"), ("one", "two"))
    assert not any("digits" in each.name for each in gap.parts)
    assert [each.what for each in gap.costliest] == ["bits above the average of one", "bits above the average of two"]
    assert [each.words[0].text for each in gap.costliest] == ["x", "x"]
