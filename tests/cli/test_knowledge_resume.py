"""attnlab knowledge run, stopped and gone on with: the same table, and no model trained twice."""

import json
import shutil
import signal

import pytest

from attnlab.cli import knowledge_table

OPTIONS = "knowledge run --people 20 --effort 0.1 --variants none,recital --seeds 2 --model.width 16 --model.heads 2"
STOPPED = "recital-dot-product-0"
HINT = "stopped; go on: attnlab knowledge run --resume halves\n"


def _timeless(told):
    """A table without what differs from try to try."""
    rows = told["variants"]
    for row in rows:
        row.pop("seconds")
        for each in row["runs"]:
            each.pop("seconds")
            each["run"] = each["run"].rpartition("/")[2]
    return {**told, "runs": ""}


@pytest.fixture
def halves(run, tmp_path, monkeypatch):
    """The folder of a run that was stopped in its third model of four."""
    monkeypatch.chdir(tmp_path)
    hooks = knowledge_table._hooks

    def interrupting(bench, trial, of, knower, lesson):
        found = hooks(bench, trial, of, knower, lesson)

        def looked(look):
            found.looked(look)
            if of.path.name == STOPPED:
                signal.raise_signal(signal.SIGINT)

        return type(found)(looked=looked, save=found.save)

    with monkeypatch.context() as patched:
        patched.setattr(knowledge_table, "_hooks", interrupting)
        stopped = run(*OPTIONS.split(), "--out", "halves")
    assert (stopped.code, stopped.out) == (130, "")
    assert HINT in stopped.err
    return tmp_path / "halves"


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
        "halves: expected a new or empty folder for the run; --resume goes on with an old one"
    )
    assert refused("--resume", "halves", "--seeds", "4") == (
        "--resume: expected no other settings beside it: the run goes on with its own"
    )
    assert refused("--resume", "nowhere") == (
        "nowhere: expected the folder of attnlab knowledge run, with a plan.json in it"
    )
    result = halves / "none-dot-product-0" / "result.json"
    result.write_text(result.read_text().replace('"accuracy"', '"spam"'))
    assert refused("--resume", "halves").startswith(
        "halves/none-dot-product-0/result.json: expected what was measured of a model with seed 0: seed, parameters, "
    )
    path = halves / "plan.json"
    plan = path.read_text()
    for old, new, message in (
        ('"sha256": "', '"sha256": "0', "halves: expected biographies as it was; it has changed since the run began"),
        ('"seeds": 2', '"seeds": "2"', "halves/plan.json: expected another seeds than '2'"),
        ('"seeds": 2', '"seeds": 200', "halves/plan.json: seeds: expected from 1 to 100, got 200"),
        ('"seeds": 2,', "", "halves/plan.json: expected sha256, and as options facts, recipes, variants, mixers, "),
        ('"width": "16"', '"width": 16', "halves/plan.json: expected words by name in dotted, got {'width': 16, "),
        ('"auto"', '"tpu"', "halves/plan.json: expected another device than 'tpu'"),
        ("{", "", "halves/plan.json: expected the plan of attnlab knowledge run, got no JSON"),
    ):
        assert old in plan
        path.write_text(plan.replace(old, new, 1))
        assert refused("--resume", "halves").startswith(message)
