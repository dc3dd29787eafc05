"""An explanation as people read it: numbers that add up on the screen, and text that a terminal does not obey."""

from dataclasses import replace

import numpy as np
import pytest

from attnlab.evaluation.explanation.gaps import Part
from attnlab.evaluation.explanation.model_gap import explain_models
from attnlab.evaluation.explanation.one_text import explain_text
from attnlab.evaluation.explanation.text_gap import explain_texts
from attnlab.evaluation.scoring.subjects import Subject, subject_of
from attnlab.models.ngrams.ngram import NGram
from attnlab.report.perplexity.explained import account_blocks, gap_blocks
from attnlab.report.plain_text import plain_text
from attnlab.text import train_tokenizer

TRAINED = "The cat sat on the mat. 12 dogs ran, too.\n" * 5
TEXT = "The dog sat on [red]the \x1b[31mmat. 7 Cats ran!\n" * 4


def model(kind: str, order: int) -> Subject:
    tokens = train_tokenizer(kind, TRAINED)
    counts = NGram.fit(np.asarray(tokens.encode(TRAINED).ids), tokens.size, order)
    return subject_of(f"{kind} of {order}", counts, tokens)


WORDS, BYTES = model("words", 2), model("bytes", 4)


def rows(said: str) -> dict[str, list[str]]:
    """The numbers of each line behind its name, two spaces apart."""
    split = [[part for part in line.split("  ") if part.strip()] for line in said.splitlines()]
    return {parts[0].strip(): [part.strip() for part in parts[1:]] for parts in split if parts}


@pytest.mark.parametrize("texts", [False, True])
def test_the_numbers_on_the_screen_add_up(texts):
    gap = explain_texts(BYTES, (TEXT, TRAINED), ("new", "old")) if texts else explain_models(WORDS, BYTES, TEXT)
    found = rows(plain_text(gap_blocks(gap)))
    parts = [found[each.name] for each in gap.parts if each.name in found]
    total = found["total: new minus old" if texts else "total: words of 2 minus bytes of 4"]
    for column in (0, 1):
        assert sum(float(each[column]) for each in parts) == pytest.approx(float(total[column]), abs=0.001)
    factors = [float(each[2].removeprefix("×")) for each in parts]
    assert np.prod(factors) == pytest.approx(float(total[2].removeprefix("×")), rel=0.01)


def test_what_reads_as_nothing_is_left_out():
    gap = explain_models(WORDS, BYTES, TEXT)
    nearly = replace(gap, parts=(*gap.parts, Part("nearly nothing", -1e-9, -1e-9, (3,)), Part("some", 0.5, -1e-9)))
    said = plain_text(gap_blocks(nearly))
    found = rows(said)
    assert "nearly nothing" not in found
    assert found["some"][0] == "0"
    assert "-0.0000" not in said


def test_each_text_has_its_own_count():
    said = plain_text(gap_blocks(explain_texts(BYTES, (TEXT, TRAINED), ("new", "old"))))
    assert "times in new  times in old" in said
    assert rows(said)["digits: how costly"][3:] == ["8", "5"]


def test_one_measurement_has_its_kinds():
    account = explain_text(WORDS, TEXT, "text.txt")
    said = plain_text(account_blocks(account))
    found = rows(said)
    assert said.startswith("where the cost of text.txt comes from")
    bits = [float(found[each.name][0]) for each in account.kinds]
    assert sum(bits) == pytest.approx(float(found["total"][0]), abs=0.001)
    assert found["total"][1:] == ["100.0 %", "100.0 %"]
    assert "what stands out: bits above the average of text.txt" in said


def test_it_names_both_and_what_stands_out():
    said = plain_text(gap_blocks(explain_models(WORDS, BYTES, TEXT)))
    for each in (
        "why words of 2 and bytes of 4 differ",
        "unknown words",
        "what stands out: bits by which words of 2 costs more (+) or less (-) than bytes of 4",
        "note: the training text of words of 2 and bytes of 4 is unknown",
    ):
        assert each in said
    assert "the first" not in said


def test_text_is_not_obeyed():
    said = plain_text(gap_blocks(explain_models(WORDS, BYTES, TEXT)))
    assert "\x1b" not in said
    assert "red]the \\x1b" in said
