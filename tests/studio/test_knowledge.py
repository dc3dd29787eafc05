"""Knowledge: the routes, asked with a model of an older lab, and the job that moves the threshold."""

import json
import shutil

import pytest
from starlette.testclient import TestClient
from tests.studio.conftest import asking
from tests.studio.test_reviews import GOLDEN, done

from attnlab.benches import knowledge
from attnlab.evaluation.settings import PRECISION, PRECISIONS
from attnlab.numbers import percents
from attnlab.studio.routes.knowledge import LONGEST

RUN = "runs/known"


@pytest.fixture
def client(tmp_path, monkeypatch) -> TestClient:
    """A studio in a folder with a finetuned model and one that only read lines."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(GOLDEN / "people-known", tmp_path / RUN)
    shutil.copytree(GOLDEN / "people-read", tmp_path / "runs" / "read")
    return asking(tmp_path)


def test_only_finetuned_models_are_listed(client: TestClient):
    assert client.get("/api/knowledge").json() == {"runs": [RUN], "running": ""}


def test_the_people_are_those_of_the_bench(client: TestClient):
    told = client.get("/api/knowledge/people", params={"run": RUN}).json()
    model = knowledge.open_known(RUN)
    assert told["record"] == json.loads(json.dumps(model.people.to_dict()))
    assert told["command"] == "attnlab knowledge people runs/known"
    assert told["python"] == 'import attnlab as al\nal.knowledge.people("runs/known")'
    assert (told["example"], told["precision"]) == (model.example, model.reached or PRECISION)
    assert len(told["strangers"]) == 5
    assert ".csv" in told["downloads"]
    table = client.get("/api/knowledge/people.csv", params={"run": RUN}).text
    assert all(each["name"] in table for each in told["record"]["people"])


def test_the_reply_is_that_of_the_bench(client: TestClient):
    question = knowledge.open_known(RUN).example
    asked = {"run": RUN, "question": question, "precision": 0.5}
    told = client.post("/api/knowledge/ask", json=asked).json()
    found = knowledge.ask(RUN, [question], 0.5)
    assert told["record"] == json.loads(json.dumps(found.to_dict()))
    assert told["command"] == found.command
    assert told["python"].endswith(f'al.knowledge.ask("runs/known", "{question}", precision=0.5)')
    answer = client.post("/api/knowledge/ask/file", json={**asked, "ending": ".csv"})
    assert answer.text.startswith("question,answer,")


@pytest.mark.parametrize(
    ("changed", "argument"),
    [
        ({"question": ""}, "QUESTION"),
        ({"question": "x" * (LONGEST + 1)}, "question"),
        ({"question": 1}, "question"),
        ({"precision": 0}, "precision"),
        ({"precision": 1.5}, "precision"),
        ({"precision": "NaN"}, "precision"),
        ({"precision": [1]}, "precision"),
        ({"run": "runs/read"}, "file"),
        ({"run": "../.."}, "file"),
        ({"run": ""}, "file"),
        ({"ending": ".pkl"}, "ending"),
    ],
)
def test_what_cannot_be_asked_is_named_in_one_line(client: TestClient, changed, argument):
    asked = {"run": RUN, "question": "Where was Ada born?", **changed}
    answer = client.post("/api/knowledge/ask/file", json=asked)
    assert answer.status_code == 400
    told = answer.json()
    assert "\n" not in told["error"]
    assert argument == ("file" if "file" in told else told["argument"])


def test_each_threshold_is_that_of_evaluate(client: TestClient, tmp_path):
    empty = {"result": None, "job": "", "running": ""}
    assert client.get("/api/knowledge/thresholds", params={"run": RUN}).json() == empty
    job = done(tmp_path, "knowledge-evaluate", {"run": RUN})
    told = client.get("/api/knowledge/thresholds", params={"run": RUN}).json()
    assert told["job"] == job
    rows = told["result"]["thresholds"]
    assert [row["wanted"] for row in rows] == list(PRECISIONS)
    found = knowledge.evaluate(RUN, knowledge.EvaluationSettings(0.5))
    assert rows[0]["command"] == found.command
    sure = found.knowledge.confidence
    assert sure is not None
    assert sure.confident_wrong is not None
    wrong = sure.confident_wrong
    interval = rows[0]["strangers"]["interval"]
    assert interval == f"{wrong.count:,} of {wrong.examples:,}, 95 % interval {percents(wrong.low, wrong.high)} %"
