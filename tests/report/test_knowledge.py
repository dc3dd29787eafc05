"""The charts and the page of what a model knows: every number, escaped, and whole where little was measured."""

import json
import re
from typing import Any

import pytest

from attnlab.claims.claim import Bar
from attnlab.errors import ArgumentError
from attnlab.report.knowledge import Variants, knowledge_page, save_knowledge, save_variants
from attnlab.report.knowledge_charts import MOST_POINTS, draw_coverage, draw_extraction, draw_reliability, draw_shares
from attnlab.report.knowledge_words import numbers, told_coverage, told_extraction, told_resembling, told_threshold


def share(count: int, examples: int) -> dict[str, Any]:
    value = count / examples
    return {"value": value, "interval": [value / 2, (1 + value) / 2], "count": count, "examples": examples}


def calibration(error: float) -> dict[str, Any]:
    bins = [
        {"low": 0.0, "high": 0.5, "examples": 6, "confidence": 0.3, "accuracy": 0.25},
        {"low": 0.5, "high": 1.0, "examples": 4, "confidence": 0.8, "accuracy": 0.75},
    ]
    return {"error": error, "nats": 0.5, "bins": bins}


EXAMPLE = {
    "name": "Ada <b>",
    "truth": "Rome & so",
    "answer": "Os\x1blo",
    "probability": 0.25,
    "similar": "Ada Byron",
    "resemblance": 0.5,
}
FOUND: dict[str, Any] = {
    "accuracy": share(4, 10),
    "calibration": calibration(0.1234),
    "confidence": {
        "calibrations": {
            "temperature": 2.5,
            "before": calibration(0.1234),
            "after": calibration(0.0123),
        },
        "threshold": {
            "probability": 0.625,
            "precision": 0.9,
            "chosen_on": {
                "questions": 300,
                "people": 300,
                "strangers": 200,
                "coverage": share(90, 500),
                "precision": share(85, 90),
            },
        },
        "given": {"coverage": share(5, 10), "precision": share(4, 5)},
        "curve": [[0.9, 2, 2], [0.7, 5, 4], [0.1, 10, 4]],
        "confident_wrong": share(3, 20),
    },
    "resembling": {
        "share": share(2, 6),
        "expected": 0.125,
        "p_value": 0.012,
        "shuffles": 9999,
        "nearest": 3,
        "examples": [EXAMPLE],
    },
    "extraction": {
        "questions": 10,
        "both": share(3, 10),
        "memorised_only": share(4, 10),
        "extracted_only": share(1, 10),
        "neither": share(2, 10),
        "memorised": share(7, 10),
        "extracted": share(4, 10),
        "extracted_of_memorised": share(3, 7),
        "extracted_of_others": share(1, 3),
    },
}
BARE = FOUND | {"confidence": None, "resembling": None, "extraction": None}
VARIANTS = Variants(
    (Bar("no <pretraining>", 0.018), Bar("pretrained", 0.26, -0.1, 1.2)), {"always London": 0.05, "ceiling": 0.958}
)
SHUT = {"coverage": share(0, 10), "precision": None}


def without_threshold(**given: Any) -> dict[str, Any]:
    threshold = FOUND["confidence"]["threshold"] | {"probability": None}
    return FOUND["confidence"] | {"threshold": threshold, "given": SHUT} | given


def rows(chart: Any) -> list[dict[str, Any]]:
    """The rows of every layer's own data."""
    value = chart.to_dict()
    layers = [value, *value.get("layer", [])]
    return [row for layer in layers for row in layer.get("data", {}).get("values", [])]


def test_reliability_has_a_line_for_each_calibration():
    drawn = rows(draw_reliability({"as it is": calibration(0.1), "at temperature 2": calibration(0.2)}))
    assert {row["name"] for row in drawn if "name" in row} == {"as it is", "at temperature 2"}
    assert {row.get("told") for row in drawn} >= {"6 answers: 0.300 sure, 0.250 right"}


def test_coverage_has_every_point_and_a_mark_at_the_threshold():
    drawn = rows(draw_coverage(FOUND["confidence"]))
    assert [(row["coverage"], row["precision"]) for row in drawn if "told" in row and "low" not in row][:3] == [
        (0.2, 1.0),
        (0.5, 0.8),
        (1.0, 0.4),
    ]
    (mark,) = {row["told"] for row in drawn if "low" in row}
    assert mark == "0.625: 50.0 % answered, 80.0 % right"
    assert {"precision": 0.9} in drawn


def test_without_a_threshold_there_is_no_mark():
    assert not [row for row in rows(draw_coverage(without_threshold())) if "low" in row]
    assert told_coverage(without_threshold()) == (
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
    threshold = FOUND["confidence"]["threshold"]
    chosen = threshold["chosen_on"] | {"questions": questions, "people": people, "strangers": strangers}
    told = told_threshold(threshold | {"chosen_on": chosen})
    assert (
        told
        == f"from a probability of 0.625 on, chosen for 90 % precision on {words}, where 85 of 90 answers are right"
    )


@pytest.mark.parametrize(
    ("precision", "words"),
    [(0.999, "99.9 %"), (0.001, "0.1 %"), (0.955, "95.5 %"), (0.9999999, "99.99999 %"), (0.07, "7 %"), (1.0, "100 %")],
)
def test_the_precision_is_the_one_that_was_typed(precision, words):
    threshold = FOUND["confidence"]["threshold"] | {"precision": precision}
    assert f"chosen for {words} precision on" in told_threshold(threshold)
    names = [name for name, _, _ in numbers(FOUND | {"confidence": FOUND["confidence"] | {"threshold": threshold}})]
    assert f"answered at a precision of {words}" in names


def test_a_threshold_that_answers_nothing_here_is_told():
    confidence = FOUND["confidence"] | {"given": SHUT}
    assert not [row for row in rows(draw_coverage(confidence)) if "low" in row]
    assert told_coverage(confidence).endswith("answers are right, no question is answered here.")


def test_a_long_curve_is_thinned_and_keeps_its_end():
    curve = [[1 - number / 5000, number, number // 2] for number in range(1, 5001)]
    confidence = FOUND["confidence"] | {"curve": curve, "given": SHUT | {"coverage": share(0, 5000)}}
    points = {row["coverage"] for row in rows(draw_coverage(confidence)) if "told" in row}
    assert len(points) <= MOST_POINTS + 1
    assert max(points) == 1


def test_the_table_is_four_bars():
    texts = [row["text"] for row in rows(draw_extraction(FOUND["extraction"])) if "text" in row]
    assert texts[:4] == [
        "memorised and extracted: 30.0 % (15.0 to 65.0)",
        "memorised, not extractable: 40.0 % (20.0 to 70.0)",
        "extracted, not memorised: 10.0 % (5.0 to 55.0)",
        "neither: 20.0 % (10.0 to 60.0)",
    ]
    told = told_extraction(FOUND["extraction"])
    assert told.startswith("Of 10 questions: memorised and extracted 30.0 %, ")
    assert "Of the memorised, a question gets out 42.9 % (95 % interval 21.4 to 71.4)." in told
    assert "people" not in json.dumps(draw_extraction(FOUND["extraction"]).to_dict())


def test_variants_have_their_intervals_cut_to_what_a_share_can_be_and_marks():
    drawn = rows(draw_shares(VARIANTS.bars, "right", VARIANTS.marks))
    texts = [row["text"] for row in drawn if "text" in row]
    assert texts[:2] == ["no <pretraining>: 1.8 %", "pretrained: 26.0 % (0.0 to 100.0)"]
    assert {(row["name"], row["value"]) for row in drawn if "name" in row} == {
        ("always London 5.0 %", 0.05),
        ("ceiling 95.8 %", 0.958),
    }


def test_chance_is_told():
    assert "2 of 6 wrong answers (33.3 %)" in told_resembling(FOUND["resembling"])
    assert "more often than chance (p = 0.012, 9,999 shuffles)" in told_resembling(FOUND["resembling"])
    assert "not clearly more often" in told_resembling(FOUND["resembling"] | {"p_value": 0.2})


def test_numbers_leave_out_what_was_not_measured():
    assert [name for name, _, _ in numbers(BARE)] == ["questions answered rightly", "calibration error"]
    found = {name: value for name, value, _ in numbers(FOUND)}
    assert found["given a wrong answer of people never seen"] == "15.0 %"
    assert found["calibration error at temperature 2.5"] == "0.0123"
    shut = FOUND | {"confidence": without_threshold()}
    assert "of those rightly" not in {name for name, _, _ in numbers(shut)}


def test_that_no_stranger_was_asked_about_is_told():
    found = FOUND | {"confidence": FOUND["confidence"] | {"confident_wrong": None}}
    assert ("given a wrong answer of people never seen", "–", "not measured: no stranger was asked about") in (
        numbers(found)
    )


def test_the_page_has_what_is_told_beside_the_record():
    beside = {"baseline": 0.05, "commonest": "Lon\x1bdon", "ceiling": 0.958, "asides": ["one of them is too <long>"]}
    page = knowledge_page("t", FOUND | beside).replace("\xa0", " ").partition("<script")[0]
    assert '<th scope="row">always the commonest answer, Lon␛don</th><td>5.0 %</td>' in page
    assert '<th scope="row">ceiling: answers on a line of that person</th><td>95.8 %</td>' in page
    assert '<p class="note">One of them is too &lt;long&gt;.</p>' in page


def test_percentages_are_written_as_the_commands_do(tmp_path):
    save_variants("Variants", VARIANTS, tmp_path / "variants.svg")
    shown = (tmp_path / "variants.svg").read_text() + re.sub(
        "<style>.*?</style>", "", knowledge_page("t", FOUND).partition("<script")[0], flags=re.DOTALL
    )
    assert ">20 %</text>" in shown  # a tick
    assert not re.findall(r"\d%", shown)


def test_no_line_of_the_page_ends_before_a_sign():
    page = knowledge_page("t", FOUND).partition("<script")[0]
    words = re.sub("<(style|svg).*?</(style|svg)>", "", page, flags=re.DOTALL)
    assert "95\xa0% interval" in words
    assert " %" not in words


def test_the_page_has_everything_and_is_escaped():
    page, _, script = knowledge_page("What <it> knows", FOUND).replace("\xa0", " ").partition("<script")
    for text in (
        "<h1>What &lt;it&gt; knows</h1>",
        "40.0 % of 10 questions are answered rightly",
        "Whether its probabilities mean what they say",
        "0.1234 as the model is, and 0.0123 at temperature 2.5, chosen on 300 people kept out of finetuning. ",
        "From a probability of 0.625 on, chosen for 90 % precision on 300 people kept out of finetuning and 200 "
        "strangers, where 85 of 90 answers are right, 50.0 % of the questions",
        "What it memorised, and what a question gets out",
        "<bdi>Ada &lt;b&gt;</bdi>",
        "Rome &amp; so",
        "Os␛lo",
        "prefers-color-scheme: dark",
    ):
        assert text in page
    assert page.count('class="chart"') == 3
    assert "\x1b" not in page
    assert 'src="' not in page
    assert script


def test_many_examples_are_cut():
    many = FOUND["resembling"] | {"examples": [EXAMPLE] * 50}
    page = knowledge_page("t", FOUND | {"resembling": many})
    assert "The 40 most similar of 50 are shown." in page
    assert page.count("Ada Byron") == 40


@pytest.mark.parametrize("found", [FOUND, BARE, FOUND | {"confidence": without_threshold()}])
def test_it_is_written_as_picture_drawing_and_page(tmp_path, found):
    for ending in ("png", "svg", "html"):
        save_knowledge("What it knows", found, tmp_path / f"knows.{ending}")
    assert (tmp_path / "knows.png").read_bytes().startswith(b"\x89PNG")
    for ending in ("svg", "html"):
        text = (tmp_path / f"knows.{ending}").read_text().partition("<script")[0]
        assert "NaN" not in text
        assert "questions are answered rightly" in text


def test_variants_are_written(tmp_path):
    save_variants("Variants", VARIANTS, tmp_path / "variants.svg")
    text = (tmp_path / "variants.svg").read_text()
    assert "ceiling 95.8 %" in text
    assert "NaN" not in text
    save_variants("Variants", Variants((Bar("nothing", 0.0),)), tmp_path / "nothing.svg")
    assert "NaN" not in (tmp_path / "nothing.svg").read_text()


def test_another_ending_is_refused(tmp_path):
    with pytest.raises(ArgumentError, match=r"expected a file that ends in \.png, \.svg or \.html"):
        save_knowledge("t", FOUND, tmp_path / "knows.pdf")


def test_what_an_evaluation_writes_can_be_drawn():
    from attnlab.evaluation.knowledge.answers import Answer
    from attnlab.evaluation.knowledge.measuring import measure_knowledge

    answers = [Answer(f"Ada B{number}", "?", "Rome", place, 0.5) for number, place in enumerate(("Rome", "Oslo"))]
    found = measure_knowledge(
        answers, held_out=answers, unseen=answers, known=[("Ada C", "Oslo")], memorised=[True, False]
    )
    page = knowledge_page("t", json.loads(json.dumps(found.as_json())))
    assert "Ada C" in page
    assert "No threshold reaches" in page
