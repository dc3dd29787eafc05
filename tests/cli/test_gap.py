"""A gap as a person reads it: numbers that add up on the screen, and text that a terminal does not obey."""

import io

import numpy as np
import pytest
from rich.console import Console

from attnlab.cli.gap import gap_lines, printable
from attnlab.cli.surprise import write_parts, write_surprise
from attnlab.evaluation.costs import costs
from attnlab.evaluation.explanation.records import Gap
from attnlab.evaluation.explanation.two_models import explain_models
from attnlab.evaluation.explanation.two_texts import explain_texts
from attnlab.evaluation.predictors import predictor_of
from attnlab.evaluation.subjects import Subject
from attnlab.models.ngram import NGram
from attnlab.text import train_tokenizer

TRAINED = "The cat sat on the mat. 12 dogs ran, too.\n" * 5
TEXT = "The dog sat on [red]the \x1b[31mmat. 7 Cats ran!\n" * 4


def model(kind: str, order: int) -> Subject:
    tokens = train_tokenizer(kind, TRAINED)
    counts = NGram.fit(np.asarray(tokens.encode(TRAINED).ids), tokens.size, order)
    return Subject(f"{kind} of {order}", tokens, predictor_of(counts), unknown=0 if kind == "words" else None)


WORDS, BYTES = model("words", 2), model("bytes", 4)


def printed(gap: Gap) -> str:
    out = io.StringIO()
    console = Console(file=out, width=200, markup=False, highlight=False)
    for each in gap_lines(gap):
        console.print(each)
    return out.getvalue()


def rows(said: str) -> dict[str, list[str]]:
    """The numbers of each line behind its name, two spaces apart."""
    split = [[part for part in line.split("  ") if part.strip()] for line in said.splitlines()]
    return {parts[0].strip(): [part.strip() for part in parts[1:]] for parts in split if parts}


@pytest.mark.parametrize("texts", [False, True])
def test_the_numbers_on_the_screen_add_up(texts):
    gap = explain_texts(BYTES, (TEXT, TRAINED)) if texts else explain_models(WORDS, BYTES, TEXT)
    found = rows(printed(gap))
    nats = [float(found[each.name][0]) for each in gap.parts]
    bits = [float(found[each.name][2]) for each in gap.parts]
    total = found["together: the first less the second"]
    assert sum(nats) == pytest.approx(float(total[0]), abs=0.001)
    assert sum(bits) == pytest.approx(float(total[2]), abs=0.001)
    factors = [float(found[each.name][1].removeprefix("×")) for each in gap.parts]
    assert np.prod(factors) == pytest.approx(float(total[1].removeprefix("×")), rel=0.01)


def test_it_names_both_and_what_stands_out():
    said = printed(explain_models(WORDS, BYTES, TEXT))
    for each in ("words of 2", "bytes of 4", "unknown words", "what stands out", "note: what a model was trained on"):
        assert each in said


def test_text_is_not_obeyed():
    said = printed(explain_models(WORDS, BYTES, TEXT))
    assert "\x1b" not in said
    assert "red]the \\x1b" in said
    assert printable("x" * 100) == "x" * 69 + "…"


def test_the_page_and_the_chart_are_written(tmp_path):
    gap = explain_models(WORDS, BYTES, TEXT)
    found = [costs(each, TEXT) for each in (WORDS, BYTES)]
    write_surprise(tmp_path / "two.html", ["words of 2", "bytes of 4"], ["text"], found, gap)
    page = (tmp_path / "two.html").read_text()
    assert "How text surprises words of 2 and bytes of 4" in page
    assert page.count('type="radio"') == 3
    write_parts(tmp_path / "parts.svg", gap)
    assert "tokenizer (length)" in (tmp_path / "parts.svg").read_text()
    texts = explain_texts(BYTES, (TEXT, TRAINED), ("text", "trained"))
    write_surprise(
        tmp_path / "texts.html", ["bytes"], ["text", "trained"], [costs(BYTES, each) for each in (TEXT, TRAINED)], texts
    )
    page = (tmp_path / "texts.html").read_text()
    assert page.count('class="text"') == 2
    write_surprise(tmp_path / "one.html", ["bytes"], ["text"], [costs(BYTES, TEXT)])
    assert 'type="radio"' not in (tmp_path / "one.html").read_text()
