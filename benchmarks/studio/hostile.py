"""Sends 1,000 hostile requests over real connections: each must be refused with a status of 4xx and one JSON object."""

import contextlib
import http.client
import json
import os
import socket
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import attnlab as al
from hostile_requests import Request, hostile_requests
from server import Row, Server, studio

LONGEST = 30.0
"""The seconds without an answer after which a request counts as hanging."""
AT_ONCE = 8


def measure(count: int = 1000, seed: int = 0) -> Iterator[Row]:
    """The rows of this part. Failures are printed in full."""
    with TemporaryDirectory() as folder:
        set_traps(Path(folder))
        with studio(Path(folder) / "root") as server:
            asked = list(hostile_requests(server.ask("GET", "docs"), count, seed, server.port))
            server.ask("GET", "runs")  # torch is imported
            with ThreadPoolExecutor(AT_ONCE) as clients:
                found = list(clients.map(partial(_failure, server), asked))
            lives = server.ask("GET", "home")["folder"] == str(Path(folder).resolve() / "root")
            jobs = server.ask("GET", "jobs")
    failures = [(request, failure) for request, (failure, _) in zip(asked, found, strict=True) if failure]
    for request, failure in failures:
        print(f"{request.attack}: {request.method} {request.path[:200]} {dict(request.headers)} {request.body[:200]}")
        print(f"    {failure}")
    kinds = Counter(request.attack.split()[0] for request in asked)
    refused = f"{count - len(failures):,} of {count:,}"
    yield Row(f"hostile requests refused with one JSON object, seed {seed}", refused, f"{count:,}", not failures)
    yield Row("their kinds", ", ".join(f"{name} {number}" for name, number in sorted(kinds.items())))
    yield Row("the slowest refusal", f"{max(seconds for _, seconds in found):.1f} s", f"under {LONGEST:.0f} s")
    yield Row(
        "after them the server answers, and no job was started", str(lives and not jobs), "True", lives and not jobs
    )


def set_traps(folder: Path) -> None:
    """In `root`, links that lead out and to a device, a pipe and a file; and a model, so that attacks reach the code
    behind it."""
    (folder / "outside" / "inner").mkdir(parents=True)
    root = folder / "root"
    (root / "runs").mkdir(parents=True)
    (root / "link").symlink_to(folder / "outside")
    (root / "device").symlink_to("/dev/zero")
    (root / "file.txt").write_text("no folder\n")
    os.mkfifo(root / "pipe")
    shape = {"kind": "transformer", "layers": 1, "heads": 1, "width": 8, "context": 8}
    al.train("topics", model=shape, steps=1, sample_every=0, threads=1, out=root / "model")


def _failure(server: Server, request: Request) -> tuple[str, float]:
    """What is wrong with the answer, empty if it is a refusal; and the seconds that it took."""
    began = time.perf_counter()
    try:
        status, content = _answer(server, request)
    except (OSError, http.client.HTTPException) as error:
        return f"{type(error).__name__}: {error}", time.perf_counter() - began
    return not_refused(status, content), time.perf_counter() - began


def not_refused(status: int, content: bytes) -> str:
    """Why an answer is no refusal; empty if it is one."""
    try:
        told = json.loads(content)
    except ValueError:
        return f"{status}, without JSON: {content[:200]!r}"
    right = 400 <= status < 500 and isinstance(told, dict) and set(told) - {"argument", "file"} == {"error"}
    return "" if right and "\n" not in told["error"] else f"{status}: {str(told)[:300]}"


def _answer(server: Server, request: Request) -> tuple[int, bytes]:
    """Send a request as it is, byte by byte, and read the answer, even if the server does not read all of it."""
    headers = {"host": f"127.0.0.1:{server.port}", "connection": "close"}
    headers |= {name.lower(): value for name, value in server.headers.items()}
    body = request.body
    if "transfer-encoding" in request.headers:
        body = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in _parts(body)) + b"0\r\n\r\n"
    elif body:
        headers["content-length"] = str(len(body))
    lines = [f"{name}: {value}" for name, value in {**headers, **request.headers}.items() if value is not None]
    head = "\r\n".join([f"{request.method} {request.path} HTTP/1.1", *lines, "", ""])
    with socket.create_connection(("127.0.0.1", server.port), timeout=LONGEST) as connection:
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # a refusal that did not wait for the body
            connection.sendall(head.encode("latin-1") + body)
        answer = http.client.HTTPResponse(connection, method=request.method)
        answer.begin()
        return answer.status, answer.read()


def _parts(body: bytes) -> Iterator[bytes]:
    for start in range(0, len(body), 100_000):
        yield body[start : start + 100_000]
