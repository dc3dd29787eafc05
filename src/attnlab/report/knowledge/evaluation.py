"""How an evaluation of a model's knowledge is shown: a table, examples, charts and a page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from attnlab.numbers import percent
from attnlab.report.blocks import Block, Drawing, Presentation, borderless
from attnlab.report.knowledge.phrases import (
    UNASKED,
    accuracy_sentence,
    calibration_sentence,
    capital,
    coverage_sentence,
    extraction_sentence,
    kept_out_words,
    numbers,
    resembling_sentence,
    share_words,
    threshold_words,
)
from attnlab.report.writing.lines import on_one_line

if TYPE_CHECKING:
    import altair as alt

    from attnlab.benches.knowledge import EvaluatedKnowledge
    from attnlab.evaluation.knowledge.extraction import ExtractionTable
    from attnlab.evaluation.knowledge.measuring import Confidence
    from attnlab.evaluation.knowledge.resembling import Resembling

EXAMPLES = 5
"""How many examples a terminal shows."""
PANEL = 250
"""The width of a panel, in pixels: three of them fit on a page."""
MOST = 40
"""How many examples a page shows."""


def evaluated(found: EvaluatedKnowledge) -> Presentation:
    """How much a model knows, memorised and makes up."""
    knowledge = found.knowledge
    blocks: list[Block] = [borderless(("measured", "value"), list(_measured(found)), words=2), *found.remarks]
    if knowledge.extraction:
        blocks.append(_cells(knowledge.extraction))
    if knowledge.resembling and knowledge.resembling.examples:
        blocks.append(_examples(knowledge.resembling))
    rows = [{"measured": name, "value": value, "uncertainty": within} for name, value, within in numbers(found)]
    return Presentation(blocks, lambda: _drawing(found), lambda: knowledge_page(found), rows)


def knowledge_page(found: EvaluatedKnowledge) -> str:
    """The page of an evaluation. The page needs no network."""
    from attnlab.report.page.pages import figure, render

    resembling = found.knowledge.resembling
    charts = _charts(found)
    return render(
        "knowledge.html",
        [figure(chart.to_dict(), _unbroken(words), title) for title, chart, words in charts],
        title=_title(found),
        summary=_unbroken(accuracy_sentence(found.knowledge.accuracy)),
        asides=[capital(each) for each in found.remarks],
        numbers=[[_unbroken(on_one_line(cell)) for cell in row] for row in numbers(found)],
        told=resembling and _unbroken(resembling_sentence(resembling)),
        examples=resembling.examples if resembling else [],
        most=MOST,
        percent=lambda share: _unbroken(percent(share)),
        seen=on_one_line,
    )


def _title(found: EvaluatedKnowledge) -> str:
    return f"What {found.run} knows of {found.source.name}"


def _measured(found: EvaluatedKnowledge) -> Iterator[tuple[str, str]]:
    """A line for each measurement."""
    knowledge = found.knowledge
    right = knowledge.accuracy
    yield "answered correctly", f"{share_words(right)} of {right.examples:,} held-out questions"
    yield "always the commonest", f"{percent(found.baseline)} ({found.commonest})"
    yield "ceiling", f"{percent(found.ceiling)} have the answer on a line of that person"
    error, sure = f"{knowledge.calibration.error:.4f}", knowledge.confidence
    if sure is None:
        yield "calibration error", error
    else:
        fit, threshold = sure.calibrations, sure.threshold
        chosen = f"chosen on {kept_out_words(threshold.questions, threshold.people)}"
        worse = ", no better than before" if fit.after.error >= knowledge.calibration.error else ""
        scaled = f"{fit.after.error:.4f} at temperature {fit.temperature:.3g}, {chosen}{worse}"
        yield "calibration error", f"{error} as trained; {scaled}"
        yield "answers given", _given(sure)
        yield "made up", _made_up(sure)
    if knowledge.resembling is not None:
        like = knowledge.resembling
        share = f"{like.share.count:,} of {like.share.examples:,} wrong answers are true of somebody whose name is"
        chance = f"by chance {percent(like.expected)}, p = {like.p_value:.2g}"
        yield "similar names", f"{share} among the {like.nearest} most similar; {chance}"


def _given(sure: Confidence) -> str:
    given, words = sure.given, threshold_words(sure.threshold)
    if sure.threshold.probability is None:
        return f"no answer: {words}"
    right = f" ({given.right:,} of {given.answered:,} correctly)" if given.answered else ""
    return f"{percent(given.coverage.value)}{right}, {words}"


def _made_up(sure: Confidence) -> str:
    wrong = sure.confident_wrong
    if wrong is None:
        return UNASKED
    if sure.threshold.probability is None:
        return "nothing, because no question is answered"
    return f"{share_words(wrong)} of {wrong.examples:,} strangers get a wrong answer"


def _cells(extraction: ExtractionTable) -> Block:
    rows = [
        ("memorised", f"{extraction.both:,}", f"{extraction.memorised_only:,}"),
        ("not memorised", f"{extraction.extracted_only:,}", f"{extraction.neither:,}"),
    ]
    return borderless(("questions", "extracted", "not extracted"), rows)


def _examples(resembling: Resembling) -> Block:
    rows = [(each.name, each.answer, each.truth, each.similar) for each in resembling.examples[:EXAMPLES]]
    return borderless(("asked about", "answer", "true", "the answer is true of"), rows, words=4)


def _drawing(found: EvaluatedKnowledge) -> Drawing:
    import altair as alt

    _, charts, words = zip(*_charts(found), strict=True)
    narrow = [chart.properties(width=PANEL) for chart in charts]
    together = alt.hconcat(*narrow).properties(title=accuracy_sentence(found.knowledge.accuracy))
    return Drawing(together, _title(found), " ".join(words))


def _charts(found: EvaluatedKnowledge) -> Iterator[tuple[str, alt.LayerChart, str]]:
    """The charts, each with its title and its description."""
    from attnlab.report.charts.reliability import draw_reliability
    from attnlab.report.knowledge.charts import draw_coverage, draw_extraction

    knowledge = found.knowledge
    sure, extraction = knowledge.confidence, knowledge.extraction
    lines = {"as trained": knowledge.calibration.bins}
    if sure:
        lines[f"at temperature {sure.calibrations.temperature:.3g}"] = sure.calibrations.after.bins
    words = calibration_sentence(knowledge)
    chart = draw_reliability(lines, "mean probability of the answer", "answers")
    yield "Are its probabilities calibrated?", chart, words
    if sure:
        yield "Precision and coverage", draw_coverage(sure), coverage_sentence(sure)
    if extraction:
        words = extraction_sentence(extraction)
        yield "Memorised and extracted facts", draw_extraction(extraction), words


def _unbroken(words: str) -> str:
    """The words with a no-break space before each %."""
    return words.replace(" %", "\N{NO-BREAK SPACE}%")
