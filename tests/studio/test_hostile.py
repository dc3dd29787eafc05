"""A sample of the hostile requests of benchmarks/studio/, which sends 1,000 over real connections; and the refusals
below the application: a body that never comes, and what is no HTTP."""

import json
import runpy
import socket
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import anyio
import pytest
import uvicorn
from starlette.responses import JSONResponse
from tests.studio.conftest import PORT, TOKEN, asking

from attnlab.studio import safety
from attnlab.studio.protocol import JsonProtocol

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
OVER_A_CONNECTION = ("size", "length", "address")
"""Attacks that a client in this process cannot send."""


def test_a_hundred_hostile_requests_are_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "hostile_requests", made := type(sys)("hostile_requests"))
    vars(made).update(runpy.run_path(str(BENCHMARKS / "studio" / "hostile_requests.py"), run_name="hostile_requests"))
    client, cookie = asking(tmp_path), {"cookie": f"attnlab-{PORT}={TOKEN}"}
    asked = vars(made)["hostile_requests"](client.get("/api/docs").json(), 160, 7, PORT)
    del client.headers["cookie"]
    sent = [each for each in asked if each.attack not in OVER_A_CONNECTION]
    for each in sent:
        headers = {"content-type": "application/json", **cookie, **each.headers}
        given = {name: value for name, value in headers.items() if value is not None}
        answer = client.request(each.method, each.path, headers=given, content=each.body)
        told = answer.json()
        assert 400 <= answer.status_code < 500, (each, told)
        assert set(told) - {"argument", "file"} == {"error"}, (each, told)
    assert len(sent) > 100
    assert client.get("/api/jobs", headers=cookie).json() == []


def test_a_body_that_never_comes_is_refused(monkeypatch):
    monkeypatch.setattr(safety, "BODY_PATIENCE", 0.05)
    begun = {"type": "http.request", "body": b"{", "more_body": True}
    with ThreadPoolExecutor() as threads:  # Playwright keeps a loop in the thread of the tests
        assert threads.submit(anyio.run, _answered, begun).result() == [408]


def test_a_text_with_half_a_surrogate_pair_is_refused_everywhere(tmp_path):
    client = asking(tmp_path)
    kind = {"content-type": "application/json"}
    for address in ("/api/open", "/api/attention/weigh", "/api/answers/class"):
        answer = client.post(address, content=rb'{"name": "a\udfffb", "path": ".", "text": "a"}', headers=kind)
        assert answer.status_code == 400
        assert answer.json() == {"error": "name: half of a surrogate pair is no character", "argument": "name"}
        as_bytes = client.post(address, content=b'{"name": "a\xed\xa0\x80b", "path": ".", "text": "a"}', headers=kind)
        assert (as_bytes.status_code, as_bytes.json()) == (400, answer.json())
    whole = client.post("/api/open", content=rb'{"path": "\ud83d\ude00"}', headers=kind)
    assert whole.json()["error"].startswith("😀: there is no such file")


async def _answered(*messages: Any) -> list[int]:
    """The statuses of a studio that gets the beginning of a body, and then nothing."""
    left, statuses = list(messages), []

    async def receive() -> Any:
        if not left:
            await anyio.sleep_forever()
        return left.pop(0)

    async def send(message: Any) -> None:
        statuses.extend([message["status"]] if message["type"] == "http.response.start" else [])

    headers = {"host": f"127.0.0.1:{PORT}", "cookie": f"attnlab-{PORT}={TOKEN}", "content-type": "application/json"}
    scope = {"type": "http", "method": "POST", "path": "/api/open", "raw_path": b"/api/open", "query_string": b""}
    scope |= {"headers": [(name.encode(), value.encode()) for name, value in headers.items()]}
    await asking(Path.cwd()).app(scope, receive, send)
    return statuses


@pytest.fixture(scope="module")
def port():
    """The port of a server that reads HTTP as the studio does."""

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await JSONResponse({"path": scope["path"]})(scope, receive, send)

    door = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, http=JsonProtocol, lifespan="off", log_level="critical"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [door]})
    thread.start()
    yield door.getsockname()[1]
    server.should_exit = True
    thread.join()


@pytest.mark.parametrize(
    "sent",
    [
        b"no HTTP at all\r\n\r\n",
        b"GET /" + b"x" * 300_000,
        b"GET / HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n",
        b"GET / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nxyz\r\n",
        b"\x16\x03\x01\x02",  # a browser that was told https
    ],
)
def test_what_is_no_http_is_refused_with_one_json_object(port: int, sent: bytes):
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        connection.sendall(sent + b"\r\n\r\n")
        time.sleep(0.05)
        head, _, body = connection.recv(10_000).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400 Bad Request")
    assert json.loads(body)["error"].startswith("expected an HTTP request")
