"""A gap as a person reads it: numbers that add up on the screen, and text that a terminal does not obey."""

import io
from dataclasses import replace

import numpy as np
import pytest
from rich.console import Console

from attnlab.cli.gap import explained_lines, printable
from attnlab.cli.measuring import Measured
from attnlab.cli.perplexity_table import in_words
from attnlab.cli.surprise import write_parts, write_surprise
from attnlab.errors import ArgumentError
from attnlab.evaluation.audit import audit
from attnlab.evaluation.explanation.gaps import Account, Gap, Part
from attnlab.evaluation.explanation.one_text import explain_text
from attnlab.evaluation.explanation.two_models import explain_models
from attnlab.evaluation.explanation.two_texts import explain_texts
from attnlab.evaluation.scoring.measures import measure
from attnlab.evaluation.scoring.predictors import predictor_of
from attnlab.evaluation.scoring.subjects import Subject
from attnlab.models.ngram import NGram
from attnlab.text import train_tokenizer

TRAINED = "The cat sat on the mat. 12 dogs ran, too.\n" * 5
TEXT = "The dog sat on [red]the \x1b[31mmat. 7 Cats ran!\n" * 4


def model(kind: str, order: int) -> Subject:
    tokens = train_tokenizer(kind, TRAINED)
    counts = NGram.fit(np.asarray(tokens.encode(TRAINED).ids), tokens.size, order)
    return Subject(f"{kind} of {order}", tokens, predictor_of(counts), unknown=0 if kind == "words" else None)


WORDS, BYTES = model("words", 2), model("bytes", 4)


def printed(explained: Account | Gap) -> str:
    out = io.StringIO()
    console = Console(file=out, width=200, markup=False, highlight=False)
    for each in explained_lines(explained):
        console.print(each)
    return out.getvalue()


def rows(said: str) -> dict[str, list[str]]:
    """The numbers of each line behind its name, two spaces apart."""
    split = [[part for part in line.split("  ") if part.strip()] for line in said.splitlines()]
    return {parts[0].strip(): [part.strip() for part in parts[1:]] for parts in split if parts}


@pytest.mark.parametrize("texts", [False, True])
def test_the_numbers_on_the_screen_add_up(texts):
    gap = explain_texts(BYTES, (TEXT, TRAINED), ("new", "old")) if texts else explain_models(WORDS, BYTES, TEXT)
    found = rows(printed(gap))
    parts = [found[each.name] for each in gap.parts if each.name in found]
    total = found["together: new less old" if texts else "together: words of 2 less bytes of 4"]
    for column in (0, 1):
        assert sum(float(each[column]) for each in parts) == pytest.approx(float(total[column]), abs=0.001)
    factors = [float(each[2].removeprefix("×")) for each in parts]
    assert np.prod(factors) == pytest.approx(float(total[2].removeprefix("×")), rel=0.01)


def test_what_reads_as_nothing_is_left_out():
    gap = explain_models(WORDS, BYTES, TEXT)
    nearly = replace(gap, parts=(*gap.parts, Part("nearly nothing", -1e-9, -1e-9, (3,)), Part("some", 0.5, -1e-9)))
    found = rows(printed(nearly))
    assert "nearly nothing" not in found
    assert found["some"][0] == "0"
    assert "-0.0000" not in printed(nearly)


def test_each_text_has_its_own_count():
    said = printed(explain_texts(BYTES, (TEXT, TRAINED), ("new", "old")))
    assert "in new  in old" in said
    assert rows(said)["digits: how costly"][3:] == ["8", "5"]
    assert "dear" not in said


def test_one_measurement_has_its_kinds():
    account = explain_text(WORDS, TEXT, "text.txt")
    said = printed(account)
    found = rows(said)
    assert said.startswith("where the cost of text.txt comes from")
    bits = [float(found[each.name][0]) for each in account.kinds]
    assert sum(bits) == pytest.approx(float(found["together"][0]), abs=0.001)
    assert found["together"][1:] == ["100%", "100%"]
    assert "what stands out: bits beyond the mean of text.txt" in said


def test_it_names_both_and_what_stands_out():
    said = printed(explain_models(WORDS, BYTES, TEXT))
    for each in (
        "why words of 2 and bytes of 4 differ",
        "unknown words",
        "what stands out: bits that it costs words of 2 more (+) or less (-) than bytes of 4",
        "note: what words of 2 and bytes of 4 saw in training is not known",
    ):
        assert each in said
    assert "the first" not in said


def test_text_is_not_obeyed():
    said = printed(explain_models(WORDS, BYTES, TEXT))
    assert "\x1b" not in said
    assert "red]the \\x1b" in said
    assert printable("x" * 100) == "x" * 69 + "…"


def measured(subject: Subject, text: str) -> Measured:
    return Measured(subject.name, "text", (measure(subject, text),), audit(subject, text), "words", None, "float32")


def test_the_page_and_the_chart_are_written(tmp_path):
    gap = explain_models(WORDS, BYTES, TEXT)
    write_surprise(tmp_path / "two.html", gap, [measured(each, TEXT) for each in (WORDS, BYTES)], ["text"])
    page = (tmp_path / "two.html").read_text()
    assert "How text surprises words of 2 and bytes of 4" in page
    assert page.count('type="radio"') == 3
    assert in_words(measure(WORDS, TEXT).bits_per_byte) in page
    assert "bytes of 4 is sound: every check of its audit passed." in page
    write_parts(tmp_path / "parts.svg", gap)
    assert "tokenizer (length)" in (tmp_path / "parts.svg").read_text()


def test_two_texts_have_a_picture_each_and_one_has_no_choice(tmp_path):
    texts = explain_texts(BYTES, (TEXT, TRAINED), ("new", "old"))
    write_surprise(tmp_path / "texts.html", texts, [measured(BYTES, each) for each in (TEXT, TRAINED)], ["new", "old"])
    page = (tmp_path / "texts.html").read_text()
    assert page.count('class="text"') == 2
    assert "How new and old surprise bytes of 4" in page
    account = explain_text(BYTES, TEXT)
    write_surprise(tmp_path / "one.html", account, [measured(BYTES, TEXT)], ["text"])
    assert 'type="radio"' not in (tmp_path / "one.html").read_text()
    with pytest.raises(ArgumentError, match="plot: expected two models or two texts"):
        write_parts(tmp_path / "one.svg", account)
