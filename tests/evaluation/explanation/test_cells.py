"""Cells: the text, whole, cut where it can be shown, and every bit in one of them."""

import math

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from attnlab.evaluation.explanation.cells import cells
from attnlab.evaluation.scoring.costs import costs

KINDS = ["bytes", "characters", "words", "byte-pairs"]
LETTERS = st.text(st.sampled_from("abD \n\té😀\u0301\u3000x,"), min_size=1, max_size=40).filter(str.strip)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=LETTERS, kinds=st.lists(st.sampled_from(KINDS), min_size=1, max_size=2))
def test_nothing_is_lost(restless_subject, text, kinds):
    found = [costs(restless_subject(kind, "abD é,", at, 4), text) for at, kind in enumerate(kinds)]
    cut = cells(found)
    assert "".join(each.text for each in cut) == text
    assert cells(found, 3) == cut[:3]
    for at, each in enumerate(found):
        bits = sum(cell.bits[at] + cell.charged[at] for cell in cut)
        assert bits == pytest.approx(each.comparable.sum() / math.log(2))
        assert sum(cell.tokens[at] for cell in cut) == len(each.encoding)
        assert any(cell.unknown[at] for cell in cut) == each.unknown.any()


def test_tokens_that_share_a_character_are_shown_together(restless_subject):
    (found,) = ([*cells([costs(restless_subject("bytes", "", 1, 4), "a😀b")])],)
    assert [(each.text, each.tokens) for each in found] == [("a", (1,)), ("😀", (4,)), ("b", (1,))]


def test_two_models_are_cut_alike_whichever_side_of_a_word_their_spaces_are(restless_subject):
    text = "low lower, lowest\nlow"
    models = [restless_subject(kind, text, 1, 4) for kind in ("byte-pairs", "words")]
    assert [each.text for each in cells([costs(model, text) for model in models])] == [
        "low ", "lower", ", ", "lowest\n", "low",
    ]  # fmt: skip
