"""What every claim keeps to, whatever it is about."""

import ast
import json
import math
import re
import string
from pathlib import Path
from typing import get_args

import pytest

from attnlab.charts import Bars, Lines
from attnlab.claims import ClaimResult, families
from attnlab.claims.claim import Bench, How, Verdict
from attnlab.claims.ledger import choose, every_claim, ledger
from attnlab.errors import ArgumentError

IDS = [claim.id for claim in every_claim()]
SLOW = (
    "small-noise-average",
    "noise-remedies-best-queries",
    "synthesizer-cannot-compare",
    "writing-falls",
    "norm-noise-large-scale",
    "two-heads-noise-less-variance",
    "two-heads-noise-small-scale",
)
"""Claims whose second run would take long; benchmarks/claims.py runs those that are random with many seeds."""
REVIEWS = ("averaging-network", "misread-reviews", "reading-order")
"""Families on thousands of reviews; test_review_flips.py trains their networks once more."""
AGAIN = [claim.id for claim in every_claim() if claim.id not in SLOW and claim.family not in REVIEWS]
FILES = sorted(Path(families.__path__[0]).glob("[a-z]*.py"))


def test_ids_differ_and_read_well():
    assert len(set(IDS)) == len(IDS)
    for claim in every_claim():
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", claim.id)
        assert claim.id.startswith(claim.family + "-")


def test_every_family_is_of_a_bench_and_in_a_file_of_its_name():
    assert {family.bench for family in ledger()} == set(get_args(Bench))
    files = {path.stem.replace("_", "-") for path in Path(families.__path__[0]).glob("[!_]*.py")}
    assert files == {family.name for family in ledger()}


def test_families_are_in_the_order_of_their_numbers():
    numbers = [family.number for family in ledger()]
    assert numbers == sorted(numbers)
    assert set(range(1, 21)) - {11} <= set(numbers)  # 11 is in the family of 10


def test_every_write_up_is_heard_and_so_is_the_lab():
    heard = {name for claim in every_claim() for name in re.split(r", ", claim.said_by)}
    assert set(string.ascii_uppercase[:5]) | {"the lab"} <= heard


@pytest.mark.parametrize("name", IDS)
def test_a_claim_says_what_is_asked_and_what_is_said(name):
    (claim,) = choose([name])
    assert claim.question.strip().endswith("?")
    assert claim.statement.strip().endswith((".", "?"))
    assert re.fullmatch(r"[A-E](, [A-E])*|the lab(, as a warning|, corrected)?", claim.said_by)


@pytest.mark.parametrize("name", IDS)
def test_a_finding_is_json_without_nan(name, findings):
    claim, finding = findings[name]
    found = ClaimResult(claim, finding, 0.0).to_dict()
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert found["id"] == name


@pytest.mark.parametrize("name", AGAIN)
def test_a_finding_comes_out_the_same_again(name, findings, once_more):
    claim, finding = findings[name]
    assert once_more(claim) == finding


@pytest.mark.parametrize("name", IDS)
def test_a_finding_has_a_verdict_and_a_paragraph(name, findings):
    _, finding = findings[name]
    assert finding.verdict in get_args(Verdict)
    assert "\n" not in finding.explanation
    assert finding.explanation == finding.explanation.strip()
    assert "  " not in finding.explanation
    sentences = re.findall(r"[.?!](?= [A-Z(α-ωΑ-Ω\"e0-9]|$)", finding.explanation)
    assert len(sentences) >= 2
    assert "nan" not in finding.explanation.split()


@pytest.mark.parametrize("name", IDS)
def test_measures_are_finite_and_have_names_of_their_own(name, findings):
    _, finding = findings[name]
    assert finding.measures
    names = [measure.name for measure in finding.measures]
    assert len(set(names)) == len(names)
    for measure in finding.measures:
        assert math.isfinite(measure.value)
        assert math.isfinite(measure.within)
        assert measure.within >= 0
        assert measure.how in get_args(How)
        assert measure.how != "exact" or measure.within == 0
        assert measure.how not in ("95 % interval", "standard error") or measure.within > 0


@pytest.mark.parametrize("name", IDS)
def test_a_chart_can_be_drawn_and_read_aloud(name, findings):
    chart = findings[name][1].chart
    if chart is None:
        return
    assert len(chart.description) > 60
    assert chart.title
    assert chart.x_title
    if isinstance(chart, Bars):
        assert all(math.isfinite(bar.value) for bar in chart.bars)
        return
    assert isinstance(chart, Lines)
    for series in chart.series:
        assert len(series.x) == len(series.y) > 1
        assert len(series.low) == len(series.high) in (0, len(series.x))
        assert all(map(math.isfinite, (*series.x, *series.y, *series.low, *series.high)))
        assert not chart.log_x or min(series.x) > 0
        assert not chart.log_y or min(series.y) > 0


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_no_verdict_is_written_down_beforehand(file):
    calls = [node for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.Call)]
    verdicts = [call.args[0] for call in calls if isinstance(call.func, ast.Name) and call.func.id == "Finding"]
    assert verdicts
    assert not [verdict for verdict in verdicts if not isinstance(verdict, ast.IfExp)]


@pytest.mark.parametrize("family", [f for f in ledger() if not f.shares], ids=lambda family: family.name)
def test_another_seed_draws_other_numbers_and_what_is_exact_stays_the_same(family, findings):
    """Families that share their models are in test_seeds.py."""
    random = [claim for claim in family.claims if claim.stochastic and claim.id not in SLOW]
    pairs = [(findings[claim.id][1], claim.run(1)) for claim in random]
    assert not pairs or any(first.measures != second.measures for first, second in pairs)
    for first, second in pairs:
        assert first.verdict == second.verdict
        exact = [{m.name: m.value for m in found.measures if m.how == "exact"} for found in (first, second)]
        assert exact[0] == exact[1]


def test_choosing_by_family_keeps_the_order_and_an_unknown_name_is_an_error():
    chosen = [claim.id for claim in choose(["two-heads", "averaging-two"])]
    assert chosen == ["averaging-two", "two-heads-scaled", "two-heads-first-two", "two-heads-unscaled"]
    with pytest.raises(ArgumentError, match="did you mean two-heads"):
        choose(["two-head"])
    several = r"did you mean small-noise, norm-noise, two-heads-noise or noise-remedies\?$"
    with pytest.raises(ArgumentError, match=several):
        choose(["noise"])
