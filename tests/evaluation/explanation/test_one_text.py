"""One measurement by kinds: they add up to it, and cover the text."""

import json
import math

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from attnlab.evaluation.explanation.one_text import explain_text
from attnlab.evaluation.scoring.costs import Policy, costs

TEXT = "The cat sat on the mat. 12 Dogs ran, too;\nand 7 cats hid from THEM!\n" * 3
LETTERS = st.text(st.sampled_from("abcDE 1,.\n\té😀x'-"), min_size=1, max_size=60).filter(str.strip)


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=LETTERS, kind=st.sampled_from(["bytes", "characters", "words", "byte-pairs"]), seed=st.integers(0, 99))
def test_the_kinds_add_up(restless_subject, text, kind, seed):
    found = explain_text(restless_subject(kind, TEXT + "abcDE", seed, 5), text)
    assert sum(each.bits_per_byte for each in found.kinds) == pytest.approx(found.side.bits_per_byte)
    assert sum(each.share_of_cost for each in found.kinds) == pytest.approx(1)
    assert sum(each.share_of_bytes or 0 for each in found.kinds) == pytest.approx(1)


def test_each_kind_has_its_cost_and_its_bytes(priced_subject):
    found = explain_text(priced_subject(**{"0123456789": 5.0}), "a bc 12")
    kinds = {each.name: each for each in found.kinds}
    assert list(kinds) == ["the beginning", "digits", "the rest"]
    digits = kinds["digits"]
    assert (digits.times, digits.share_of_bytes) == (1, pytest.approx(3 / 7))  # with the space before it
    assert digits.bits_per_byte == pytest.approx(11 / math.log(2) / 7)
    assert digits.share_of_cost == pytest.approx(11 / found.costs[0].nats.sum())


def test_what_is_charged_has_no_bytes_of_its_own(restless_subject):
    found = explain_text(restless_subject("characters", "the cat", 1, 4), "the dog")
    kinds = {each.name: each for each in found.kinds}
    assert kinds["unknown characters"].times == 1
    spelling = kinds["spelling unknown characters"]
    assert (spelling.share_of_bytes, spelling.times) == (None, None)
    assert spelling.bits_per_byte == pytest.approx(found.costs[0].charged.spelling.sum() / math.log(2) / 7)


def test_it_is_measured_as_asked_and_written_as_json(restless_subject):
    model = restless_subject("bytes", "", 1, 8)
    found = explain_text(model, TEXT, "text", Policy(stride=1))
    assert found.costs[0].nats.tolist() == costs(model, TEXT, Policy(stride=1)).nats.tolist()
    value = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert sum(each["bits_per_byte"] for each in value["kinds"]) == pytest.approx(value["measured"]["bits_per_byte"])
    assert value["stands_out"][0]["what"] == "bits above the average of text"
