"""Documents are found by their headings, wherever the text is cut."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnlab.evaluation.scoring.documents import DocumentFinder

WIKI = "é begins \n = One = \n \n = = Section = = \n text \n = Two = \n more"


def begins(*pieces: str) -> list[int]:
    finder, found, done = DocumentFinder(), [], 0
    for piece in pieces:
        found += [done + place for place in finder.add(piece)]
        done += len(piece.encode())
    return found


@pytest.mark.parametrize(
    ("text", "after"),
    [
        (WIKI, ["é begins \n = One = \n", WIKI[: -len(" more")]]),
        ("a\n\n# B\n\nc", ["a\n\n# B\n\n"]),
        ("a\n# a comment\nb\n\n# another\nc", []),
        ("a\fb<|endoftext|>c", ["a\f", "a\fb<|endoftext|>"]),
        (" = One = \n text", []),  # nothing before it
        ("\n = One = \r\n text \r\n = Two = \r\n text", ["\n = One = \r\n text \r\n = Two = \r\n"]),
    ],
)
def test_a_document_begins_after_its_heading(text, after):
    assert begins(text) == [len(each.encode()) for each in after]


@given(st.lists(st.integers(0, len(WIKI)), max_size=5))
def test_cuts_change_nothing(cuts):
    places = [0, *sorted(cuts), len(WIKI)]
    assert begins(*(WIKI[a:b] for a, b in pairwise(places))) == begins(WIKI)
