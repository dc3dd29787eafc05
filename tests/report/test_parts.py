"""The chart of the parts: each begins where the last one ended, and the gap is where they end."""

import pytest

from attnlab.report import stills
from attnlab.report.parts import PartBar, Parts, draw_parts, save_parts

PARTS = Parts(
    "one & <b>",
    "two",
    (
        PartBar("tokenizer", 1.5, 0.0),
        PartBar("nothing", 0.0, 0.0),
        PartBar("nearly nothing", 1e-9, -1e-9),
        PartBar("capitals", -0.25, -0.125),
    ),
)
BYTES, TOKENS = 0, 1


def rows(panel: int) -> list[dict]:
    return draw_parts(PARTS).to_dict()["hconcat"][panel]["data"]["values"]


def test_bars_follow_each_other_and_the_gap_is_their_sum():
    first, second, gap = rows(TOKENS)
    assert (first["start"], first["end"], second["start"], second["end"]) == (0, 1.5, 1.5, 1.25)
    assert (gap["start"], gap["end"], gap["kind"]) == (0, pytest.approx(1.25), "gap")
    assert [each["kind"] for each in rows(BYTES)] == ["less", "less", "gap"]


def test_each_says_its_name_and_number_and_what_is_nothing_is_left_out():
    assert [each["text"] for each in rows(TOKENS)] == ["tokenizer: +1.5000", "capitals: −0.2500", "together: +1.2500"]
    assert [each["text"] for each in rows(BYTES)] == ["tokenizer: 0", "capitals: −0.1250", "together: −0.1250"]


def test_it_is_told_in_words():
    assert PARTS.description.startswith("one & <b> less two: −0.1250 bits per byte, +1.2500 nats per token.")
    assert "capitals −0.1250" in PARTS.description
    assert "Orange makes one & <b> cost more than two, blue less" in PARTS.description


@pytest.mark.parametrize("parts", [PARTS, Parts("a", "a", (PartBar("tokenizer", 0.0, 0.0),)), Parts("a", "b", ())])
def test_it_can_be_drawn(parts):
    drawn = stills.svg(draw_parts(parts).to_dict())
    assert "together" in drawn
    assert "NaN" not in drawn


def test_it_is_written_as_picture_drawing_and_page(tmp_path):
    for ending in ("png", "svg", "html"):
        save_parts(PARTS, tmp_path / f"parts.{ending}")
    assert (tmp_path / "parts.png").read_bytes().startswith(b"\x89PNG")
    assert "Why one &amp; &lt;b&gt; and two differ" in (tmp_path / "parts.svg").read_text()
    assert "<b>" not in (tmp_path / "parts.html").read_text().partition("<script")[0]
