"""What a raw piece has beyond the piece that is seen: the raw piece comes back from it."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from attnlab.text.case_and_spaces.parts import PieceParts, openings, piece_parts, restore, turn

ALPHABET = st.sampled_from("aabcB CDé É\n\r\t ﬁßΣς.,!?\"'’-–<>0123\ufeff\u0301\u3000#")


@settings(deadline=None)
@given(st.text(ALPHABET, max_size=8), st.text(ALPHABET, max_size=12))
def test_any_raw_piece_can_be_told_of_any_piece_seen(seen, raw):
    assert restore(seen, piece_parts(seen, raw)) == raw


def test_no_told_string_is_mistaken_for_another():
    assert restore("a", PieceParts("", '"=', "")) == "="
    assert restore("ß", piece_parts("ß", "SS")) == "SS"


def test_a_piece_after_a_line_or_a_sentence_opens_another():
    seen, raw = ["a", "b", ".", "c", "d"], ["a ", "b", ". ", "c\n", "d"]
    turns = [turn(each, piece_parts(each, whole)) for each, whole in zip(seen, raw, strict=True)]
    opens, following = openings(turns, np.arange(5))
    assert (opens.tolist(), following) == ([2, 0, 0, 1, 2], 0)


@given(st.lists(st.tuples(st.booleans(), st.booleans(), st.integers(0, 2)), max_size=9), st.integers(0, 2))
def test_openings_are_found_piece_by_piece(turns, now):
    found, following = openings(turns, np.arange(len(turns)), now)
    for opens, (begins, keeps, after) in zip(found.tolist(), turns, strict=True):
        assert opens == (2 if begins else now)
        now = max(now, after) if keeps else after
    assert following == now
