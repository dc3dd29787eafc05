"""Requests to the studio: any path, any method, any body. Whatever comes, the answer is no 5xx."""

import json
import shutil
from pathlib import Path
from random import Random
from typing import Any

from tests.fuzz.kinds import GOLDEN, formula
from tests.fuzz.mutation import ODD, json_bytes, mutated_json

PORT, TOKEN = 8765, "a-token-that-nobody-could-guess-0123"
PLANE = {
    "keys": "1,0;0,1",
    "queries": "1,1",
    "mix": "0=0.5,1=0.5",
    "scale": 2.0,
    "isotropic": 0.1,
    "noisy": "0",
    "key": 1,
}
BODIES: dict[str, Any] = {
    "/api/answers/reading": {"problem": "copy", "formulas": ["q = C k_j"]},
    "/api/answers/own": {"name": "own.toml", "toml": 'title = "x"'},
    "/api/attention/weigh": PLANE,
    "/api/attention/design": PLANE,
    "/api/attention/curve": PLANE,
    "/api/open": {"path": "."},
    "/api/train/plan": {"text": "topics", "model": "ngram"},
    "/api/inside/score": {"model": "ngram", "text": "To be"},
    "/api/inside/look": {"model": "transformer", "text": "To be"},
    "/api/inside/head": {"model": "transformer", "text": "To be", "head": "0.0"},
    "/api/inside/compare": {"models": ["ngram", "transformer"], "text": "To be"},
    "/api/reviews/explain": {"run": "classifier", "text": "a good film"},
    "/api/knowledge/ask": {"run": "people-known", "question": "Where was Ada born?"},
}
"""A body for each address that computes something and starts no job."""
READ = ("/api/home", "/api/runs", "/api/jobs", "/api/claims", "/api/claims/1", "/api/reviews", "/api/knowledge",
        "/api/knowledge/people", "/api/answers", "/api/inside/models", "/api/train/choices", "/api/train/runs", "/",
        "/main.js", "/style.css", "/api/jobs/x", "/api/jobs/x/result", "/nowhere")  # fmt: skip


def ask(client: Any, draws: Random) -> str:
    """Send one request. Returns what was wrong, or nothing."""
    path = draws.choice((*READ, *BODIES, *BODIES))
    method = draws.choice(("GET", "POST", "POST", "PUT", "DELETE")) if path in READ else "POST"
    body = BODIES.get(path, {"a": 1})
    if "formulas" in body and draws.random() < 0.7:
        problem, answer = formula(draws)
        body = {"problem": problem, "formulas": [answer]}
    content = json_bytes(mutated_json(body, draws), draws)
    if draws.random() < 0.2:
        path = path.replace("x", draws.choice(ODD)[:200]) + draws.choice(("", "/", "?", "%00", "%2e%2e/", "//"))
    if draws.random() < 0.3:
        path += f"?path={draws.choice(ODD)[:300]}&run={draws.choice(ODD)[:300]}&model={draws.choice(ODD)[:300]}"
    headers = {"content-type": draws.choice(("application/json",) * 5 + ("text/plain",))}
    path = "".join(each if each.isprintable() else "%7f" for each in path)
    answer = client.request(method, path, content=content, headers=headers)
    if answer.status_code >= 500 or "Traceback" in answer.text[:100_000]:
        return f"{method} {path[:200]} gave {answer.status_code}: {content[:2000]!r}: {answer.text[:2000]}"
    if answer.status_code >= 400 and path.startswith("/api") and "error" not in json.loads(answer.text or "{}"):
        return f"{method} {path[:200]} gave {answer.status_code} without a word: {answer.text[:500]}"
    return ""


FILES: dict[str, Any] = {
    "job.json": {
        "work": "train",
        "arguments": {"run": "ngram", "baseline": "", "path": "class.csv", "ids": ["copying.exact"], "seed": 0},
        "started": "2026-01-01T00:00:00",
        "process": None,
    },
    "progress.json": {"what": "training", "done": 1, "total": 4, "said": "step 1"},
    "result.json": {"record": {}, "command": "", "python": "", "downloads": [".html"], "evidence": {}},
    "error.json": {"error": "the text is too short"},
}
"""The files of a job of the studio."""
ABOUT_JOBS = (
    "jobs", "jobs/x", "jobs/x/result", "jobs/x/result.html", "jobs/x/events", "train/runs?run=ngram",
    "train/watch?run=ngram", "train/runs?run=/etc", "claims", "answers/class/x", "reviews", "knowledge",
)  # fmt: skip


def ask_about_a_job(client: Any, draws: Random) -> str:
    """Send every request that reads jobs to a studio with a job one of whose files is hostile."""
    folder = Path("runs/jobs/x")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    work = draws.choice(("train", "resume", "claims", "grade", "heads-over-time", "knowledge-make"))
    for name, value in FILES.items():
        value = value | {"work": work} if name == "job.json" else value
        if name in ("job.json", "progress.json") or draws.random() < 0.5:
            (folder / name).write_text(json.dumps(value))
    name = draws.choice(("job.json", *FILES))
    (folder / name).unlink(missing_ok=True)
    if draws.random() < 0.1:
        (folder / name).symlink_to(draws.choice(("/etc/passwd", "/dev/zero", "..", "x")))
    else:
        (folder / name).write_bytes(json_bytes(mutated_json(FILES[name], draws), draws))
    for address in ABOUT_JOBS:
        answer = client.get(f"/api/{address}")
        if answer.status_code >= 500 or "Traceback" in answer.text[:100_000] or "root:" in answer.text:
            return f"{address} gave {answer.status_code} for {name} of {work}: {answer.text[:2000]}"
    return ""


def make_client(root: Path) -> Any:
    """A studio in a folder with small runs, asked without a network."""
    from starlette.testclient import TestClient

    from attnlab.studio.app import make_app

    if not root.exists():
        shutil.copytree(GOLDEN, root)
    app = make_app(root, port=PORT, token=TOKEN)
    sent = {"cookie": f"attnlab-{PORT}={TOKEN}", "origin": f"http://127.0.0.1:{PORT}"}
    return TestClient(app, base_url=f"http://127.0.0.1:{PORT}", headers=sent, raise_server_exceptions=False)
