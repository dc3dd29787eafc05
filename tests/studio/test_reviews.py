"""Reviews: the routes, asked with a small classifier, and the jobs."""

import json
import shutil
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from tests.studio.conftest import asking

from attnlab.benches import sentiment
from attnlab.benches.sentiment import models
from attnlab.studio import work
from attnlab.studio.routes.reviews import LONGEST

GOLDEN = Path(__file__).parents[1] / "golden"
RUN = "runs/small"
LINES = ("pos\tA fine, great film.", "neg\tA dull, long film.", "pos\tA great end.", "neg\tA dull end.")


def train_small(folder: Path) -> Path:
    """A classifier that knows a few words, trained in a folder."""
    table = folder / "table.tsv"
    table.write_text("\n".join(LINES * 5))
    settings = sentiment.configure(training={"epochs": 12, "batch": 4})
    return sentiment.train(table, settings, folder / RUN, validation=0).runs[0].path


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run of a small classifier, to be copied."""
    return train_small(tmp_path_factory.mktemp("trained"))


@pytest.fixture
def client(tmp_path, monkeypatch, trained) -> TestClient:
    """A studio in a folder with a classifier, a language model and a damaged run."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(trained, tmp_path / RUN)
    shutil.copytree(GOLDEN / "bigram", tmp_path / "runs" / "bigram")
    (tmp_path / "runs" / "damaged").mkdir()
    for name in ("config.json", "result.json"):
        (tmp_path / "runs" / "damaged" / name).write_text("[")
    return asking(tmp_path)


def done(root: Path, name: str, arguments: dict) -> str:
    """The work of a job, done in this process; its name."""
    folder = root / "runs" / "jobs" / f"20260101-000000-{name}"
    folder.mkdir(parents=True)
    (folder / "job.json").write_text(json.dumps({"work": name, "arguments": arguments}))
    assert work.main(folder) == 0
    return folder.name


def explain_few(root: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The job that explains errors, done with three texts, of which two have a wrong label."""
    few, table = models.known_labels, root / "few.tsv"
    table.write_text("neg\tA great film.\npos\tDull and long.\npos\tA great end.\n")
    monkeypatch.setattr(models, "known_labels", lambda data, *given: few(table, *given))
    return done(root, "classify-errors", {"run": RUN})


def test_inside_a_model_lists_no_classifiers(client: TestClient):
    assert [each["name"] for each in client.get("/api/inside/models").json()] == ["runs/bigram"]


def test_only_classifiers_are_listed(client: TestClient):
    told = client.get("/api/reviews").json()
    assert [each["run"] for each in told["runs"]] == [RUN]
    assert told["runs"][0].keys() == {"run", "data", "classes"}
    assert len(told["runs"][0]["classes"]) == 2
    assert told["running"] == ""


def test_the_reasons_are_those_of_the_bench(client: TestClient):
    text = "A great film, but the end is dull. 𝔘nknown"
    told = client.post("/api/reviews/explain", json={"run": RUN, "text": text}).json()
    found = sentiment.explain(RUN, text=text)
    assert isinstance(found, sentiment.Explained)
    assert told["record"] == json.loads(json.dumps(found.to_dict()))
    assert told["command"] == found.command
    assert told["python"] == f'import attnlab as al\nal.classify.explain("runs/small", text="{text}")'
    shown = told["shown"]
    assert "".join(piece for piece, _, _ in shown["pieces"]) == text
    assert {mark for _, mark, _ in shown["pieces"]} & {"for4", "against4"}
    strongest = max(abs(each) for each in found.reasons.removal.tolist())
    assert float(shown["darkest"]) == pytest.approx(0.65 * strongest, rel=0.05)
    assert shown["error"] is None
    assert set(told["downloads"]) == {".html", ".csv", ".svg", ".png"}


def test_an_error_has_its_experiments(client: TestClient):
    classes = client.get("/api/reviews").json()["runs"][0]["classes"]
    text = "A great film."
    said = client.post("/api/reviews/explain", json={"run": RUN, "text": text}).json()["shown"]["said"]
    (other,) = set(classes) - {said}
    told = client.post("/api/reviews/explain", json={"run": RUN, "text": text, "label": other}).json()
    assert len(told["shown"]["error"]["experiments"]) == 6
    assert told["command"].endswith(f"--label {other}")
    assert told["python"].endswith(f'label="{other}")')


def test_a_file_is_saved_and_never_shown(client: TestClient):
    asked = {"run": RUN, "text": "A great film.", "ending": ".csv"}
    answer = client.post("/api/reviews/explain/file", json=asked)
    assert answer.headers["content-disposition"].startswith("attachment")
    assert answer.text.startswith("text,start,stop,known,form,removal,gradients\n")


@pytest.mark.parametrize(
    ("changed", "argument"),
    [
        ({"text": ""}, "text"),
        ({"text": " \n"}, "text"),
        ({"text": "x" * (LONGEST + 1)}, "text"),
        ({"text": 7}, "text"),
        ({"text": None}, "text"),
        ({"label": "no such class"}, "label"),
        ({"label": ["x"]}, "label"),
        ({"run": ""}, "file"),
        ({"run": "../.."}, "file"),
        ({"run": "/dev"}, "file"),
        ({"run": "runs/bigram"}, "file"),
        ({"run": "runs/damaged"}, "file"),
        ({"ending": ".exe"}, "ending"),
    ],
)
def test_what_cannot_be_explained_is_named_in_one_line(client: TestClient, changed, argument):
    asked = {"run": RUN, "text": "A great film.", **changed}
    answer = client.post("/api/reviews/explain/file", json=asked)
    assert answer.status_code == 400
    told = answer.json()
    assert "\n" not in told["error"]
    assert argument == ("file" if "file" in told else told["argument"])


def test_the_errors_are_found_again_with_examples_of_each_kind(client: TestClient, tmp_path, monkeypatch):
    assert client.get("/api/reviews/errors", params={"run": RUN}).json() == {"result": None, "job": "", "running": ""}
    job = explain_few(tmp_path, monkeypatch)
    told = client.get("/api/reviews/errors", params={"run": RUN}).json()
    assert told["job"] == job
    result = told["result"]
    assert result["command"] == "attnlab classify explain runs/small reviews"
    assert sum(each["first"] for each in result["kinds"]) == result["record"]["kinds"]["errors"] == 2
    assert all(bool(each["examples"]) == bool(each["first"]) for each in result["kinds"])


def test_a_trained_classifier_is_listed_first(client: TestClient, tmp_path):
    job = done(tmp_path, "classify-train", {})
    result = client.get(f"/api/jobs/{job}/result").json()
    assert result["command"] == "attnlab classify train reviews --epochs 3"
    assert client.get("/api/reviews").json()["runs"][0]["run"] == result["record"]["runs"][0]["run"]
