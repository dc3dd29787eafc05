"""attnlab runs and attnlab sample: what was trained, side by side, and let to write."""

import json
import os

import pytest

from attnlab.locks import writing_in
from attnlab.runs.seals import sealed

TEXT = "".join(f"{n} and {n * n % 97} make {n + n * n % 97}.\n" for n in range(300))


@pytest.fixture(autouse=True)
def _runs(tmp_path, monkeypatch, run):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text.txt").write_text(TEXT)
    for name, order in (("poor", "1"), ("good", "4")):
        assert run("train", "text.txt", "--model", "ngram", "--model.order", order, "--out", f"runs/{name}").code == 0
    assert run("train", "text.txt", "--model", "bigram", "--tokens", "characters", "--out", "runs/bigram").code == 0


def test_runs_are_listed_best_first(run):
    rows = run("runs", "--json").json["runs"]
    assert [row["run"] for row in rows] == ["runs/good", "runs/bigram", "runs/poor"]
    assert rows[0]["bits_per_byte"] < rows[1]["bits_per_byte"] < rows[2]["bits_per_byte"]
    assert {row["state"] for row in rows} == {"finished"}
    assert run("runs", "runs/good", "--json").json["runs"] == rows[:1]
    lines = run("runs").out.splitlines()
    assert lines[0].split() == ["run", "text", "model", "tokens", "steps", "nats/token", "perplexity", "bits/byte"]
    assert [line.split()[0] for line in lines[1:]] == ["runs/good", "runs/bigram", "runs/poor"]


def test_runs_are_compared_on_one_chart(run, tmp_path):
    ran = run("runs", "compare", "runs/poor", "runs/good", "--plot", "both.svg")
    assert ran.code == 0
    assert ran.out.splitlines()[-1] == "the chart is in both.svg"
    drawn = (tmp_path / "both.svg").read_text()
    assert "runs/poor" in drawn
    assert "runs/good" in drawn


def test_a_damaged_run_is_listed_as_such_and_one_that_was_stopped_too(run, tmp_path):
    (tmp_path / "runs" / "good" / "config.json").write_text("{")
    (tmp_path / "runs" / "poor" / "result.json").unlink()
    rows = {row["run"]: row for row in run("runs", "--json").json["runs"]}
    assert rows["runs/good"]["state"].startswith("damaged: runs/good/config.json: expected a run's config.json")
    assert rows["runs/poor"]["state"] == "stopped"
    assert "stopped" in run("runs").out


def test_a_run_that_a_process_trains_is_listed_as_running(run, tmp_path):
    (tmp_path / "runs" / "poor" / "result.json").unlink()
    with writing_in(tmp_path / "runs" / "poor"):
        rows = {row["run"]: row["state"] for row in run("runs", "--json").json["runs"]}
        assert rows == {"runs/good": "finished", "runs/bigram": "finished", "runs/poor": "running"}
        assert "running" in run("runs").out
    assert {row["run"]: row["state"] for row in run("runs", "--json").json["runs"]}["runs/poor"] == "stopped"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("runs nowhere", "runs: nowhere: there is no such folder; give the folder that has your runs"),
        ("runs compare runs/good", "runs: compare: expected the folders of at least two runs, got 1"),
        ("runs a b", "runs: DIR: expected one folder, or compare and the runs, got a b"),
        ("runs compare runs/good text.txt", "runs: text.txt: expected the folder of a run, with a config.json in it"),
        ("runs --plot a.gif", "runs: --plot: expected a file that ends in .png, .svg or .html, got 'a.gif'"),
        (
            "sample",
            "sample: expected MODEL: the folder of a run, an ARPA file, or a model of Hugging Face: hf:FOLDER "
            "or hf:NAME; attnlab sample --help explains",
        ),
        (
            "sample runs",
            "sample: runs: expected the folder of a run, with a config.json in it; there is one in runs/bigram",
        ),
        (
            "sample runs/good --length 0",
            "sample: --length: expected a whole number from 1 to 1,000,000,000, got 0; try 1",
        ),
        (
            "sample runs/good --temperature -1",
            "sample: --temperature: expected a number from 0 to 1,000, got -1; try 0",
        ),
        ("sample runs/good --top-p 2", "sample: --top-p: expected a number from 1e-09 to 1, got 2; try 1"),
    ],
)
def test_refusals(run, line, message):
    assert run(*line.split()).refusal == f"attnlab {message}"


def test_samples_are_streamed_and_a_seed_writes_the_same(run):
    first = run("sample", "runs/good", "--prompt", "12 and ", "--length", "40", "--seed", "3")
    assert (first.code, first.err) == (0, "")
    assert first.out.startswith("12 and ")
    assert first.out == run("sample", "runs/good", "--prompt", "12 and ", "--length", "40", "--seed", "3").out
    assert first.out != run("sample", "runs/good", "--prompt", "12 and ", "--length", "40", "--seed", "4").out
    value = run("sample", "runs/good", "--prompt", "12 and ", "--length", "40", "--seed", "3", "--json").json
    assert first.out == f"12 and {value['text']}\n"
    assert len(value["ids"]) == 40


def test_a_sample_tells_the_probability_of_each_token(run):
    asked = ("sample", "runs/good", "--prompt", "12 and ", "--length", "6", "--seed", "3")
    told = run(*asked, "--probabilities", "--json").json
    assert told["text"] == "".join(each["text"] for each in told["pieces"]) == run(*asked, "--json").json["text"]
    assert told["ids"] == run(*asked, "--json").json["ids"]
    assert "pieces" not in run(*asked, "--json").json
    shown = run(*asked, "--probabilities").out
    assert shown.startswith(run(*asked).out)
    rows = [line.split() for line in shown.splitlines()[-len(told["pieces"]) :]]
    assert [row[1] for row in rows] == [f"{each['probability']:.4g}" for each in told["pieces"]]


def test_a_prompt_without_words_for_a_model_of_words_is_refused(run):
    run("train", "text.txt", "--model", "ngram", "--tokens", "words", "--out", "runs/words")
    said = run("sample", "runs/words", "--length", "0", "--prompt", "the ").refusal  # and no prompt before it
    assert said == "attnlab sample: --length: expected a whole number from 1 to 1,000,000,000, got 0; try 1"
    said = run("sample", "runs/words", "--prompt", "  ").refusal
    assert said.startswith("attnlab sample: --prompt: expected at least one word")
    assert run("sample", "runs/words", "--length", "3").code == 0


def test_a_tokenizer_of_another_run_is_found_out(run, tmp_path):
    (tmp_path / "other.txt").write_text("abc " * 200)
    run("train", "other.txt", "--model", "bigram", "--tokens", "characters", "--out", "runs/other")
    (tmp_path / "runs/bigram/tokenizer.json").write_bytes((tmp_path / "runs/other/tokenizer.json").read_bytes())
    said = run("sample", "runs/bigram").refusal
    assert said == (
        "attnlab sample: runs/bigram/tokenizer.json: not the tokenizer that the run was trained with; "
        "restore the original file"
    )


@pytest.mark.parametrize("name", ["metrics.jsonl", "result.json"])
def test_a_run_with_a_pipe_or_a_device_in_it_does_not_stop_the_table(run, tmp_path, name):
    place = tmp_path / "runs" / "good" / name
    for make in (os.mkfifo, lambda path: path.symlink_to("/dev/zero")):
        place.unlink()
        make(place)
        rows = {row["run"]: row["state"] for row in run("runs", "--json").json["runs"]}
        assert rows["runs/good"].endswith(f"{name}: expected a file, got a device or pipe")
        assert rows["runs/poor"] == "finished"


def test_a_result_whose_numbers_contradict_each_other_is_damaged(run, tmp_path):
    """A seal is no secret: whoever changes a number can make it again."""
    path = tmp_path / "runs" / "good" / "result.json"
    value = json.loads(path.read_text())
    del value["seal"]
    value["validation"]["nats_per_token"] = 0.001
    for written, told in ((value, "was changed after the lab wrote it"), (sealed(value), "perplexity: expected e to")):
        path.write_text(json.dumps(written))
        rows = {row["run"]: row["state"] for row in run("runs", "--json").json["runs"]}
        assert told in rows["runs/good"]
        assert told in run("train", "--resume", "runs/good").refusal
