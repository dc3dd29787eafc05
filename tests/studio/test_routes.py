"""What each route answers."""

import json
import shutil
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from tests.studio.conftest import asking

from attnlab.claims.ledger import every_claim
from attnlab.errors import ArgumentError, FileError
from attnlab.studio.errors import BUG, error_object
from attnlab.studio.routes import home

GOLDEN = Path(__file__).parents[1] / "golden"


def write_run(folder, **about):
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps({"text": "topics", "model": {"kind": "ngram"}, **about}))


def test_home_tells_the_folder(client: TestClient, root):
    told = client.get("/api/home").json()
    assert set(told) == {"version", "folder", "opened"}
    assert told["folder"] == str(root)


def test_runs_are_those_of_the_bench(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_run(tmp_path / "runs" / "first")
    client = asking(tmp_path)
    told = client.get("/api/runs", params={"folder": "runs"}).json()
    assert set(told) == {"folder", "record", "command", "python", "downloads"}
    assert told["downloads"] == [".csv"], "a run that was not measured cannot be drawn"
    assert "first" in client.get("/api/runs.csv", params={"folder": "runs"}).text
    assert told["folder"] == "runs"
    assert [run["run"].rpartition("/")[2] for run in told["record"]["runs"]] == ["first"]
    assert told["command"] == "attnlab runs"
    assert told["python"] == "import attnlab as al\nal.runs()"


def test_runs_of_the_folder_stay_when_a_job_makes_the_folder_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for place in ("first-run", "runs/second"):
        shutil.copytree(GOLDEN / "ngram", tmp_path / place)
    (tmp_path / "runs" / "jobs" / "20260101-train-1").mkdir(parents=True)
    client = asking(tmp_path)
    told = client.get("/api/runs").json()
    assert [run["run"] for run in told["record"]["runs"]] == ["first-run", "runs/second"]
    assert told["command"] == "attnlab runs ."
    assert [each["name"] for each in client.get("/api/inside/models").json()] == ["first-run", "runs/second"]


def test_a_run_and_a_model_are_opened_by_their_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_run(tmp_path / "elsewhere" / "first")
    model = tmp_path / "model"
    model.mkdir()
    (model / "config.json").write_text('{"model_type": "gpt2"}')
    root, kept = tmp_path / "root", tmp_path / "kept"
    root.mkdir()
    client = asking(root, kept=kept)
    run = client.post("/api/open", json={"path": "../elsewhere/first"}).json()
    assert run == {"path": str(tmp_path / "elsewhere" / "first"), "kind": "run", "about": "ngram"}
    opened = client.post("/api/open", json={"path": "hf:../model"}).json()
    assert opened == {"path": f"hf:{model}", "kind": "model", "about": "gpt2"}
    assert client.get("/api/home").json()["opened"] == [run, opened]
    again = asking(root, kept=kept)  # the server was started again
    assert again.get("/api/home").json()["opened"] == [run, opened]
    assert again.get("/api/runs", params={"folder": run["path"]}).status_code == 200
    assert again.post("/api/close", json={"path": run["path"]}).json()["opened"] == [opened]
    assert again.post("/api/close", json={"path": run["path"]}).json()["error"].endswith("is not open")
    for each in (again, asking(root, kept=kept)):
        assert "is outside the folder" in each.get("/api/runs", params={"folder": run["path"]}).json()["error"]
    model.rename(tmp_path / "moved")  # what is no longer there is left out
    assert asking(root, kept=kept).get("/api/home").json()["opened"] == []
    (tmp_path / "moved").rename(model)
    told = client.post("/api/open", json={"path": "../model"})
    assert told.status_code == 400
    assert told.json()["error"] == "../model: is a model of Hugging Face: write hf:../model"
    (table,) = client.get("/api/runs", params={"folder": run["path"]}).json()["record"]["runs"]
    assert table["run"].endswith("elsewhere/first")


def test_the_ledger_has_every_claim(client: TestClient):
    told = client.get("/api/claims").json()
    assert set(told) == {"families", "benches", "claims", "first", "command", "python", "downloads"}
    assert told["downloads"] == [".html", ".csv"]
    assert "copying-mask" in client.get("/api/claims/list.csv").text
    some = client.get("/api/claims/list.csv", params={"name": ["perplexity", "copying-mask"]}).text
    assert [line.split(",")[0] for line in some.splitlines()[1:]] == [
        "copying-mask",
        "perplexity-base",
        "perplexity-mixed",
    ]
    assert {claim["bench"] for claim in told["claims"]} == set(told["benches"])
    assert [claim["id"] for claim in told["claims"]] == [claim.id for claim in every_claim()]
    named = {claim["id"]: claim for claim in told["claims"]}
    assert named["copying-mask"]["source"] == "measured before, with 20 of 20 seeds"
    assert named["averaging-scale"] == named["averaging-scale"] | {
        "verdict": "holds",
        "source": "nothing is random: measured before",
    }
    assert all(claim["verdict"] for claim in told["claims"]), "so that the filter hides no claim"
    assert len(told["first"]) == 5
    assert all(each["id"] in named for each in told["first"])


def test_one_claim_without_evidence(client: TestClient):
    told = client.get("/api/claims/copying-mask", params={"seed": 7}).json()
    assert told["evidence"] is None
    assert told["seed"] == 7
    assert told["seeds"] == {"holds": 20}
    assert "<sub>" in told["statement"]


@pytest.mark.parametrize(
    ("path", "error"),
    [
        (
            "/api/claims/copying-masc",
            "id: expected a claim or a family, got 'copying-masc'; did you mean copying-mask?",
        ),
        ("/api/claims/copying", "id: expected a claim, got the family 'copying'"),
        (
            "/api/claims/copying-mask?seed=x",
            "seed: input should be a valid integer, unable to parse string as an integer",
        ),
    ],
)
def test_a_wrong_claim_is_named(client: TestClient, path, error):
    answer = client.get(path)
    assert answer.status_code == 400
    assert answer.json()["error"] == error
    assert answer.json()["argument"] in ("id", "seed")


@pytest.mark.parametrize("asked", [{"ids": []}, {"ids": ["x"]}, {"ids": ["copying-mask"], "seed": -1}])
def test_claims_that_cannot_be_run_start_no_job(client: TestClient, asked):
    assert client.post("/api/claims/run", json=asked).status_code == 400
    assert client.get("/api/jobs").json() == []


def test_the_schema_lists_every_route(client: TestClient):
    told = client.get("/api/docs").json()
    assert {"/api/home", "/api/runs", "/api/open", "/api/claims", "/api/claims/{id}", "/api/jobs/{id}"} <= set(
        told["paths"]
    )
    assert {"Home", "Runs", "Ledger", "OneClaim", "ListedClaim", "Opened"} <= set(told["components"]["schemas"])


def test_a_job_has_one_schema_wherever_it_is_told(client: TestClient):
    told = client.get("/api/docs").json()
    assert {"ToldJob", "Progress"} <= set(told["components"]["schemas"])
    answers = {
        f"{method} {path}": answer["responses"]["200"].get("content", {}).get("application/json", {}).get("schema", {})
        for path, methods in told["paths"].items()
        for method, answer in methods.items()
    }
    of_jobs = {name for name, schema in answers.items() if schema.get("$ref") == "#/components/schemas/ToldJob"}
    started = {
        f"post {path}"
        for path, methods in told["paths"].items()
        if methods.get("post", {}).get("description", "").startswith("Start a job that")
    } - {"post /api/train/start", "post /api/train/resume"}  # which tell the run, too
    assert started | {"get /api/jobs/{id}", "post /api/jobs/{id}/cancel"} == of_jobs


def test_a_bug_tells_nothing_of_itself(client: TestClient, monkeypatch):
    monkeypatch.setattr(home, "__version__", property())  # cannot be written as JSON
    answer = client.get("/api/home")
    assert (answer.status_code, answer.json()) == (500, {"error": BUG})


def test_errors_name_their_argument_or_file():
    assert error_object(ArgumentError("seed", "no")) == {"error": "seed: no", "argument": "seed"}
    assert error_object(FileError("a.txt", "no", 3)) == {"error": "a.txt, line 3: no", "file": "a.txt"}


def test_the_page_is_small_and_asks_nobody_else(client: TestClient):
    page = client.get("/")
    assert page.headers["content-type"].startswith("text/html")
    assert "style=" not in page.text
    assert "<script>" not in page.text
    from importlib.resources import files

    static = [each for each in (files("attnlab.studio") / "static").rglob("*") if each.is_file()]  # pyright: ignore
    assert sum(each.stat().st_size for each in static) < 300_000
    assert not [each.name for each in static if "https://" in each.read_text()]
    code = [each for each in static if each.suffix in (".js", ".css", ".html")]
    assert not [(each.name, line) for each in code for line in each.read_text().splitlines() if len(line) > 120]
