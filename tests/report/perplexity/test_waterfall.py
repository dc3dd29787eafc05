"""The chart of the parts: each begins where the last one ended, and the gap is where they end."""

import math

import pytest

from attnlab.evaluation.explanation.gaps import Gap, Part, Side
from attnlab.report.blocks import Presentation
from attnlab.report.charts import files as stills
from attnlab.report.perplexity.waterfall import describe_parts, draw_parts, parts_drawing


def gap_of(first: str, second: str, *parts: Part) -> Gap:
    """The gap that some parts add up to, on a text of 8 tokens and 8 bytes."""
    per_token, per_byte = (sum(getattr(each, name) for each in parts) for name in ("nats_per_token", "bits_per_byte"))
    sides = (
        Side(first, 8 * (1 + per_token), 8 * math.log(2) * (1 + per_byte), 8, 8),
        Side(second, 8.0, 8 * math.log(2), 8, 8),
    )
    return Gap(*sides, parts, (), (), ())


GAP = gap_of(
    "one & <b>",
    "two",
    Part("tokenizer", 1.5, 0.0),
    Part("nothing", 0.0, 0.0),
    Part("nearly nothing", 1e-9, -1e-9),
    Part("capitals", -0.25, -0.125),
)
BYTES, TOKENS = 0, 1


def rows(panel: int) -> list[dict]:
    return draw_parts(GAP).to_dict()["hconcat"][panel]["layer"][0]["data"]["values"]


def test_bars_follow_each_other_and_the_gap_is_their_sum():
    first, second, gap = rows(TOKENS)
    assert (first["start"], first["end"], second["start"], second["end"]) == (0, 1.5, 1.5, 1.25)
    assert (gap["start"], gap["end"], gap["kind"]) == (0, pytest.approx(1.25), "gap")
    assert [each["kind"] for each in rows(BYTES)] == ["less", "less", "gap"]


def test_each_says_its_name_and_number_and_what_is_nothing_is_left_out():
    assert [each["text"] for each in rows(TOKENS)] == ["tokenizer: +1.5000", "capitals: −0.2500", "total: +1.2500"]
    assert [each["text"] for each in rows(BYTES)] == ["tokenizer: 0", "capitals: −0.1250", "total: −0.1250"]


def test_it_is_described_in_words():
    said = describe_parts(GAP)
    assert said.startswith("one & <b> minus two: −0.1250 bits per byte, +1.2500 nats per token.")
    assert "capitals −0.1250" in said
    assert "Orange makes one & <b> cost more than two, blue less; grey is the total." in said


@pytest.mark.parametrize("gap", [GAP, gap_of("a", "a", Part("tokenizer", 0.0, 0.0)), gap_of("a", "b")])
def test_it_can_be_drawn(gap):
    drawn = stills.svg(draw_parts(gap).to_dict())
    assert "total" in drawn
    assert "NaN" not in drawn


def test_it_is_written_as_picture_drawing_and_page(tmp_path):
    shown = Presentation([], lambda: parts_drawing(GAP))
    for ending in ("png", "svg", "html"):
        shown.save_chart(tmp_path / f"parts.{ending}")
    assert (tmp_path / "parts.png").read_bytes().startswith(b"\x89PNG")
    assert "Why one &amp; &lt;b&gt; and two differ" in (tmp_path / "parts.svg").read_text()
    assert "<b>" not in (tmp_path / "parts.html").read_text().partition("<script")[0]
