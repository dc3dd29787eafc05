"""Findings and the report from Python: the same values as the commands print, and commands that find them again."""

import json
from pathlib import Path
from typing import Any

import pytest

from attnlab.claims import Findings, report, run_claims
from attnlab.errors import ArgumentError, FileError

pytestmark = pytest.mark.usefixtures("as_installed")


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def without_times(value: dict[str, Any]) -> dict[str, Any]:
    return value | {"findings": [{**each, "seconds": 0} for each in value["findings"]]}


@pytest.mark.parametrize(
    ("names", "asked", "command"),
    [
        (("perplexity-base",), {}, "attnlab claims perplexity-base"),
        (("perplexity", "two-heads-scaled"), {"seed": 3}, "attnlab claims perplexity two-heads-scaled --seed 3"),
        ((), {"family": "perplexity"}, "attnlab claims --family perplexity"),
        ((), {"family": "copying", "by": "B"}, "attnlab claims --family copying --by B"),
    ],
)
def test_the_command_of_findings_finds_them_again(again, names, asked, command):
    found = run_claims(*names, **asked)
    assert found.command == command
    assert without_times(again(found)) == without_times(found.to_dict())


def test_a_report_is_a_folder_whose_command_finds_the_same(again, watcher):
    written = report(["perplexity"], seed=2, out="first", observer=watcher)
    assert watcher.tasks == ["claims"]
    assert written.to_dict() == {
        "report": "first/report.html",
        "findings": "first/findings.json",
        "version": written.findings.version,
        "seed": 2,
        "counts": {"holds": 1, "fails": 1},
        "verdicts": {"perplexity-base": "holds", "perplexity-mixed": "fails"},
    }
    assert json.loads(Path("first/findings.json").read_bytes()) == written.findings.to_dict()
    assert written.command == "attnlab run --only perplexity --seed 2"
    value = again(written)
    assert value["verdicts"] == written.to_dict()["verdicts"]
    assert value["report"].startswith("runs/")


def test_findings_can_be_written_as_the_page_that_a_report_has():
    written = report(["perplexity"], out="first")
    assert written.findings.save("page.html").read_text() == Path("first/report.html").read_text()
    assert written.save("again.html").read_text() == Path("first/report.html").read_text()


def test_a_report_is_not_written_over_files_nor_of_unknown_claims():
    Path("full").mkdir()
    Path("full/kept.txt").write_text("kept")
    with pytest.raises(FileError, match="expected a new or empty folder"):
        report(["perplexity"], out="full")
    with pytest.raises(ArgumentError, match=r"^only: expected a claim or a family, got 'perplexit'; did you mean"):
        report(["perplexit"], out="new")
    assert not Path("new").exists()


@pytest.fixture(scope="module")
def verdicts() -> Findings:
    return run_claims(family="perplexity")


def test_a_file_of_verdicts_has_a_row_for_each_claim(verdicts: Findings):
    lines = verdicts.save("claims.csv").read_text().splitlines()
    assert lines[0] == "id,family,statement,said_by,verdict,condition"
    assert lines[2].startswith("perplexity-mixed,perplexity,")


def test_a_file_of_evidence_has_a_row_for_each_number():
    lines = run_claims("perplexity-mixed").save("numbers.csv").read_text().splitlines()
    assert lines[0] == "id,name,value,within,how"
    assert len(lines) == 4


def test_the_chart_counts_verdicts_and_one_claim_shows_its_own(verdicts: Findings):
    assert ">Perplexity and its base<" in verdicts.save("counts.svg").read_text()
    assert "weight on a" not in run_claims("two-heads").save("two.svg").read_text()
    alone = run_claims("two-heads-scaled")
    chart = alone.results[0].finding.chart
    assert chart is not None
    assert chart.title in alone.save("own.svg").read_text()


def test_it_prints_as_a_table_and_as_html_without_scripts(verdicts: Findings):
    assert repr(verdicts).splitlines()[0].split() == ["id", "statement", "said", "by", "verdict"]
    assert repr(verdicts).endswith("2 claims: 1 holds, 1 fails")
    shown = verdicts._repr_html_()
    assert "<table>" in shown
    assert "By family, 2 claims: 1 holds, 1 fails." in shown  # the chart, in words
    assert "<script" not in shown
