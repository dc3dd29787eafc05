"""The code of what tokens do not tell: fixed, cheap where nothing is odd, and never dearer than raw bytes."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnlab.text import Normalisation
from attnlab.text.case_and_spaces import code as code_module
from attnlab.text.case_and_spaces.code import CaseAndSpacesCode, CaseAndSpacesTeller, Pieces
from attnlab.text.case_and_spaces.learning import USUAL, learnt_code, word_pieces
from attnlab.text.words import WordTokenizer

LOWER = Normalisation(lower=True, numbers=True, punctuation="drop")
CODE = learnt_code(USUAL, LOWER)


def bits(seen: list[str], raw: list[str], code: CaseAndSpacesCode = CODE) -> list[float]:
    pieces = Pieces.of([(*each, "apart") for each in zip(seen, raw, strict=True)])
    return (CaseAndSpacesTeller(code).add(pieces) / math.log(2)).tolist()


@pytest.mark.parametrize(("seen", "raw"), [("<number>", "1642 "), ("european", "(European) ")])
def test_odd_pieces_cost_about_9_bits_a_byte_at_most(seen, raw):
    for code in (CODE, learnt_code("to be or not to be " * 99, LOWER)):
        assert bits([seen], [raw], code)[0] < 11 + 8.2 * len(raw)
    assert bits([seen], [raw])[0] < 9 * len(raw)


@settings(deadline=None)
@given(st.text(max_size=6), st.text(max_size=20))
def test_no_piece_costs_more_than_its_raw_bytes(seen, raw):
    assert bits([seen], [raw])[0] < 11.01 + 8.2 * len(raw.encode())


def test_the_context_of_a_form_is_known_when_it_is_told():
    """The form of a piece changes nothing before it."""
    seen = ["a", "b", "a", "c", "b", "a"]
    one = bits(seen, ["a ", "b ", "a ", "c ", "b ", "a "])
    other = bits(seen, ["a ", "b ", "a ", "C ", "b ", "a "])
    assert one[:3] == other[:3]
    assert other[3] > one[3] + 1


def test_nothing_odd_costs_little():
    words = ["it", "was", "a", "day", "like", "any", "other", "and", "so", "we", "went"]
    code = learnt_code(USUAL, Normalisation())
    assert sum(bits(words, [f"{word} " for word in words], code)[1:-1]) / 9 < 0.7


def test_a_text_like_the_training_text_is_cheaper():
    raw = "Shall I compare thee , to a summers Day ?\n" * 50
    pieces = word_pieces(raw[:400], LOWER)
    assert (
        CaseAndSpacesTeller(learnt_code(raw, LOWER)).add(pieces).sum() < CaseAndSpacesTeller(CODE).add(pieces).sum() / 2
    )


def test_a_tokenizer_keeps_the_code_of_its_training_text():
    trained = WordTokenizer.train([USUAL[:100], USUAL[100:]], normalisation=LOWER)
    assert trained.case_and_spaces == CODE  # wherever the text was cut
    value = json.loads(json.dumps(trained.to_json()))
    assert WordTokenizer.from_json(value) == trained
    del value["surface"]  # as older tokenizers are; runs keep a hash of this name
    assert WordTokenizer.from_json(value).case_and_spaces is None
    with pytest.raises(ValueError, match="expected a code of case and spaces"):
        WordTokenizer.from_json(value | {"surface": {}})


def test_the_code_is_learnt_from_the_beginning(monkeypatch):
    monkeypatch.setattr("attnlab.text.case_and_spaces.learning.LEARNT", 4000)
    long = WordTokenizer.train(["a b " * 1000, "C D " * 9])
    assert long.case_and_spaces == learnt_code("a b " * 1000, Normalisation())
    assert long.case_and_spaces != WordTokenizer.train(["a b " * 900, "C D " * 9]).case_and_spaces


def test_few_costs_are_remembered(monkeypatch):
    pieces = [*word_pieces(USUAL, LOWER)]
    wanted = CaseAndSpacesTeller(CODE).add(Pieces.of(pieces))
    monkeypatch.setattr(code_module, "MOST", 20)
    teller, found = CaseAndSpacesTeller(CODE), []
    for first in range(0, len(pieces), 10):
        last = first + 10
        found.append(teller.add(Pieces.of(pieces[first:last]), pieces[last] if last < len(pieces) else None))
        assert len(teller._known) <= 20
    np.testing.assert_array_equal(np.concatenate(found), wanted)
