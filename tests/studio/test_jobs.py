"""Jobs: processes that outlive the server, and whose state is files."""

import json
import time
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.studio.conftest import asking

from attnlab.errors import ArgumentError
from attnlab.studio import jobs, work
from attnlab.studio.jobs import Jobs

PATIENT = ("-c", "import time; time.sleep(60)")
STUBBORN = ("-c", "import signal, time; signal.signal(signal.SIGINT, signal.SIG_IGN); time.sleep(60)")
BROKEN = ("-c", "raise SystemExit(1)")


def wait_for(condition) -> None:
    until = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.02)


@pytest.fixture
def started(tmp_path):
    """Start jobs, and end those that are left."""
    made = []

    def start(program=PATIENT):
        here = Jobs(tmp_path, program)
        made.append((here, here.start("claims", {"ids": ["x"], "seed": 1})))
        return made[-1]

    yield start
    for _, job in made:
        jobs._signal(job, jobs.signal.SIGKILL)


def test_a_job_is_found_again_by_another_server_and_cancelled_there(started, tmp_path):
    _, job = started()
    other = Jobs(tmp_path)
    assert [each.id for each in other.all()] == [job.id]
    found = other.find(job.id)
    assert found.state == "running"
    assert found.told().arguments == {"ids": ["x"], "seed": 1}
    other.cancel(found)
    wait_for(lambda: found.state == "cancelled")
    other.cancel(found)  # changes nothing
    assert found.state == "cancelled"


def test_every_kind_of_work_gives_a_job_that_is_found(tmp_path):
    for name in [*work.WORK, "with_underscore"]:
        folder = tmp_path / "runs" / "jobs" / f"20260101-000000-{name}-abc123"
        folder.mkdir(parents=True)
        (folder / "job.json").write_text("{}")
        assert Jobs(tmp_path).find(folder.name).folder == folder


def test_a_process_that_does_not_listen_is_ended(started, monkeypatch):
    monkeypatch.setattr(jobs, "GRACE", 0.1)
    here, job = started(STUBBORN)
    here.cancel(job)
    wait_for(lambda: not job.alive)
    assert job.state == "cancelled"


def test_a_process_that_ends_without_a_result_has_failed(started):
    _, job = started(BROKEN)
    wait_for(lambda: not job.alive)
    assert job.told().state == "failed"
    assert job.told().error.endswith("log.txt says why")


def test_a_few_jobs_at_a_time(started, monkeypatch):
    monkeypatch.setattr(jobs, "MOST_RUNNING", 1)
    started()
    with pytest.raises(ArgumentError, match="1 jobs run already; wait for one, or cancel one"):
        started()


def test_the_number_of_a_dead_process_is_never_signalled(tmp_path):
    folder = tmp_path / "runs" / "jobs" / "old"
    folder.mkdir(parents=True)
    (folder / "job.json").write_text('{"work": "claims", "arguments": {}, "process": 1}')
    (folder / "lock").touch()
    here = Jobs(tmp_path)
    here.cancel(here.find("old"))
    assert here.find("old").state == "failed"


@pytest.fixture(scope="module")
def done(root) -> str:
    """The work of a job, done in this process; its name."""
    folder = root / "runs" / "jobs" / "20260101-000000-claims-abc"
    folder.mkdir(parents=True)
    (folder / "job.json").write_text('{"work": "claims", "arguments": {"ids": ["perplexity-mixed"], "seed": 3}}')
    assert work.main(folder) == 0
    return folder.name


def test_a_finished_job_tells_its_result_and_events_end(client: TestClient, done):
    told = client.get(f"/api/jobs/{done}").json()
    assert told["state"] == "done"
    assert told["progress"]["total"] == 1
    result = client.get(f"/api/jobs/{done}/result").json()
    assert result["command"] == "attnlab claims perplexity-mixed --seed 3"
    assert result["record"]["findings"][0]["verdict"] == "fails"
    events = client.get(f"/api/jobs/{done}/events")
    assert events.headers["content-type"].startswith("text/event-stream")
    (line,) = events.text.strip().split("\n\n")
    assert json.loads(line.removeprefix("data: ")) == told


def test_its_files_can_be_downloaded_and_never_run_here(client: TestClient, done):
    endings = client.get(f"/api/jobs/{done}/result").json()["downloads"]
    assert {".html", ".csv"} <= set(endings)
    for ending in endings:
        answer = client.get(f"/api/jobs/{done}/result{ending}")
        assert answer.status_code == 200
        assert answer.headers["content-disposition"].startswith("attachment")
    assert client.get(f"/api/jobs/{done}/result.txt").status_code == 400


def test_its_verdict_is_in_the_ledger_and_its_evidence_on_the_page(client: TestClient, done):
    claims = {claim["id"]: claim for claim in client.get("/api/claims").json()["claims"]}
    assert claims["perplexity-mixed"]["verdict"] == "fails"
    assert claims["perplexity-mixed"]["source"].startswith("run here")
    told = client.get("/api/claims/perplexity-mixed", params={"seed": 3}).json()
    assert (told["job"], told["alone"], told["running"]) == (done, True, "")
    found = told["evidence"]
    assert found["words"] == "✗ fails"
    assert found["command"] == "attnlab claims perplexity-mixed --seed 3"
    assert found["numbers"][0].keys() == {"name", "value", "uncertainty", "kind"}
    assert client.get("/api/claims/perplexity-mixed").json()["evidence"] is None


def test_a_users_error_ends_a_job_in_one_line(root):
    folder = root / "wrong"
    folder.mkdir()
    (folder / "job.json").write_text('{"work": "claims", "arguments": {"ids": ["perplexity-mixt"], "seed": 0}}')
    assert work.main(folder) == 2
    assert json.loads((folder / "error.json").read_text())["error"].startswith("ID: expected a claim or a family")


def test_a_job_without_a_result_says_so(tmp_path):
    client = asking(tmp_path)
    folder = tmp_path / "runs" / "jobs" / "ended"
    folder.mkdir(parents=True)
    (folder / "job.json").write_text('{"work": "claims", "arguments": {"ids": [], "seed": 0}}')
    answer = client.get("/api/jobs/ended/result")
    assert (answer.status_code, answer.json()["error"]) == (400, "job: has no result: it is failed")


def test_a_stream_ends_with_the_server_and_with_the_folder_of_its_job(started, tmp_path):
    _, job = started()
    client = asking(tmp_path)
    app: Any = client.app
    lab = app.state.lab
    ended = iter((False, True))
    lab.ending = lambda: next(ended)
    (line,) = client.get(f"/api/jobs/{job.id}/events").text.strip().split("\n\n")
    assert json.loads(line.removeprefix("data: "))["state"] == "running"

    asked, away = job.folder / "job.json", job.folder / "away.json"
    lab.ending = lambda: asked.exists() and not asked.rename(away)
    (line,) = client.get(f"/api/jobs/{job.id}/events").text.strip().split("\n\n")
    away.rename(asked)
    told = json.loads(line.removeprefix("data: "))
    assert told["state"] == "failed"
    assert told["error"].endswith("job.json: there is no such file")


def test_a_damaged_result_is_named(tmp_path):
    folder = tmp_path / "runs" / "jobs" / "damaged"
    folder.mkdir(parents=True)
    (folder / "job.json").write_text('{"work": "claims", "arguments": {"ids": ["copying-mask"], "seed": 0}}')
    client = asking(tmp_path)
    for content in ("", "[]", "{}", '{"evidence": {"copying-mask": 1}}'):
        (folder / "result.json").write_text(content)
        for path in ("/api/claims", "/api/claims/copying-mask"):
            answer = client.get(path)
            assert (answer.status_code, answer.json()["file"]) == (400, str(folder / "result.json"))


ORDER = {"work": "train", "arguments": {"run": "runs/a", "baseline": ""}, "started": "2026-01-01T00:00:00"}


NAN = ORDER | {"arguments": {"rate": float("nan")}}


def put_job(root, name: str, files: dict[str, Any]) -> None:
    """A job's folder as anybody could have made it."""
    folder = root / "runs" / "jobs" / name
    folder.mkdir(parents=True)
    for file, value in files.items():
        (folder / file).write_text(json.dumps(value))


def test_a_job_of_a_folder_does_not_lead_out_of_it(tmp_path):
    root, outside = tmp_path / "root", tmp_path / "outside"
    outside.mkdir()
    (outside / "config.json").write_text('{"text": "secret", "model": {"kind": "ngram"}, "tokens": {"kind": "words"}}')
    put_job(outside, "there", {"job.json": ORDER})
    put_job(root, "run", {"job.json": ORDER | {"arguments": {"run": str(outside)}}})
    put_job(root, "up", {"job.json": ORDER | {"arguments": {"run": "../outside"}}})
    put_job(root, "files", {"job.json": ORDER | {"work": "grade", "arguments": {"path": "class.csv"}}})
    (root / "runs/jobs/link").symlink_to(outside / "runs/jobs/there")
    (root / "class-graded.csv").symlink_to(outside / "config.json")
    (root / "runs/jobs/files/result.json").write_text('{"downloads": [".html"]}')
    (root / "runs/jobs/files/result.html").symlink_to(outside / "config.json")
    client, body = asking(root), {"content-type": "application/json"}
    for given in (str(outside), "../outside"):
        told = [client.get(f"/api/train/{each}", params={"run": given}) for each in ("watch", "runs")]
        told.append(client.post("/api/train/resume", json={"run": given}, headers=body))
        assert [each.status_code for each in told] == [400] * 3
        assert {each.json()["error"] for each in told} == {
            f"{given}: is outside the folder of the studio; open it on the page Home first"
        }
    assert client.get("/api/answers/class/files").status_code == 400
    assert client.get("/api/jobs/files/result.html").status_code == 400
    assert client.get("/api/jobs/link").status_code == 400
    assert {each["id"] for each in client.get("/api/jobs").json()} == {"run", "up", "files"}


@pytest.mark.parametrize(
    "order", [[], {}, ORDER | {"arguments": [1]}, ORDER | {"arguments": None}, {"work": "train"}, NAN]
)
def test_a_damaged_job_is_told_beside_the_others(tmp_path, order):
    put_job(tmp_path, "bad", {"job.json": order})
    put_job(tmp_path, "good", {"job.json": ORDER | {"work": "claims"}, "result.json": {"downloads": 3}})
    client = asking(tmp_path)
    good, bad = client.get("/api/jobs").json()
    assert (good["id"], good["state"], bad["id"], bad["state"]) == ("good", "done", "bad", "failed")
    assert ": expected a job of the studio" in bad["error"] or order is NAN
    assert client.get("/api/jobs/good/result.html").json()["error"].endswith("expected a list, got 3")
    run = client.get("/api/train/runs", params={"run": "runs/a"})
    assert (run.status_code, run.json()["error"]) == (400, "runs/a: there is no such file or folder")
