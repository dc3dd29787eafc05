"""Fifty users who move sliders at the same time. Each asks for the next law as soon as the last one has come, as the
page does while the hand moves. The users take part of the same cores, which is told, too."""

import http.client
import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from drag import scene
from server import PATIENCE, Row, Server, middle_and_95, processor_seconds, studio

USERS, SECONDS = 50, 60.0
COUNTS = (4, 20, 100)
SLOW = 1000.0
"""The goal of the 95th percentile, in milliseconds."""


def measure(seconds: float = SECONDS) -> Iterator[Row]:
    """The rows of this part."""
    waits: list[float] = []
    errors: list[str] = []
    with TemporaryDirectory() as folder, studio(Path(folder)) as server:
        _ask(_connection(server), server, _question(0, 0))  # torch is imported
        before, own, until = processor_seconds(server.process.pid), time.process_time(), time.monotonic() + seconds
        users = [threading.Thread(target=_user, args=(server, user, until, waits, errors)) for user in range(USERS)]
        for each in users:
            each.start()
        for each in users:
            each.join()
        used, own = processor_seconds(server.process.pid) - before, time.process_time() - own
    for error in sorted(set(errors)):
        print(f"users: {error}")
    middle, slow = middle_and_95(waits)
    yield Row(f"{USERS} users, errors of {len(waits):,} requests", str(len(errors)), "0", not errors)
    what = f"{USERS} users, milliseconds until the law"
    yield Row(what, f"{middle:.0f}, 95 %: {slow:.0f}", f"95 % under {SLOW:,.0f}", slow < SLOW)
    yield Row("processor milliseconds of the server for a law", f"{1000 * used / len(waits):.1f}")
    yield Row("the same of the users", f"{1000 * own / len(waits):.1f}")


def _user(server: Server, user: int, until: float, waits: list[float], errors: list[str]) -> None:
    connection, move = _connection(server), 0
    while time.monotonic() < until:
        began, move = time.perf_counter(), move + 1
        try:
            status, told = _ask(connection, server, _question(user, move))
        except (OSError, http.client.HTTPException) as error:
            errors.append(f"{type(error).__name__}: {error}")
            connection = _connection(server)
            continue
        if status != 200 or b'"law":{"edges":[' not in told:
            errors.append(f"{status}: {told[:200]!r}")
        waits.append(1000 * (time.perf_counter() - began))
    connection.close()


def _connection(server: Server) -> http.client.HTTPConnection:
    return http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)


def _question(user: int, move: int) -> dict[str, Any]:
    """A place of the slider of the scale, on keys with noise in one length, so that the law is exact."""
    state = scene(COUNTS[user % len(COUNTS)]) | {"norm_variance": 0.5, "noisy": "0", "hasty": True}
    return state | {"scale": 1 + (7 * user + move) % 200 / 20}


def _ask(connection: http.client.HTTPConnection, server: Server, question: dict[str, Any]) -> tuple[int, bytes]:
    connection.request("POST", "/api/attention/weigh", json.dumps(question), server.headers)
    answer = connection.getresponse()
    return answer.status, answer.read()
