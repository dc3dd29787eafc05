"""Preprocessing is charged for what it throws away: no step makes a raw file cheaper by forgetting it."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnlab.errors import ArgumentError
from attnlab.evaluation.scoring.costs import costs
from attnlab.evaluation.scoring.predictors import predictor_of
from attnlab.evaluation.scoring.preprocessed import Forgotten, forget, measure_preprocessed, side_by_side, step_through
from attnlab.evaluation.scoring.subjects import Subject
from attnlab.models.ngrams.ngram import NGram
from attnlab.text import train_tokenizer
from attnlab.text.case_and_spaces.parts import piece_parts, restore
from attnlab.text.preprocessing import STEPS, preprocess

TEXTS = st.text(max_size=40) | st.text(st.sampled_from("aAbBéÉ 12,.-–“”’'\n\r\t!İßﬁ\u0301↑"), max_size=60)
TEXT = (
    "The Cat sat on the Mat. “The Dog”, said 12 cats, “is 3.5 years old – or 40”.\nSo it WAS; and Élise\r\nslept.  " * 6
)


def subject(kind: str = "bytes") -> Subject:
    tokenizer = train_tokenizer(kind, TEXT)
    return Subject("m", tokenizer, predictor_of(NGram.fit(tokenizer.encode(TEXT).ids, tokenizer.size, 3)))


@pytest.mark.parametrize("name", [name for name, step in STEPS.items() if not step.undo])
@settings(deadline=None)
@given(raw=TEXTS)
def test_the_raw_text_comes_back_from_the_text_after_a_step_and_what_is_encoded(name, raw):
    text, origin = step_through(STEPS[name], raw)
    assert text == preprocess(raw, [name])
    seen, parts, _ = zip(*side_by_side(raw, text, origin), strict=True)
    assert "".join(seen) == text  # a reader cuts it the same way
    assert "".join(restore(piece, piece_parts(piece, part)) for piece, part in zip(seen, parts, strict=True)) == raw


def test_pieces_are_those_that_belong_together():
    text, origin = step_through(STEPS["punctuation"], "“So” it was… (he said), to-day.")
    told = [(seen, raw) for seen, raw, _ in side_by_side("“So” it was… (he said), to-day.", text, origin)]
    assert [pair for pair in told if pair[0] != pair[1]] == [
        ("So", "“So”"),
        ("was", "was…"),
        (" ", " ("),
        ("said", "said),"),
        ("day", "day."),
    ]


def test_a_step_that_can_be_undone_is_free_and_so_is_one_that_changes_nothing():
    text, forgotten = forget(TEXT, ["case-marks", "numbers", "accents", "dashes", "quotes"])
    assert text == preprocess(TEXT, ["case-marks", "numbers", "accents", "dashes", "quotes"])
    nats = {each.step: each.nats for each in forgotten}
    assert nats["case-marks"] == 0
    assert min(nats["numbers"], nats["accents"], nats["dashes"], nats["quotes"]) > 5
    assert forget(text, ["numbers"]) == (text, (Forgotten("numbers", 0.0),))


def test_a_step_buys_perplexity_and_the_raw_file_says_what_it_cost():
    measured = {name: measure_preprocessed(subject(), TEXT, [name] if name else []) for name in ("", "numbers")}
    assert measured["numbers"].raw_bytes == measured[""].raw_bytes == len(TEXT.encode())
    assert measured[""].bits_per_byte == measured[""].bits_per_byte_uncharged
    assert measured[""].costs.nats.tolist() == costs(subject(), TEXT).nats.tolist()
    lost = measured["numbers"]
    assert lost.bits_per_byte - lost.bits_per_byte_uncharged == pytest.approx(
        lost.charge / math.log(2) / lost.raw_bytes
    )
    assert lost.perplexity == pytest.approx(np.exp(lost.costs.nats.mean()))


def test_forgetting_everything_is_charged_for_everything():
    noise = "".join(map(chr, np.random.default_rng(0).integers(33, 48, 2000)))
    measured = measure_preprocessed(subject(), "a " + noise + " b", ["punctuation"])
    assert measured.bits_per_byte > 0.98 * math.log2(15)
    assert measured.bits_per_byte_uncharged < 0.05


def test_nothing_left_is_refused():
    with pytest.raises(ArgumentError, match="expected steps that leave some text; punctuation left no text"):
        measure_preprocessed(subject(), "!?", ["punctuation"])


def test_the_price_of_what_was_lost_does_not_depend_on_the_length_of_the_text():
    one, many = (forget(TEXT * n, ["punctuation"], TEXT)[1][0].nats for n in (1, 20))
    assert many == pytest.approx(20 * one, rel=0.01)


def test_a_training_text_makes_what_was_lost_cheaper():
    assert forget(TEXT, ["quotes"], TEXT)[1][0].nats < forget(TEXT, ["quotes"])[1][0].nats / 2
