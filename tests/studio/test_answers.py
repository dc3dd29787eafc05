"""The page Answers: what its routes answer, and to whom they say no."""

import json
import os
from typing import Any

import pytest
from starlette.testclient import TestClient

import attnlab as al
from attnlab.answers.questions.loading import OWN
from attnlab.studio import checkers, work
from attnlab.studio.checkers import Checkers

TOML = """
title = "A copy"
question = "Give q with c ≈ v_a."
wanted = "c ≈ v_a"
sizes = { n = [3], d = [3] }
members = { n = ["a", "b"] }
unknowns = { q = "d" }
symbols = { k = { is = "orthonormal", shape = "d×n" }, v = { is = "orthonormal", shape = "d×n" } }
definitions = { c = "v softmax(k^T q)" }
samples = [{ answer = "q = C k_a", verdict = "holds" }]
"""
MINE = {"name": "mine", "toml": TOML}
SLOW = "q_1 = C μ_a, q_2 = t μ_b + λ μ_a"


def check(client: TestClient, **asked: Any) -> dict[str, Any]:
    answer = client.post("/api/answers/check", json=asked)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_the_problems_are_those_of_the_command(client: TestClient):
    told = client.get("/api/answers").json()
    assert [each["name"] for each in told["problems"]] == list(OWN)
    assert told["command"] == "attnlab check --list"
    named = {each["name"]: each for each in told["problems"]}
    assert [each["set"] for each in named["two-heads"]["asked"]] == ["q<sub>1</sub>", "q<sub>2</sub>"]
    assert {"name": "K", "set": "K", "optional": True} in named["self-attention"]["asked"]


def test_the_verdict_is_that_of_python_and_of_the_command(client: TestClient):
    told = check(client, problem="extract", formulas=["M = A^T"])
    found = al.check("extract", "M = A^T")
    assert told["record"] == found.to_dict()
    assert (told["command"], told["corrected"]) == (found.command, ["M = A Aᵀ"])
    assert told["python"] == 'import attnlab as al\nal.check("extract", "M = A^T")'


def test_several_formulas_and_their_correction(client: TestClient):
    told = check(client, problem="two-heads", formulas=["q_1 = C mu_a", "", "q_2 = C mu_a"])
    assert (told["verdict"], told["slip"]) == ("fails", "an index is wrong")
    assert told["corrected"] == ["q_1 = C μ_a", "q_2 = C μ_b"]
    assert "<sub>" in told["reason"]


@pytest.mark.parametrize("formula", ["M = A^", "<script>", "M = " + "A" * 2_000, "q = k_a", "\x00", "𝕏 = 1e999999999"])
def test_an_answer_that_cannot_be_read_has_a_verdict(client: TestClient, formula):
    told = check(client, problem="extract", formulas=[formula])
    assert told["verdict"] == "unreadable"
    assert told["reason"]
    assert "<script" not in told["reason"]


def test_formulas_are_read_one_by_one(client: TestClient):
    told = client.post("/api/answers/reading", json={"formulas": [r"q = \frac{C}{2} k_a", "", "q = ("]}).json()
    first, empty, wrong = told["formulas"]
    assert first == {"set": "q = (C/2) k<sub>a</sub>", "error": ""}
    assert empty == {"set": "", "error": ""}
    assert "character 6" in wrong["error"]


def test_a_problem_of_ones_own(client: TestClient):
    told = client.post("/api/answers/own", json=MINE).json()
    assert (told["error"], told["problem"]["command"]) == ("", "attnlab check --list --problem mine.toml")
    assert told["problem"]["samples"] == [{"answer": "q = C k_a", "verdict": "holds"}]
    found = check(client, own=MINE, formulas=["q = C k_a"])
    assert (found["verdict"], found["command"]) == ("holds", "attnlab check 'q = C k_a' --problem mine.toml")


@pytest.mark.parametrize("toml", ["", "a = ", "title = nan", "[" * 5_000, "x" * 200_000, "sizes = { n = [99999] }"])
def test_a_wrong_file_of_a_problem_is_said_in_one_line(client: TestClient, toml):
    told = client.post("/api/answers/own", json={"name": "mine", "toml": toml}).json()
    assert told["problem"] is None
    assert told["error"].startswith("mine.toml: ")
    assert "\n" not in told["error"]


@pytest.mark.parametrize(
    ("path", "asked", "error"),
    [
        ("check", {"problem": "extrac", "formulas": ["M = A"]}, "did you mean extract?"),
        ("check", {"problem": "extract", "formulas": []}, "formulas: expected at least one formula"),
        ("check", {"problem": "extract", "formulas": ["  "]}, "formulas: expected at least one formula"),
        ("check", {"problem": "extract", "formulas": ["a"] * 21}, "formulas: expected at most 20 formulas, got 21"),
        ("check", {"problem": "extract", "formulas": [1]}, "formulas.0: input should be a valid string"),
        ("check", {"own": MINE | {"name": "../x"}, "formulas": ["q = k_a"]}, "name: expected up to 40 letters"),
        ("check", {"own": MINE | {"toml": "a = "}, "formulas": ["q = k_a"]}, "mine.toml: expected TOML"),
        ("file", {"problem": "extract", "formulas": ["M = A"], "ending": ".svg"}, "ending: input should be"),
        ("class", {"name": "a.csv"}, "text: field required"),
        ("class", {"name": "a.csv", "text": "x", "own": {"name": "", "toml": ""}}, "name: expected up to 40 letters"),
    ],
)
def test_a_wrong_request_is_refused_in_one_line(client: TestClient, path, asked, error):
    answer = client.post(f"/api/answers/{path}", json=asked)
    assert answer.status_code == 400
    assert error in answer.json()["error"]


def test_half_a_character_is_no_bug(client: TestClient):
    broken = json.dumps({"problem": "extract", "formulas": ["\ud800"], "own": None})
    answer = client.post("/api/answers/check", content=broken, headers={"content-type": "application/json"})
    assert (answer.status_code, answer.json()["argument"]) == (400, "formulas")
    broken = json.dumps({"name": "a.csv", "text": "\ud800"})
    answer = client.post("/api/answers/class", content=broken, headers={"content-type": "application/json"})
    assert (answer.status_code, answer.json()["argument"]) == (400, "text")


def test_a_verdict_is_saved_as_a_file(client: TestClient):
    asked = {"problem": "extract", "formulas": ["M = A^T"]}
    page = client.post("/api/answers/file", json=asked)
    assert page.headers["content-disposition"] == "attachment"
    assert "M should be d×d" in page.text
    table = client.post("/api/answers/file", json=asked | {"ending": ".csv"})
    assert table.text.startswith("problem,answer,verdict")


def test_an_answer_that_takes_long_is_ended_and_the_next_one_is_answered(client: TestClient, monkeypatch):
    app: Any = client.app
    monkeypatch.setattr(app.state.lab.checkers, "patience", 0.2)
    told = check(client, problem="two-heads-norm-noise", formulas=[SLOW])
    assert (told["verdict"], told["reason"]) == ("late", "No verdict within 0.2 seconds.")
    monkeypatch.undo()
    assert check(client, problem="extract", formulas=["M = A A^T"])["verdict"] == "holds"


def test_a_process_that_has_died_is_replaced(monkeypatch):
    monkeypatch.setattr(checkers, "PROCESSES", 1)
    here = Checkers()
    assert here.ask("reading", formulas=["q"])["formulas"][0]["set"] == "q"
    process = here._idle.queue[0]
    assert process is not None
    os.kill(process.process.pid, 9)
    process.process.wait()
    assert here.ask("reading", formulas=["q"])["formulas"][0]["set"] == "q"


@pytest.fixture(scope="module")
def graded(client: TestClient, root) -> str:
    """A class that was graded, by the work of its job in this process; the name of the job."""
    rows = "student,room,problem,answer\nAda,1,extract,M = A A^T\nBob,2,mine,q = C k_b\nCyd,3,extrakt,M = (\n"
    app: Any = client.app
    started, app.state.lab.jobs.program = app.state.lab.jobs.program, ("-c", "")
    job = client.post("/api/answers/class", json={"name": "../my class.csv", "text": rows, "own": MINE}).json()
    app.state.lab.jobs.program = started
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        patch.setattr(work, "REFRESH", 0.0)
        found = work.grade(job["arguments"], work.FileObserver(root / "runs" / "jobs" / job["id"] / "progress.json"))
    again = {"command": found.record.command, "python": found.record.python}
    told = {"record": found.record.to_dict(), **again, **found.beside}
    (root / "runs" / "jobs" / job["id"] / "result.json").write_text(json.dumps(told))
    return job["id"]


def test_a_class_is_graded_as_by_the_command(client: TestClient, root, graded):
    said = client.get(f"/api/jobs/{graded}").json()["progress"]["said"]
    assert said == "unreadable: extrakt, M = (\nfails: mine, q = C k_b\nholds: extract, M = A A^T"
    told = client.get(f"/api/jobs/{graded}/result").json()
    assert [row["verdict"] for row in told["grades"]["rows"]] == ["holds", "fails", "unreadable"]
    assert told["grades"]["counts"] == told["record"]["counts"]
    assert told["grades"]["warnings"] == ["1 row names an unknown problem: extrakt (line 4)"]
    (folder,) = (root / "runs" / "classes").iterdir()
    assert {each.name for each in folder.iterdir()} == {"my-class.csv", "my-class-graded.csv", "mine.toml"}
    assert told["command"].startswith(f"attnlab check --answers runs/classes/{folder.name}/my-class.csv --problem ")
    assert told["python"].startswith(
        f'import attnlab as al\nal.grade("runs/classes/{folder.name}/my-class.csv", problem='
    )


def test_the_graded_file_has_every_column_and_is_saved(client: TestClient, graded):
    answer = client.get(f"/api/answers/class/{graded}")
    assert answer.headers["content-disposition"].startswith("attachment")
    assert answer.text.startswith("student,room,problem,answer,verdict,reason,suggestion")
    assert len(answer.text.splitlines()) == 4


def test_only_graded_classes_of_this_folder_are_served(client: TestClient, root, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "a-graded.csv").touch()
    for name, asked in (
        ("other", {"work": "claims", "arguments": {}}),
        ("foreign", {"work": "grade", "arguments": {"path": str(elsewhere / "a.csv")}}),
        ("typed", {"work": "grade", "arguments": {"path": 1}}),
    ):
        folder = root / "runs" / "jobs" / name
        folder.mkdir(parents=True)
        (folder / "job.json").write_text(json.dumps(asked))
        (folder / "result.json").write_text("{}")
        assert client.get(f"/api/answers/class/{name}").status_code == 400


def test_an_answer_is_checked_in_a_job(client: TestClient, root):
    folder = root / "runs" / "jobs" / "answer"
    folder.mkdir(parents=True)
    asked = {"problem": "extract", "own": None, "formulas": ["M = A^T", ""]}
    (folder / "job.json").write_text(json.dumps({"work": "answer", "arguments": asked}))
    assert work.main(folder) == 0
    told = client.get("/api/jobs/answer/result").json()
    assert told["checked"] == check(client, **asked)
    assert told["downloads"] == [".html", ".csv"]


def test_the_schema_has_the_records(client: TestClient):
    told = client.get("/api/docs").json()
    assert {"ShownVerdict", "ShownProblem", "ReadOwn", "Reading"} <= set(told["components"]["schemas"])
