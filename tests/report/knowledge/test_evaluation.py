"""The charts and the page of what a model knows: every number, escaped, and whole where little was measured."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from attnlab.benches.knowledge import (
    EvaluatedKnowledge,
    EvaluationSettings,
    QuestionReply,
    Replies,
    Sweep,
    SweepModel,
    SweepRow,
    SweepSettings,
)
from attnlab.benches.knowledge.people import KnownPeople, KnownPerson
from attnlab.benches.knowledge.sweeps.table import ModelNotes
from attnlab.charts import Bar
from attnlab.data.facts.sources import FactSource
from attnlab.errors import ArgumentError
from attnlab.evaluation.knowledge.calibration import Calibration, Calibrations
from attnlab.evaluation.knowledge.choosing import ChosenThreshold
from attnlab.evaluation.knowledge.coverage import AnswerCounts, Threshold
from attnlab.evaluation.knowledge.extraction import ExtractionTable
from attnlab.evaluation.knowledge.measuring import Confidence, Knowledge
from attnlab.evaluation.knowledge.resembling import Example, Resembling
from attnlab.evaluation.reliability import Bin
from attnlab.report.charts.axes import MOST_POINTS
from attnlab.report.charts.bars import draw_shares
from attnlab.report.charts.reliability import draw_reliability
from attnlab.report.knowledge.charts import draw_coverage, draw_extraction
from attnlab.report.knowledge.evaluation import evaluated, knowledge_page
from attnlab.report.knowledge.phrases import (
    coverage_sentence,
    extraction_sentence,
    numbers,
    resembling_sentence,
    threshold_words,
)
from attnlab.statistics import Share


def calibration(sure: float) -> Calibration:
    """Ten answers; the error is the distance between how sure they are and 0.25, for six of them."""
    return Calibration((Bin(0.0, 0.5, 6, sure, 0.25), Bin(0.5, 1.0, 4, 0.75, 0.75)), 0.5)


EXAMPLE = Example("Ada <b>", "Rome & so", "Os\x1blo", 0.25, "Ada Byron", 0.5)
CONFIDENCE = Confidence(
    Calibrations(2.5, calibration(0.45), calibration(0.27)),
    Threshold(0.625, 0.9, AnswerCounts(500, 90, 85), 300, 200),
    AnswerCounts(10, 5, 4),
    ((0.9, AnswerCounts(10, 2, 2)), (0.7, AnswerCounts(10, 5, 4)), (0.1, AnswerCounts(10, 10, 4))),
    Share(3, 20),
)
RESEMBLING = Resembling(Share(2, 6), 0.125, 0.012, 9999, 3, (EXAMPLE,))
EXTRACTION = ExtractionTable(3, 4, 1, 2)
FOUND = Knowledge(
    Share(4, 10),
    calibration(0.45),
    CONFIDENCE,
    RESEMBLING,
    EXTRACTION,
)
BARE = replace(FOUND, confidence=None, resembling=None, extraction=None)
BARS = (Bar("no <pretraining>", 0.018), Bar("pretrained", 0.26, -0.1, 1.2))
MARKS = {"always London": 0.05, "ceiling": 0.958}
SHUT = AnswerCounts(10, 0, 0)
SOME = Share(1, 4)
WITHOUT = replace(CONFIDENCE, threshold=replace(CONFIDENCE.threshold, probability=None), given=SHUT)


def record(found: Knowledge, **more: Any) -> EvaluatedKnowledge:
    """An evaluation of a model that knows so much."""
    held_against = {"baseline": 0.05, "commonest": "London", "ceiling": 0.958, "remarks": ()}
    source, settings = FactSource("birthplaces"), EvaluationSettings()
    return EvaluatedKnowledge("known", source, **{**held_against, **more}, knowledge=found, settings=settings)


def rows(chart: Any) -> list[dict[str, Any]]:
    """The rows of every layer's own data."""
    value = chart.to_dict()
    layers = [value, *value.get("layer", [])]
    return [row for layer in layers for row in layer.get("data", {}).get("values", [])]


def test_reliability_has_a_line_for_each_calibration():
    drawn = rows(
        draw_reliability(
            {"as it is": calibration(0.3).bins, "at temperature 2": calibration(0.2).bins}, "sure", "answers"
        )
    )
    assert {row["name"] for row in drawn if "name" in row} == {"as it is", "at temperature 2"}
    assert {row.get("told") for row in drawn} >= {"6 answers: 0.300 sure, 0.250 right"}


def test_coverage_has_every_point_and_a_mark_at_the_threshold():
    drawn = rows(draw_coverage(CONFIDENCE))
    assert [(row["coverage"], row["precision"]) for row in drawn if "told" in row and "low" not in row][:3] == [
        (0.2, 1.0),
        (0.5, 0.8),
        (1.0, 0.4),
    ]
    (mark,) = {row["told"] for row in drawn if "low" in row}
    assert mark == "0.625: 50.0 % answered, 80.0 % right"
    assert {"precision": 0.9} in drawn


def test_without_a_threshold_there_is_no_mark():
    assert not [row for row in rows(draw_coverage(WITHOUT)) if "low" in row]
    assert coverage_sentence(WITHOUT) == (
        "No threshold reaches 90 % precision on 300 people kept out of finetuning and 200 strangers, so no question "
        "would be answered."
    )


@pytest.mark.parametrize(
    ("questions", "people", "strangers", "words"),
    [
        (3000, 3000, 2000, "3,000 people kept out of finetuning and 2,000 strangers"),
        (20, 10, 20, "20 questions about 10 people kept out of finetuning and 20 strangers"),
        (2, 1, 1, "2 questions about 1 person kept out of finetuning and 1 stranger"),
        (3, 3, 0, "3 people kept out of finetuning and no strangers"),
    ],
)
def test_whom_a_threshold_was_chosen_on_is_told(questions, people, strangers, words):
    chosen = AnswerCounts(questions + strangers, 90, 85)
    threshold = Threshold(0.625, 0.9, chosen, people, strangers)
    assert threshold_words(threshold) == (
        f"from a probability of 0.625 on, chosen for 90 % precision on {words}, where 85 of 90 answers are right"
    )


@pytest.mark.parametrize(
    ("precision", "words"),
    [(0.999, "99.9 %"), (0.001, "0.1 %"), (0.955, "95.5 %"), (0.9999999, "99.99999 %"), (0.07, "7 %"), (1.0, "100 %")],
)
def test_the_precision_is_the_one_that_was_typed(precision, words):
    threshold = replace(CONFIDENCE.threshold, precision=precision)
    assert f"chosen for {words} precision on" in threshold_words(threshold)
    found = replace(FOUND, confidence=replace(CONFIDENCE, threshold=threshold))
    assert f"answered at a precision of {words}" in [name for name, _, _ in numbers(record(found))]


def test_a_threshold_that_answers_nothing_here_is_told():
    confidence = replace(CONFIDENCE, given=SHUT)
    assert not [row for row in rows(draw_coverage(confidence)) if "low" in row]
    assert coverage_sentence(confidence).endswith("answers are right, no question is answered here.")


def test_a_long_curve_is_thinned_and_keeps_its_end():
    curve = tuple((1 - number / 5000, AnswerCounts(5000, number, number // 2)) for number in range(1, 5001))
    confidence = replace(CONFIDENCE, curve=curve, given=AnswerCounts(5000, 0, 0))
    points = {row["coverage"] for row in rows(draw_coverage(confidence)) if "told" in row}
    assert len(points) <= MOST_POINTS + 1
    assert max(points) == 1


def test_the_table_is_four_bars():
    texts = [row["text"] for row in rows(draw_extraction(EXTRACTION)) if "text" in row]
    assert texts[:4] == [
        "memorised and extracted: 30.0 % (10.8 to 60.3)",
        "memorised, not extractable: 40.0 % (16.8 to 68.7)",
        "extracted, not memorised: 10.0 % (1.8 to 40.4)",
        "neither: 20.0 % (5.7 to 51.0)",
    ]
    told = extraction_sentence(EXTRACTION)
    assert told.startswith("Of 10 questions: memorised and extracted 30.0 %, ")
    assert "Questions extract 42.9 % (95 % interval 15.8 to 75.0) of the memorised facts." in told
    assert "people" not in json.dumps(draw_extraction(EXTRACTION).to_dict())


def test_variants_have_their_intervals_cut_to_what_a_share_can_be_and_marks():
    drawn = rows(draw_shares(BARS, "right", MARKS))
    texts = [row["text"] for row in drawn if "text" in row]
    assert texts[:2] == ["no <pretraining>: 1.8 %", "pretrained: 26.0 % (0.0 to 100.0)"]
    assert {(row["name"], row["value"]) for row in drawn if "name" in row} == {
        ("always London 5.0 %", 0.05),
        ("ceiling 95.8 %", 0.958),
    }


def test_chance_is_told():
    like = RESEMBLING
    assert "2 of 6 wrong answers (33.3 %)" in resembling_sentence(like)
    assert "more often than chance (p = 0.012, 9,999 shuffles)" in resembling_sentence(like)
    assert "not clearly more often" in resembling_sentence(replace(like, p_value=0.2))


def test_numbers_leave_out_what_was_not_measured():
    always = "always the commonest answer, London"
    ceiling = "ceiling: answers on a line of that person"
    names = [name for name, _, _ in numbers(record(BARE))]
    assert names == ["questions answered correctly", always, ceiling, "calibration error"]
    found = {name: value for name, value, _ in numbers(record(FOUND))}
    assert found["strangers who get a wrong answer"] == "15.0 %"
    assert found["calibration error at temperature 2.5"] == "0.0120"
    shut = replace(FOUND, confidence=WITHOUT)
    assert "of those correctly" not in {name for name, _, _ in numbers(record(shut))}


def test_that_no_stranger_was_asked_about_is_told():
    found = replace(FOUND, confidence=replace(CONFIDENCE, confident_wrong=None))
    told = ("strangers who get a wrong answer", "–", "not measured: there are no strangers to ask about")
    assert told in numbers(record(found))
    assert "made up               not measured: there are no strangers to ask about" in repr(record(found))


def test_the_page_has_what_is_told_beside_the_numbers():
    found = record(FOUND, commonest="Lon\x1bdon", remarks=("one of them is too <long>",))
    page = knowledge_page(found).replace("\xa0", " ").partition("<script")[0]
    assert '<th scope="row">always the commonest answer, Lon\\x1bdon</th><td>5.0 %</td>' in page
    assert '<th scope="row">ceiling: answers on a line of that person</th><td>95.8 %</td>' in page
    assert '<p class="note">One of them is too &lt;long&gt;.</p>' in page


def test_percentages_are_written_as_the_commands_do(tmp_path):
    swept().save(tmp_path / "variants.svg")
    shown = (tmp_path / "variants.svg").read_text() + re.sub(
        "<style>.*?</style>", "", knowledge_page(record(FOUND)).partition("<script")[0], flags=re.DOTALL
    )
    assert ">20 %</text>" in shown  # a tick
    assert not re.findall(r"\d%", shown)


def test_no_line_of_the_page_ends_before_a_sign():
    page = knowledge_page(record(FOUND)).partition("<script")[0]
    words = re.sub("<(style|svg).*?</(style|svg)>", "", page, flags=re.DOTALL)
    assert "95\xa0% interval" in words
    assert " %" not in words


def test_the_page_has_everything_and_is_escaped():
    page, _, script = knowledge_page(replace(record(FOUND), run="<it>")).replace("\xa0", " ").partition("<script")
    for text in (
        "<h1>What &lt;it&gt; knows of birthplaces</h1>",
        "40.0 % of 10 questions are answered correctly",
        "Are its probabilities calibrated?",
        "0.1200 as trained, and 0.0120 at temperature 2.5, chosen on 300 people kept out of finetuning. ",
        "From a probability of 0.625 on, chosen for 90 % precision on 300 people kept out of finetuning and 200 "
        "strangers, where 85 of 90 answers are right, 50.0 % of the questions",
        "Memorised and extracted facts",
        "<bdi>Ada &lt;b&gt;</bdi>",
        "Rome &amp; so",
        "Os\\x1blo",
        "prefers-color-scheme: dark",
    ):
        assert text in page
    assert page.count('class="chart"') == 3
    assert "\x1b" not in page
    assert 'src="' not in page
    assert script


def test_many_examples_are_cut():
    many = replace(FOUND, resembling=replace(RESEMBLING, examples=(EXAMPLE,) * 50))
    page = knowledge_page(record(many))
    assert "The 40 most similar of 50 are shown." in page
    assert page.count("Ada Byron") == 40


@pytest.mark.parametrize("found", [FOUND, BARE, replace(FOUND, confidence=WITHOUT)])
def test_it_is_written_as_picture_drawing_page_table_and_text(tmp_path, found):
    for ending in ("png", "svg", "html", "csv"):
        record(found).save(tmp_path / f"knows.{ending}")
    assert (tmp_path / "knows.png").read_bytes().startswith(b"\x89PNG")
    for ending in ("svg", "html"):
        text = (tmp_path / f"knows.{ending}").read_text().partition("<script")[0]
        assert "NaN" not in text
        assert "questions are answered correctly" in text
    assert (tmp_path / "knows.csv").read_text().startswith("measured,value,uncertainty\n")
    assert "answered correctly    40.0 % (95 % interval 16.8 to 68.7) of 10 held-out questions" in repr(record(found))
    assert record(found)._repr_html_().startswith("<div>")


def test_another_ending_is_refused(tmp_path):
    with pytest.raises(ArgumentError, match=r"expected a file that ends in \.html, \.svg, \.png, \.json or \.csv"):
        record(FOUND).save(tmp_path / "knows.pdf")


def test_control_characters_play_no_games_with_a_terminal():
    blocks = evaluated(record(FOUND)).blocks
    shown = str(blocks)
    assert "\x1b" not in shown
    assert "Os\\\\x1blo" in shown


def test_what_an_evaluation_measures_can_be_drawn():
    from attnlab.evaluation.knowledge.answers import ModelAnswer
    from attnlab.evaluation.knowledge.measuring import measure_knowledge

    answers = [ModelAnswer(f"Ada B{number}", "?", "Rome", place, 0.5) for number, place in enumerate(("Rome", "Oslo"))]
    found = measure_knowledge(
        answers, held_out=answers, unseen=answers, known=[("Ada C", "Oslo")], memorised=[True, False]
    )
    page = knowledge_page(record(found))
    assert "Ada C" in page
    assert "No threshold reaches" in page


def swept(mixers: int = 1, made_up: Share | None = SOME) -> Sweep:
    """A table of two variants, each with some mixers."""
    knowledge = replace(FOUND, confidence=replace(CONFIDENCE, confident_wrong=made_up))
    one = SweepModel(Path("all/a"), ModelNotes(0, 1234, 2.0, Share(1, 2), ("it is <odd>",)), knowledge)
    rows = tuple(
        SweepRow(variant, "quick", mixer, (one,) * 2)
        for variant in ("none", "recital")
        for mixer in ("dot-product", "perceiver")[:mixers]
    )
    return Sweep(Path("all"), SweepSettings(seeds=2), 10, 0.05, "London", 0.958, rows)


def test_a_sweep_is_a_table_and_bars(tmp_path):
    shown = repr(swept())
    row = r"^none +dot-product +1,234  40\.0 % \(17 to 69\) +70\.0 %  50\.0 % +25\.0 %$"
    assert re.search(row, shown, re.MULTILINE)
    for text in (
        "always the commonest  5.0 % (London)",
        "ceiling               95.8 % of 10 held-out questions have the answer on a line",
        "95 % interval over the questions, or over 2 seeds where that one is wider",
        "\nit is <odd>\n",
        "the runs are in all",
    ):
        assert text in shown
    assert shown.count("it is <odd>") == 1
    assert re.search(r"50\.0 % +–$", repr(swept(made_up=None)), re.MULTILINE)
    drawn = swept(2).save(tmp_path / "bars.svg").read_text()
    assert "recital, perceiver: 40.0 % (" in drawn
    assert "ceiling 95.8 %" in drawn
    assert "NaN" not in drawn
    page = swept().save(tmp_path / "bars.html").read_text()
    assert "it is &lt;odd&gt;" in page
    assert swept().save(tmp_path / "bars.csv").read_text().startswith("variant,recipe,mixer,parameters,accuracy,")


def test_bars_of_nothing_can_be_drawn():
    assert "NaN" not in json.dumps(draw_shares((Bar("nothing", 0.0),), "right").to_dict())


REPLIES = (
    QuestionReply("Where was Bo born?", "Oslo", "Oslo", 0.75, (("Rome", 0.2), ("", 0.01)), "Bo. Born in Oslo."),
    QuestionReply("Where was \x1bCy born?", None, "Rome", 0.3, (), "", "1 of its words it has never seen"),
    QuestionReply("Who?", note="it was taught questions such as Where was … born?"),
)


def asked(*replies: QuestionReply, threshold: float | None = 0.5, reached: float | None = 0.9) -> Replies:
    return Replies(
        "known", ChosenThreshold(1.0, replace(CONFIDENCE.threshold, probability=threshold)), replies, reached
    )


def test_replies_are_shown():
    assert repr(asked(*REPLIES)).splitlines() == [
        "Where was Bo born?",
        "Oslo (0.750)",
        "  then: Rome (0.200), (nothing) (0.010)",
        "  from memory: Bo. Born in Oslo.",
        "Where was \\x1bCy born?",
        "I do not know; the likeliest would be Rome (0.300)",
        "  note: 1 of its words it has never seen",
        "Who?",
        "I do not know: it was taught questions such as Where was … born?",
        "it answers from a probability of 0.500 on, chosen for 90 % precision on 300 people kept out of finetuning and "
        "200 strangers, where 85 of 90 answers are right",
    ]
    assert repr(asked(REPLIES[0])).startswith("Oslo (0.750)\n")
    nothing = asked(REPLIES[1], threshold=None, reached=None)
    assert repr(nothing).endswith("strangers, so no question is answered")
    assert repr(replace(nothing, reached=0.75)).endswith("so no question is answered; try --precision 0.75")


def test_replies_are_drawn(tmp_path):
    drawn = asked(*REPLIES).save(tmp_path / "bars.svg").read_text()
    for text in ("Where was Bo born? Oslo: 75.0 %", "(nothing): 1.0 %", "threshold 50.0 %", ">100 %</text>"):
        assert text in drawn
    assert "Who?" not in drawn
    alone = asked(REPLIES[0]).save(tmp_path / "alone.svg").read_text()
    assert ">Oslo: 75.0 %</text>" in alone
    assert ">Where was Bo born?</text>" in alone
    assert "threshold" not in asked(*REPLIES, threshold=None).save(tmp_path / "none.svg").read_text()
    with pytest.raises(ArgumentError, match="this result has no chart"):
        asked(REPLIES[2]).save(tmp_path / "nothing.svg")


def test_people_are_listed():
    people = (
        KnownPerson("Ada", "trained on", (("Where was Ada born?", "Oslo"), ("Who is Ada?", "a poet")), ("Ada. …",)),
        KnownPerson("B\x1bo", "read only", (), ("Bo. …",)),
    )
    shown = repr(KnownPeople("known", people, ("Cy Berg",)))
    assert re.search("^Ada +Where was Ada born\\? +Oslo +trained on$", shown, re.MULTILINE)
    assert re.search("^Ada +Who is Ada\\? +a poet +trained on$", shown, re.MULTILINE)
    assert re.search(r"^B\\x1bo +read only$", shown, re.MULTILINE)
    assert "such as Cy Berg: any answer about them is made up" in shown
    assert "strangers" not in repr(KnownPeople("known", people, ()))
