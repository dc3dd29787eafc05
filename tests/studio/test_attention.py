"""The page Attention: its numbers are those of the benches, and what it refuses."""

import json
import math
import re
from typing import cast

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient
from tests.studio.conftest import asking

import attnlab as al
from attnlab.benches.attention.settings import WeighSettings
from attnlab.benches.attention.weigh import weigh
from attnlab.progress import SILENT
from attnlab.studio import work
from attnlab.studio.jobs import ToldJob

STATE = {"keys": "1,0;0,1;-1,-0.5", "queries": "1,1", "mix": "0=0.5,1=0.5", "scale": 5.0}
NOISE = {"norm_variance": 0.5, "noisy": "0"}
KEYS = [[1.0, 0.0], [0.0, 1.0], [-1.0, -0.5]]


def told(client: TestClient, path: str, **changes) -> dict:
    answer = client.post(f"/api/attention/{path}", json=STATE | changes)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_the_weights_are_those_of_the_bench(client: TestClient):
    shown = told(client, "weigh", **NOISE, hasty=True)
    found = weigh(KEYS, [[1, 1]], {0: 0.5, 1: 0.5}, WeighSettings(scale=5, norm_variance=0.5, noisy=(0,)))
    assert set(shown) == {"record", "command", "python"}
    assert shown["record"] == json.loads(json.dumps(found.to_dict()))
    assert shown["record"]["method"] == "exact"
    assert shown["command"] == shown["python"] == "", "they come when the hand rests"


@pytest.mark.parametrize(
    ("changes", "lead"),
    [
        ({}, 5 - (5 - 7.5) / 2),
        ({"queries": "1,1;0,1"}, 6.25 / 2 + (5 - (0 - 2.5) / 2) / 2),
        ({"keys": "3,0;0,1", "normalise": True}, 0),
        ({"keys": "1,0", "mix": "0=1"}, None),
    ],
)
def test_the_lead_of_the_largest_logit(client: TestClient, changes, lead):
    assert told(client, "weigh", hasty=True, **changes)["record"]["lead"] == pytest.approx(lead)


def test_python_and_command_make_the_same_number(client: TestClient, tmp_path, monkeypatch, again):
    shown = told(client, "weigh", isotropic=0.01, sink=0.5, normalise=True, key=1)
    assert shown["record"]["points"] == 1 << 16
    found = eval(shown["python"].removeprefix("import attnlab as al\n"), {"al": al})  # what a user would paste
    assert (found.to_dict(), found.command, found.python) == (shown["record"], shown["command"], shown["python"])
    monkeypatch.chdir(tmp_path)
    assert again(found) == shown["record"]
    wanted = r"attnlab weigh --keys given-keys-\w{8}\.csv --queries 1\.0,1\.0 --mix 0=0\.5,1=0\.5 --scale 5\.0"
    assert re.search(wanted, found.command)


@pytest.mark.parametrize(("hasty", "method", "points"), [(True, "quasi-monte-carlo", 4096), (False, "exact", None)])
def test_two_directions_are_drawn_while_the_hand_moves_and_exact_when_it_rests(client, hasty, method, points):
    record = told(client, "weigh", norm_variance=0.1, noisy="0,1", hasty=hasty)["record"]
    assert (record["method"], record["directions"]) == (method, 2)
    assert points in (None, record["points"])


@pytest.mark.parametrize(("count", "points"), [(50, 4096), (60, 2048)])
def test_noise_in_many_keys_is_drawn_fewer_times_while_the_hand_moves(client, count, points):
    keys = ";".join(f"{math.cos(key):.3f},{math.sin(key):.3f}" for key in range(count))
    record = told(client, "weigh", keys=keys, isotropic=0.1, hasty=True)["record"]
    assert (record["method"], record["points"]) == ("monte-carlo", points)


def test_the_curve_passes_through_the_error(client: TestClient):
    curve = told(client, "curve", **NOISE)
    at = curve["scale"].index(min(curve["scale"], key=lambda scale: abs(scale - 10)))
    record = told(client, "weigh", **NOISE, hasty=True, scale=curve["scale"][at])["record"]
    assert math.isclose(curve["error"][at], record["error"], abs_tol=1e-9)


def test_can_it_be_done(client: TestClient):
    assert told(client, "design")["record"]["possible"]
    trapped = told(client, "design", keys="0,0;1,0;2,0;0,3", mix="1=1")
    assert trapped["record"]["certificate"]["coefficients"] == pytest.approx([0.5, 0, 0.5, 0], abs=1e-9)
    assert re.search(r"attnlab design --keys given-keys-\w{8}\.csv --mix 1=1\.0 --tolerance 0\.01$", trapped["command"])
    for ending in trapped["downloads"]:
        asked = STATE | {"keys": "0,0;1,0;2,0;0,3", "mix": "1=1", "ending": ending}
        answer = client.post("/api/attention/design/file", json=asked)
        assert answer.status_code == 200
        assert "attachment" in answer.headers["content-disposition"]


def test_the_record_is_saved(client: TestClient):
    answer = client.post("/api/attention/file", json=STATE | NOISE | {"hasty": True, "ending": ".csv"})
    assert answer.text.startswith("key,wanted,mean")
    assert "attachment" in answer.headers["content-disposition"]


def test_the_jobs_find_better_queries_and_what_helps():
    asked = STATE | NOISE | {"scale": 50.0, "scale_only": False}
    given = weigh(KEYS, [[1, 1]], {0: 0.5, 1: 0.5}, WeighSettings(scale=50, norm_variance=0.5, noisy=(0,)))
    found = work.WORK["best-queries"](asked, SILENT)
    assert found.record.to_dict()["error"] < given.error
    scaled = work.WORK["best-queries"](asked | {"scale_only": True}, SILENT)
    assert scaled.beside["queries"] == [[1.0, 1.0]]
    assert 0 < scaled.beside["scale"] < 50
    helped = work.WORK["remedies"]({"keys": 2, "norm_variance": 0.0, "heads": 1}, SILENT)
    assert helped.record.to_dict()["remedies"]


def test_jobs_are_started_with_checked_arguments(tmp_path, monkeypatch):
    client, started = asking(tmp_path), []
    lab = cast(FastAPI, client.app).state.lab

    class Started:
        def told(self) -> ToldJob:
            return ToldJob("1", "remedies", {}, None, "running", None)

    monkeypatch.setattr(lab.jobs, "start", lambda *given: started.append(given) or Started())
    for changes in ({"norm_variance": 0.5}, {"norm_variance": 0.5, "noisy": "2"}, {"norm_variance": 0.5, "noisy": "1"}):
        assert client.post("/api/attention/remedies", json=STATE | changes).json()["id"] == "1"
    chosen = [(given["noisy"], given["norm_variance"]) for _, given in started]
    assert chosen == [("a,b", 0.5), ("a", 0.0), ("b", 0.5)]
    assert client.post("/api/attention/best", json=STATE | {"keys": ""}).status_code == 400
    assert client.post("/api/attention/remedies", json=STATE | {"keys": "1,0", "mix": "0=1"}).status_code == 400
    assert len(started) == 3


HOSTILE = [
    ("keys", ""),
    ("keys", "1,0;x,1"),
    ("keys", "nan,0"),
    ("keys", "inf,0"),
    ("keys", "1e999,0"),
    ("keys", "1e200,0"),
    ("keys", "1,0,0"),
    ("keys", "1_0,0"),
    ("keys", ";".join(["1,0"] * 101)),
    ("keys", [[1, 0]]),
    ("keys", None),
    ("queries", "1,0;0,1;1,1"),
    ("queries", "1"),
    ("queries", ""),
    ("mix", ""),
    ("mix", "0=0.5"),
    ("mix", "7=1"),
    ("mix", "0=nan"),
    ("mix", "-1=1"),
    ("mix", "0=" + "9" * 500),
    ("noisy", "3"),
    ("noisy", "-1"),
    ("noisy", "0.5"),
    ("noisy", "x"),
    ("scale", "x"),
    ("scale", 1e300),
    ("norm_variance", -1),
    ("norm_variance", 1e308),
    ("isotropic", -0.1),
    ("sink", -1),
    ("key", 3),
    ("key", -1),
    ("key", 10**30),
]


@pytest.mark.parametrize("path", ["weigh", "curve", "design"])
def test_hostile_input_is_one_line(client: TestClient, path):
    for name, value in HOSTILE:
        answer = client.post(f"/api/attention/{path}", json=STATE | {"hasty": True, name: value})
        assert answer.status_code == 400, (name, value, answer.text)
        assert "\n" not in answer.json()["error"]
    for name in ("scale", "norm_variance", "isotropic", "sink"):
        body = json.dumps(STATE | {"hasty": True, name: math.nan})
        answer = client.post(f"/api/attention/{path}", content=body, headers={"content-type": "application/json"})
        assert answer.status_code == 400, (name, answer.text)
    assert client.post("/api/attention/file", json=STATE | {"ending": ".py"}).status_code == 400
