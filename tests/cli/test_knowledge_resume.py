"""attnlab knowledge run, stopped and gone on with: the same table, and no model trained twice."""

import io
import json
import shutil
import signal
from contextlib import redirect_stderr
from dataclasses import replace

import pytest

from attnlab.benches.knowledge.sweeps import training
from attnlab.benches.lifecycle import PLAN_VERSION
from attnlab.cli import main
from attnlab.runs.versions import SEALED

OPTIONS = "knowledge run --people 20 --effort 0.1 --variants none,recital --seeds 2 --model.width 16 --model.heads 2"
STOPPED = "recital-dot-product-0"
HINT = "stopped; to continue: attnlab knowledge run --resume halves\n"


def _timeless(told):
    """A table without what differs from try to try."""
    rows = told["variants"]
    for row in rows:
        row.pop("seconds")
        for each in row["runs"]:
            each.pop("seconds")
            each["run"] = each["run"].rpartition("/")[2]
    return {**told, "runs": ""}


@pytest.fixture(scope="module")
def stopped(tmp_path_factory):
    """The folder of a table that was stopped in its third model of four, and what was said then."""
    folder = tmp_path_factory.mktemp("stopped")
    hooks = training.watched

    def interrupting(of, *arguments):
        found = hooks(of, *arguments)

        def looked(look):
            found.looked(look)
            if of.path.name == STOPPED:
                signal.raise_signal(signal.SIGINT)

        return replace(found, looked=looked)

    with pytest.MonkeyPatch.context() as patched, redirect_stderr(io.StringIO()) as said:
        patched.setattr(training, "watched", interrupting)
        patched.chdir(folder)
        assert main([*OPTIONS.split(), "--out", "halves"]) == 130
    return folder / "halves", said.getvalue()


@pytest.fixture
def halves(stopped, tmp_path, monkeypatch):
    """A copy of that folder, in the folder that commands run in. Its plan and results have no checksums, and its runs
    the version of a lab that wrote none, so that other checks than the checksum find what is damaged."""
    monkeypatch.chdir(tmp_path)
    found = shutil.copytree(stopped[0], tmp_path / "halves")
    for path in (found / "plan.json", *found.glob("*/result.json")):
        value = json.loads(path.read_text())
        del value["seal"]
        older = {"version": PLAN_VERSION - 1} if path.name == "plan.json" else {}
        path.write_text(json.dumps(value | older, indent=2))
    for path in found.glob("*/config.json"):
        path.write_text(json.dumps(json.loads(path.read_text()) | {"version": SEALED - 1}, indent=2))
    return found


def test_a_changed_plan_or_result_is_refused(run, stopped, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    place = shutil.copytree(stopped[0], tmp_path / "sealed")
    for path, old, new in (
        (place / "plan.json", '"precision": 0.9', '"precision": 0.5'),
        (place / "plan.json", '"seeds": 2', '"seeds": 1'),
        (place / "none-dot-product-1" / "result.json", '"parameters": ', '"parameters": 1'),
    ):
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new, 1))
        said = run("knowledge", "run", "--resume", "sealed").refusal
        assert said.startswith(f"attnlab knowledge run: {path.relative_to(tmp_path)}: was changed after the lab wrote ")
        path.write_text(text)


def test_an_interrupt_says_how_to_go_on(stopped):
    assert HINT in stopped[1]


def test_it_goes_on_to_the_same_table_and_trains_no_model_twice(run, halves):
    whole = run(*OPTIONS.split(), "--out", "whole", "--json").json
    kept = halves / "none-dot-product-1" / "result.json"
    first, written = json.loads(kept.read_text()), kept.stat().st_mtime_ns
    assert not (halves / STOPPED / "result.json").exists()
    again = run("knowledge", "run", "--resume", "halves", "--html", "bars.html", "--json").json
    assert _timeless(again) == _timeless(whole)
    assert (json.loads(kept.read_text()), kept.stat().st_mtime_ns) == (first, written)
    steps = [json.loads(line)["step"] for line in (halves / STOPPED / "metrics.jsonl").read_text().splitlines()]
    assert steps == sorted(set(steps))  # of the second try alone
    assert "</html>" in (halves.parent / "bars.html").read_text()
    assert run("knowledge", "run", "--resume", "halves").out.splitlines()[-1] == "the runs are in halves"
    moved = shutil.copytree(halves, halves.parent / "elsewhere")
    told = run("knowledge", "run", "--resume", str(moved), "--json").json
    assert told["variants"][0]["runs"][0]["run"] == str(moved / "none-dot-product-0")


def test_refusals(run, halves):
    def refused(*arguments):
        return run("knowledge", "run", *arguments).refusal.removeprefix("attnlab knowledge run: ")

    assert refused("--out", "halves") == (
        "halves: expected a new or empty folder for the run; --resume continues an old one"
    )
    assert refused("--resume", "halves", "--seeds", "4") == (
        "--resume: takes no other arguments: write only --resume halves; the run keeps its own settings"
    )
    assert refused("--resume", "nowhere") == (
        "nowhere: expected the folder of attnlab knowledge run, with a plan.json in it"
    )
    for typed in ("--seeds 2", "--people 20", "--precision 0.9", "--model.width 16"):  # as the plan has it, too
        assert refused("--resume", "halves", *typed.split()) == (
            "--resume: takes no other arguments: write only --resume halves; the run keeps its own settings"
        )
    path = halves / "plan.json"
    plan = path.read_text()
    for old, new, message in (
        ('"sha256": "', '"sha256": "0', "halves: biographies has changed since the run started"),
        ('"seeds": 2', '"seeds": "2"', "halves/plan.json: seeds: expected a whole number, got '2'"),
        (
            '"seeds": 2',
            '"seeds": 200',
            "halves/plan.json: seeds: expected a whole number from 1 to 100, got 200; try 100",
        ),
        ('"seeds": 2', '"seats": 2', "halves/plan.json: seats: there is no such setting; expected variants, mixers, "),
        ('"width": 16', '"width": "x"', "halves/plan.json: model.width: expected a whole number, got 'x'"),
        ('"width": 16', '"breadth": 16', "halves/plan.json: model.breadth: there is no such setting; "),
        ('"auto"', '"tpu"', "halves/plan.json: device: expected auto, cpu or cuda; got 'tpu'"),
        ('"version": 2', '"version": 4', "halves/plan.json: expected a plan of version 3 with sha256, got version 4"),
        ("{", "", "halves/plan.json: expected the plan of attnlab knowledge run, got no JSON"),
    ):
        assert old in plan
        path.write_text(plan.replace(old, new, 1))
        assert refused("--resume", "halves").startswith(message)


def test_models_that_were_not_trained_as_the_plan_says_are_not_mixed_with_others(run, halves):
    before = sorted(each.name for each in halves.iterdir())
    path = halves / "plan.json"
    plan = path.read_text()
    for old, new, setting in (
        ('"effort": 0.1', '"effort": 0.2', "lesson.training.steps was 4, now it would be 8"),
        ('"width": 16', '"width": 32', "model.width was 16, now it would be 32"),
        ('"training": {}', '"training": {"rate": 0.5}', "lesson.training.rate was 0.015, now it would be 0.5"),
    ):
        assert old in plan
        path.write_text(plan.replace(old, new, 1))
        assert run("knowledge", "run", "--resume", "halves").refusal.endswith(
            "halves/none-dot-product-0: was trained with other settings than plan.json gives now: "
            f"{setting}; start new runs with --out, or remove halves/none-dot-product-0 to train this one again"
        )
    assert sorted(each.name for each in halves.iterdir()) == before  # the one that was stopped is still there


@pytest.mark.parametrize(
    ("of", "damage"),
    [
        ("accuracy", {"count": 1}),
        ("accuracy", {"value": 0.5}),
        ("accuracy", {"examples": 0}),
        ("accuracy", {"interval": None}),
        ("calibration", {"error": "x"}),
        ("calibration", {"bins": 3}),
        ("confidence", {"given": None}),
        ("confidence", {"curve": [[1]]}),
        ("extraction", {"memorised": {"value": 7}}),
        ("kept_out", {"count": -1}),
    ],
)
def test_damaged_values_are_one_line(run, halves, of, damage):
    path = halves / "none-dot-product-0" / "result.json"
    value = json.loads(path.read_text())
    path.write_text(json.dumps({**value, of: {**value[of], **damage}}))
    refusal = run("knowledge", "run", "--resume", "halves").refusal
    assert refusal.startswith("attnlab knowledge run: halves/none-dot-product-0/result.json: damaged: ")
    assert refusal.endswith("; remove halves/none-dot-product-0 to train that model again")


@pytest.mark.parametrize("name", ["seed", "parameters", "seconds", "asides", "kept_out", "confidence", "resembling"])
def test_what_is_missing_or_of_another_kind_is_one_line(run, halves, name):
    path = halves / "none-dot-product-0" / "result.json"
    value = json.loads(path.read_text())
    for damaged in ({**value, name: "x"}, {each: value[each] for each in value if each != name}):
        path.write_text(json.dumps(damaged))
        refusal = run("knowledge", "run", "--resume", "halves").refusal
        assert refusal.startswith("attnlab knowledge run: halves/none-dot-product-0/result.json: damaged: ")
