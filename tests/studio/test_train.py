"""Train: what is asked for becomes the configuration of the command line, and runs are followed as they grow."""

import json
import shutil
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import anyio
import pytest
from fastapi import Request
from starlette.testclient import TestClient
from tests.studio.conftest import asking

from attnlab.benches import language
from attnlab.benches.language import seeds
from attnlab.benches.language.configuring import configure, training_call
from attnlab.errors import ArgumentError
from attnlab.progress import Observer, WatchedTask
from attnlab.records import Record
from attnlab.settings import write
from attnlab.studio import work
from attnlab.studio.configured import TrainingRequest, config_of
from attnlab.studio.following import Measurements, look
from attnlab.studio.following import follow as follow_runs
from attnlab.studio.jobs import Jobs
from attnlab.studio.lab import Lab
from attnlab.studio.places import Places
from attnlab.studio.routes import train

GOLDEN = Path(__file__).parents[1] / "golden"
TINY = {"model.layers": "1", "model.heads": "1", "model.width": "8", "model.context": "8", "steps": "4"}


@pytest.fixture
def here(tmp_path, monkeypatch) -> Path:
    """The folder of a studio, which is the working folder, too. It has a text."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes.txt").write_text("one and two and three\n" * 60)
    return tmp_path


@pytest.fixture
def client(here) -> TestClient:
    """A client of that studio; it starts no processes."""
    made = asking(here)
    lab_of(made).jobs.program = ("-c", "pass")
    return made


def lab_of(client: TestClient) -> Any:
    app: Any = client.app
    return app.state.lab


def error_of(answer) -> str:
    assert answer.status_code == 400, answer.text
    return answer.json()["error"]


def test_choices_are_the_labs(client: TestClient):
    told = client.get("/api/train/choices").json()
    about = {each["name"]: each["about"] for each in told["texts"]}
    assert "the documentation of Python" in about["topics"]
    assert "random letters" in about["repeats"]
    assert [each["name"] for each in told["models"]] == ["ngram", "bigram", "recurrent", "transformer"]
    recipes = {each["name"] for each in told["recipes"]}
    assert "induction" in recipes
    assert "gpt2" not in recipes  # too large for the page


def test_a_plan_is_what_the_command_line_would_train(client: TestClient):
    asked = {"text": "notes.txt", "model": "transformer", "options": TINY | {"minutes": "1", "sample_every": "0"}}
    told = client.post("/api/train/plan", json=asked).json()
    assert (told["text"], told["model"], told["tokens"]) == ("notes.txt", "transformer", "characters")
    assert {each["name"]: each["value"] for each in told["fields"]} == {
        "model.layers": 1,
        "model.heads": 1,
        "model.width": 8,
        "model.context": 8,
        "model.qk_norm": True,
        "minutes": 1.0,
        "steps": 4,
        "seed": 0,
        "validate_every": 100,
        "sample_every": 0,
        "keep_every": 100,
    }
    assert [each["name"] for each in told["fields"]][:3] == ["minutes", "steps", "model.layers"]
    assert told["command"].startswith("attnlab train notes.txt --model transformer --model.layers 1 --model.heads 1")


def test_a_model_that_learns_by_steps_writes_and_is_kept_at_each_validation(here):
    assert config_of(TrainingRequest(model="transformer"), Places(here)) == config_with(
        sample_every=100, keep_every=100
    )
    assert config_of(TrainingRequest(model="bigram"), Places(here)) == configure(model="bigram")


def config_with(**training):
    config = configure(model="transformer")
    return replace(config, training=replace(config.training, **training))


@pytest.mark.parametrize(
    "asked",
    [
        TrainingRequest("notes.txt", model="transformer", options=TINY),
        TrainingRequest(recipe="induction", options={"keep_every": "50"}),
        TrainingRequest(recipe="quick", model="recurrent", options={"model.cell": "lstm", "model.train_vectors": "no"}),
        TrainingRequest(model="ngram", tokens="words", options={"tokens.lower": "yes"}),
        TrainingRequest(model="bigram", options={"steps": "3"}),
    ],
)
def test_the_python_makes_the_same_configuration(here, asked):
    config = config_of(asked, Places(here))

    class Front:
        @staticmethod
        def train(text, *, recipe="", model="", tokens="", training="", vectors="", **options):
            return configure(text, recipe, model, tokens, {**options, "kind": training}, vectors)

    assert eval(training_call(config).python.splitlines()[1], {"al": Front}) == config


@pytest.mark.parametrize(
    ("asked", "error"),
    [
        ({"options": {"model.heads": "3"}}, "heads: must divide the width (128); got 3; try 4"),
        (
            {"options": {"model.width": "1000000"}},
            "model.width: expected a number of at most 768 on this page, got 1,000,000",
        ),
        ({"options": {"model.layers": "1" * 90}}, "model.layers: expected"),
        ({"options": {"minutes": "nan"}}, "minutes: expected"),
        ({"options": {"minutes": "-1"}}, "minutes: expected"),
        ({"options": {"minutes": "x" * 101}}, "minutes: expected at most 100 characters, got 101"),
        ({"options": {"model.kind": "ngram"}}, "options: expected an option such as model.layers or minutes"),
        ({"options": {"a.b.c": "1"}}, "options: expected an option such as model.layers or minutes"),
        ({"options": {str(name): "1" for name in range(41)}}, "options: expected at most 40 options, got 41"),
        ({"options": {"steps": 1}}, "options.steps: input should be a valid string"),
        ({"options": []}, "options: input should be a valid dictionary"),
        ({"text": 1}, "text: input should be a valid string"),
        ({"model": "ngram", "options": {"minutes": "1"}}, "minutes: a model of kind ngram does not use this option"),
        ({"model": "lstm"}, "model: expected"),
        ({"recipe": "nothing"}, "recipe: "),
        ({"recipe": "gpt2"}, "tokens.vocabulary: expected a number of at most 20,000 on this page"),
        ({"text": "missing.txt"}, "missing.txt: there is no such file or folder"),
        ({"text": "/etc/passwd"}, "/etc/passwd: is outside the folder of the studio"),
        ({"text": "../"}, "../: is outside the folder of the studio"),
        ({"text": "/dev/zero"}, "/dev/zero: expected a file or a folder, got a device or a pipe"),
        ({"text": "a\0b"}, "expected the path of a file or a folder"),
    ],
)
def test_a_wrong_wish_starts_nothing(client: TestClient, asked, error):
    for route in ("plan", "estimate", "start"):
        assert error in error_of(client.post(f"/api/train/{route}", json=asked))
    assert client.get("/api/jobs").json() == []


@pytest.mark.parametrize("name", ["jobs", "../x", ".hidden", "a/b", "x" * 61, "a b", "ü"])
def test_a_wrong_name_starts_nothing(client: TestClient, name):
    assert error_of(client.post("/api/train/start", json={"name": name})).startswith("name: expected a name of at most")
    assert client.get("/api/jobs").json() == []


def test_the_estimate_is_that_of_a_dry_run(client: TestClient):
    told = client.post("/api/train/estimate", json={"text": "notes.txt", "options": TINY}).json()
    assert told["seconds"] > 0
    assert told["words"].startswith("training takes about ")
    assert told["command"].endswith("--dry-run")


def test_a_start_is_a_job_with_a_run_and_a_baseline(client: TestClient, here):
    told = client.post("/api/train/start", json={"text": "notes.txt", "name": "mine", "options": TINY}).json()
    assert (told["run"], told["baseline"]) == ("runs/mine", "runs/mine-ngram")
    arguments = lab_of(client).jobs.find(told["job"]).asked().arguments
    assert arguments["config"] == write(config_of(TrainingRequest("notes.txt", options=TINY), Places(here)))
    (here / "runs" / "mine").mkdir(parents=True)
    assert "runs/mine exists already" in error_of(client.post("/api/train/start", json={"name": "mine"}))
    first, second = (client.post("/api/train/start", json={"baseline": False}).json() for _ in range(2))
    assert first["baseline"] == ""
    assert first["run"] != second["run"]


def done(root: Path, name: str, asked: dict[str, Any]) -> Path:
    """The folder of a job whose work was done in this process. Its drawings are empty files, to save time."""
    folder = root / "runs" / "jobs" / name
    folder.mkdir(parents=True)
    (folder / "job.json").write_text(json.dumps(asked))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        patch.setattr(Record, "save", lambda self, path: Path(path).touch())
        assert work.main(folder) == 0
    return folder


@pytest.fixture(scope="module")
def trained(tmp_path_factory) -> Path:
    """A folder with a run and its baseline, trained by the work of a job."""
    root = tmp_path_factory.mktemp("trained")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        Path("notes.txt").write_text("one and two and three\n" * 60)
        options = TINY | {"validate_every": "2", "keep_every": "2"}
        config = write(config_of(TrainingRequest("notes.txt", options=options), Places(root)))
        asked = {"work": "train", "arguments": {"config": config, "run": "runs/a", "baseline": "runs/a-ngram"}}
    done(root, "20260101-000000-train-abc", asked)
    return root


def test_a_job_makes_ordinary_runs(trained, monkeypatch):
    monkeypatch.chdir(trained)
    client = asking(trained)
    assert {each.name for each in (trained / "runs" / "a").iterdir()} >= {"config.json", "result.json", "curves.svg"}
    query = {"run": ["runs/a", "runs/a-ngram"]}
    told = client.get("/api/train/runs", params=query).json()
    assert {each["run"]: each["state"] for each in told["record"]["runs"]} == dict.fromkeys(query["run"], "finished")
    assert told["command"] == "attnlab runs compare runs/a runs/a-ngram"
    assert told["python"] == 'import attnlab as al\nal.compare("runs/a", "runs/a-ngram")'
    alone = client.get("/api/train/runs", params={"run": "runs/a"}).json()
    assert alone["command"] == "attnlab runs runs/a"


def test_finished_runs_are_told_once_and_the_stream_ends(trained, monkeypatch):
    monkeypatch.chdir(trained)
    monkeypatch.setattr("attnlab.studio.routes.train.POLL", 0)
    answer = asking(trained).get("/api/train/watch", params={"run": ["runs/a", "runs/a-ngram"]})
    first, *_ = (json.loads(each.removeprefix("data: ")) for each in answer.text.strip().split("\n\n"))
    run, baseline = first["runs"]
    assert first["live"] is False
    assert (run["state"], run["about"]["model"], run["heads"]) == ("finished", "transformer", True)
    assert [step for step, *_ in run["validation"]] == [2, 4]
    assert [step for step, _ in run["samples"]] == [2, 4]
    assert run["training"]
    assert (baseline["about"]["model"], len(baseline["validation"]), baseline["training"]) == ("ngram", 1, [])


def test_heads_are_scored_along_the_training(trained, monkeypatch):
    monkeypatch.chdir(trained)
    asked = {"work": "heads-over-time", "arguments": {"run": "runs/a"}}
    folder = done(trained, "20260101-000001-heads-over-time-abc", asked)
    result = json.loads((folder / "result.json").read_text())
    assert [each["step"] for each in result["record"]["checkpoints"]] == [2, 4]
    assert result["python"] == 'import attnlab as al\nal.heads.over_time("runs/a")'
    assert result["chart"]["config"]
    client = asking(trained)
    assert client.post("/api/train/heads", json={"run": "runs/a"}).json()["id"] == folder.name
    (found,) = look(follow_runs(lab_of(client), ["runs/a"]))
    assert found["scored"] == folder.name


def test_only_a_stopped_run_goes_on(trained, monkeypatch):
    monkeypatch.chdir(trained)
    client = asking(trained)
    assert "this run is finished" in error_of(client.post("/api/train/resume", json={"run": "runs/a"}))
    assert "there is no such" in error_of(client.post("/api/train/resume", json={"run": "runs/b"}))
    config = trained / "runs" / "reviews" / "config.json"
    config.parent.mkdir()
    config.write_text('{"version": 1, "task": "classify", "text": "reviews"}')
    refused = error_of(client.post("/api/train/resume", json={"run": "runs/reviews"}))
    assert refused == "run: runs/reviews is no language model, but a run of attnlab classify; continue it there"


def test_what_is_trained_first_is_told(here, monkeypatch):
    told: list[str] = []

    class Told(Observer):
        @contextmanager
        def task(self, what, total=None):
            told.append(what)
            yield WatchedTask()

    monkeypatch.setattr(language, "train", lambda config, run, observer: told.append(run))
    monkeypatch.setattr(seeds, "with_curves", lambda found: found)
    config = write(config_of(TrainingRequest("notes.txt", model="transformer"), Places(here)))
    work.train({"config": config, "run": "runs/a", "baseline": "runs/a-ngram"}, Told())
    assert told == ["first runs/a-ngram, to compare with", "runs/a-ngram", "runs/a"]


@pytest.mark.parametrize("path", ["/etc", "..", "/dev", "runs", "a\0b", ""])
def test_only_runs_of_the_studio_are_followed(client: TestClient, here, path):
    (here / "runs").mkdir()
    for route in ("runs", "watch"):
        assert client.get(f"/api/train/{route}", params={"run": path}).status_code == 400


def test_a_few_runs_at_a_time(client: TestClient):
    for route in ("runs", "watch"):
        assert client.get(f"/api/train/{route}").status_code == 400
        assert "1 to 8 runs" in error_of(client.get(f"/api/train/{route}", params={"run": ["x"] * 9}))


def test_measurements_are_read_as_they_grow(tmp_path):
    path = tmp_path / "metrics.jsonl"
    found = Measurements(path)
    assert found.news() == (False, [])
    path.write_text('{"step": 1}\n{"st')
    assert found.news() == (True, [{"step": 1}])
    with path.open("a") as file:
        file.write('ep": 2}\n')
    assert found.news() == (False, [{"step": 2}])
    assert found.news() == (False, [])
    (tmp_path / "new").write_text('{"step": 3}\n{"step": 4}\n')  # a run that goes on writes them anew
    (tmp_path / "new").replace(path)
    assert found.news() == (True, [{"step": 3}, {"step": 4}])


def test_lower_bounds_of_older_runs_are_told(here, client: TestClient):
    for name in ("words", "ngram"):
        shutil.copytree(GOLDEN / name, here / name)
    words, ngram = look(follow_runs(lab_of(client), ["words", "ngram"]))
    assert [each[3] for each in words["validation"]] == [True]
    assert [each[3] for each in ngram["validation"]] == [False]


@pytest.mark.parametrize("line", ["x", "[]", '{"step": "1"}', '{"step": 1, "validation": {}}'])
def test_a_damaged_run_fails_and_says_why(client: TestClient, here, line):
    folder = here / "runs" / "old"
    folder.mkdir(parents=True)
    (folder / "config.json").write_text('{"text": "topics", "model": {"kind": "ngram"}, "tokens": {"kind": "words"}}')
    (folder / "metrics.jsonl").write_text(f"{line}\n")
    (found,) = look(follow_runs(lab_of(client), ["runs/old"]))
    assert found["state"] == "failed"
    assert found["now"]


def test_nothing_is_measured_for_a_page_that_has_gone(here, monkeypatch):
    class Gone:
        async def is_disconnected(self) -> bool:
            return True

    measured = []
    monkeypatch.setattr(train, "_measured", measured.append)
    lab = Lab(Places(here), Jobs(here), None)
    with ThreadPoolExecutor(1) as beside, pytest.raises(ArgumentError, match="nobody waits for it any more"):
        # a thread of its own: a test of a browser before this one may have left an event loop in this thread
        beside.submit(anyio.run, train.estimate, lab, TrainingRequest("notes.txt"), cast(Request, Gone())).result()
    assert not measured
