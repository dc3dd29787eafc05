"""What a raw piece has beyond the piece that is seen: the raw piece comes back from it."""

from hypothesis import given, settings
from hypothesis import strategies as st

from attnlab.text.case_and_spaces.parts import PieceParts, openings, piece_parts, restore

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
    parts = [piece_parts(*pair) for pair in zip(seen, raw, strict=True)]
    assert [*openings(seen, parts)] == [2, 0, 0, 1, 2, 0]
