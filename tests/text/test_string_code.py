"""The code of strings: probabilities that sum to 1, and never depend on what was told before."""

import json
import math
from itertools import product

import pytest

from attnlab.text.string_code import END, StringCode, raw_nats

COUNTED = {
    (("a", "a1"), "x"): 30,
    (("a", "a1"), "y"): 10,
    (("a", "a2"), "x"): 40,
    (("b", "b1"), "zz"): 9,
    (("b", "b2"), ""): 1,
}
CODE = StringCode.learn(COUNTED)


@pytest.mark.parametrize("contexts", [(), ("a",), ("a", "a1"), ("b", "b1"), ("never", "seen")])
def test_the_probabilities_of_all_strings_sum_to_1(contexts):
    """Those of up to two bytes have most of it, and no more than 1; those of one more byte add to it."""
    letters = [chr(each) for each in range(128)]
    short = ["", *letters, *map("".join, product("xyz", repeat=2))]
    total = sum(math.exp(-CODE.nats(each, contexts)) for each in short)
    assert 0.9 < total < 1
    assert total < total + sum(math.exp(-CODE.nats(f"{each}é", contexts)) for each in letters) <= 1


def test_each_byte_has_its_share():
    """After any bytes, the probabilities of the 256 bytes and of the end sum to 1."""
    for context in ((), (END,), (ord("z"),), (END, ord("z"))):
        counts = CODE._bytes[context]
        wider = math.log(END + 1)
        assert sum(math.exp(-counts.mixed(byte, wider)) for byte in range(END + 1)) == pytest.approx(1)


def test_a_narrow_context_is_kept_only_if_it_saves_something():
    assert set(CODE.levels[1]) == {"a", "b"}
    assert "a2" in CODE.levels[2]
    assert "b2" not in CODE.levels[2]
    assert CODE.nats("y", ("a", "a2")) > CODE.nats("y", ("a", "a1")) + 1


def test_the_code_comes_back_from_json():
    back = StringCode.from_json(json.loads(json.dumps(CODE.to_json())))
    assert back == CODE
    assert back.nats("xz", ("a", "a1")) == CODE.nats("xz", ("a", "a1"))
    for wrong in ([], {}, [{"": {"x": 0}}], [{"": {"x": "1"}}], [{"a": {}}]):
        with pytest.raises(ValueError, match="expected counts of strings in contexts"):
            StringCode.from_json(wrong)


def test_a_string_too_long_for_a_float_still_has_its_price():
    assert 3000 < CODE.nats("x" * 3000) < 3000 * 8
    assert raw_nats("x" * 3000) == pytest.approx(3000 * math.log(256 * 8 / 7) + math.log(8))
