"""How attention on a text is shown: shaded text, a matrix, a grid, a chart, and a page that carries its weights."""

import json
import re
import zlib
from base64 import b64decode, b64encode
from hashlib import sha256

import numpy as np
import pytest

from attnlab.benches.heads.look import HeadPatterns
from attnlab.evaluation.heads.looking import Pattern
from attnlab.report.blocks import Marked
from attnlab.report.heads.look.page import look_page
from attnlab.report.heads.look.presentation import looked

NASTY = ("</script><script>alert(1)</script>", "\u202eab", "\x1b[31m", " cat", "\n", "&", "\udcc3")


def pattern(count: int, sharp: float = 1.0, sink: float = 0.0) -> Pattern:
    """A head that attends to the token before."""
    logits = np.zeros((count, count), np.float32)
    logits[np.arange(1, count), np.arange(count - 1)] = sharp
    totals = np.log((np.exp(logits) * np.tri(count)).sum(1) + sink)
    past = logits[np.tri(count, dtype=bool)]
    return Pattern(past, totals.astype(np.float64), np.zeros((count, 2), np.float32))


def record(tokens: tuple[str, ...], heads: int = 1, query: int | None = None, **more) -> HeadPatterns:
    patterns = {f"{number // 2}.{number % 2}": pattern(len(tokens), number + 1) for number in range(heads)}
    query = len(tokens) - 1 if query is None else query
    return HeadPatterns("small", "".join(tokens), tokens, patterns, (-(-heads // 2), 2), query, **more)


def test_one_head_is_a_text_with_signs_and_all_numbers():
    found = record(tuple("abcd"), query=2)
    shown = repr(found).splitlines()
    assert shown[:2] == [
        "small: 1 head on 4 tokens",
        "head 0.0: the attention of position 2, “c”, on each token up to it",
    ]
    weights = found.weights()
    assert shown[3] == "a(+)b(++)c(+)d"  # 0.21, 0.58 and 0.21
    assert shown[5].split() == ["1", "“b”", f"{weights[2, 1]:.4f}", "1.000"]
    assert shown[-2].split() == ["2", "c", *(f"{100 * each:.0f}" for each in weights[2, :3])]
    assert len(shown[-4].split()) == 3


def test_a_longer_text_has_signs_and_a_long_text_is_cut():
    shown = repr(record(tuple("abcde" * 4))).splitlines()
    assert shown[-20].split() == ["0", "a", "█"]
    assert shown[-19].split() == ["1", "b", "▓▒"]
    long = record(tuple("x" * 500), query=450)
    assert len(repr(long).splitlines()) < 12
    (text,) = (each for each in looked(long).blocks if isinstance(each, Marked))
    assert (text.pieces[0][0], text.pieces[-1][0], len(text.pieces)) == ("… ", " …", 402)


def test_many_heads_are_a_grid_of_their_strongest_tokens():
    shown = repr(record(("The", " cat", " satisfied", "."), heads=4)).splitlines()
    assert shown[2].split() == ["layer", "head", "0", "head", "1"]
    assert shown[3].split("  ")[0] == "0"
    assert "␣satisf… 71" in shown[3]  # e² of e² + 3


def test_what_a_reader_must_know_is_told():
    found = record(tuple("abc"), unknown=(1,), started=True)
    assert "position 0 is the model's start token, “a”, which stands before every text" in repr(found)
    assert "the model does not know 1 of the tokens (positions 1)" in repr(found)
    sink = HeadPatterns("small", "ab", ("a", "b"), {"0.0": pattern(2, 0.0, sink=2.0)}, (1, 1), 1)
    assert "50.0 % of its attention goes to no token: the sink takes it" in repr(sink)


def embedded(page: str, name: str) -> bytes:
    (piece,) = re.findall(rf'<script type="text/plain" id="{re.escape(name)}">([^<]*)</script>', page)
    return zlib.decompress(b64decode(piece))


def test_the_page_carries_exact_logits_and_totals():
    found = record(tuple("abcdefg"), heads=3)
    page = look_page(found)
    for name in found.heads:
        content = embedded(page, f"head-{name}")
        np.testing.assert_array_equal(np.frombuffer(content[: 8 * 7], "<f8"), found.pattern(name).totals)
        np.testing.assert_array_equal(np.frombuffer(content[8 * 7 :], "<f4"), found.pattern(name).past)
    small = np.frombuffer(embedded(page, "small"), np.uint8).reshape(3, 7, 7)
    np.testing.assert_allclose((small[2] / 255) ** 2, found.weights("1.0"), atol=0.004)
    assert "The numbers are exact to float32." in page


def test_a_large_page_has_rounded_weights_and_names_the_heads_left_out():
    found = record(tuple("ab" * 30), heads=4)
    pairs = 60 * 61 // 2
    page = look_page(found, largest=pairs * 6)
    content = embedded(page, "head-0.1")
    rounded = (np.frombuffer(content[8 * 60 :], np.uint8) / 255) ** 2
    exact = found.pattern("0.1").past_weights
    assert (abs(rounded - exact) <= np.sqrt(exact) / 255 + 1e-5).all()
    assert "up to √w / 255" in page
    fewer = look_page(found, largest=5000)
    kept = re.findall(r'id="head-([\d.]+)"', fewer)
    assert kept == ["0.0", "0.1"]
    assert "Only 2 of the heads fit on a page of this size; 1.0 to 1.1 have a small map only" in fewer
    assert len(re.findall(r"<button[^>]* disabled", fewer)) == 2
    assert len(embedded(fewer, "small")) == 4 * 30 * 30
    assert 'id="head-0.0"' in look_page(found, largest=1)


def test_the_page_is_safe_and_offline():
    page = look_page(record(NASTY, heads=2))
    scripts = re.findall(r'<script type="module">(.*?)</script>', page, re.DOTALL)
    (policy,) = re.findall(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', page)
    assert re.findall(r"'sha256-([^']*)'", policy) == [
        b64encode(sha256(each.encode()).digest()).decode() for each in scripts
    ]
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe-eval" not in policy
    assert "alert(1)</script>" not in page
    assert not set("\u202e\x1b") & set(page)
    (data,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert json.loads(data)["tokens"][:4] == [NASTY[0], "\\u202eab", "\\x1b[31m", "␣cat"]
    assert not re.search(r"https?://", page)
    page.encode("utf-8", "replace")


@pytest.mark.parametrize(("count", "heads"), [(5, 1), (100, 1), (40, 4)])
def test_charts_are_drawn(count, heads, tmp_path):
    drawn = record(NASTY[:5] if count == 5 else tuple("x" * count), heads=heads).save(tmp_path / "look.svg").read_text()
    assert drawn.startswith("<svg")
    assert ("One square covers 2 × 2 tokens" in drawn) == (count == 100)
