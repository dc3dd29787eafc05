"""What a model knows, as a page and as charts: from the values that an evaluation has as JSON."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import altair as alt

from attnlab.claims.claim import Bar
from attnlab.files import write_whole
from attnlab.numbers import percent
from attnlab.report.charts import check_plot_path, save_chart
from attnlab.report.knowledge_charts import draw_coverage, draw_extraction, draw_reliability, draw_shares
from attnlab.report.knowledge_words import (
    capital,
    numbers,
    told_accuracy,
    told_calibration,
    told_coverage,
    told_extraction,
    told_resembling,
    told_shares,
)
from attnlab.report.pages import figure, render
from attnlab.report.surprise import SEEN

MOST = 40
"""So many examples are shown."""

Value = Mapping[str, Any]


@dataclass(frozen=True)
class Variants:
    """The accuracy of some variants, each a share with its interval, and what to hold them against by name: always the
    commonest answer, the ceiling."""

    bars: tuple[Bar, ...]
    marks: Mapping[str, float] = field(default_factory=dict)


def knowledge_page(title: str, found: Value) -> str:
    """The page of one evaluation: `Knowledge.as_json()`, and `baseline` with `commonest`, `ceiling` and `asides` where
    they are told beside it. It needs no network."""
    figures = [figure(chart.to_dict(), _unbroken(told), title) for title, chart, told in _charts(found)]
    resembling = found["resembling"]
    return render(
        "knowledge.html",
        figures,
        title=title,
        summary=_unbroken(told_accuracy(found["accuracy"])),
        asides=[capital(each) for each in found.get("asides", [])],
        numbers=[map(_unbroken, row) for row in numbers(found)],
        told=resembling and _unbroken(told_resembling(resembling)),
        examples=resembling["examples"] if resembling else [],
        most=MOST,
        percent=lambda share: _unbroken(percent(share)),
        seen=lambda text: text.translate(SEEN),
    )


def save_knowledge(title: str, found: Value, path: Path) -> None:
    """Write the page to a file that ends in .html, or the charts side by side to a .png or .svg."""
    check_plot_path(path)
    if path.suffix.lower() == ".html":
        write_whole(path, knowledge_page(title, found).encode())
        return
    _, charts, told = zip(*_charts(found), strict=True)
    together = alt.hconcat(*charts).properties(title=told_accuracy(found["accuracy"]))
    save_chart(together, path, title=title, description=" ".join(told))


def save_variants(title: str, variants: Variants, path: Path) -> None:
    """Write the bars of the variants to a file: .png, .svg or .html."""
    chart = draw_shares(variants.bars, "questions answered rightly", variants.marks)
    save_chart(chart, path, title=title, description=told_shares(variants.bars, variants.marks))


def _unbroken(words: str) -> str:
    """Words that no line of the page breaks between a number and its sign."""
    return words.replace(" %", "\N{NO-BREAK SPACE}%")


def _charts(found: Value) -> Iterator[tuple[str, alt.LayerChart, str]]:
    """The charts of what was measured, each with its title and its words."""
    confidence, extraction = found["confidence"], found["extraction"]
    lines = {"as it is": found["calibration"]}
    if confidence:
        fit = confidence["calibrations"]
        lines[f"at temperature {fit['temperature']:.3g}"] = fit["after"]
    yield "Whether its probabilities mean what they say", draw_reliability(lines), told_calibration(found)
    if confidence:
        yield "How much it can answer, and how well", draw_coverage(confidence), told_coverage(confidence)
    if extraction:
        told = told_extraction(extraction)
        yield "What it memorised, and what a question gets out", draw_extraction(extraction), told
