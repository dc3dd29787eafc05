"""What the parts of studio.py share: a studio in a process of its own, a browser, rows of the table, percentiles."""

import http.client
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from playwright.sync_api import Browser, sync_playwright

sys.path.insert(0, str(Path(__file__).parents[2]))  # the tests know where a Chromium is

from tests.browser.chromium import ARGUMENTS, find_chromium

PATIENCE = 120.0
"""The longest that a benchmark waits for an answer, in seconds."""
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Row:
    """A line of the table: what was measured, the figure, the goal, and whether it was met (None: there is no goal)."""

    what: str
    figure: str
    goal: str = ""
    met: bool | None = None


@dataclass(frozen=True)
class Server:
    """A studio that runs."""

    folder: Path
    url: str
    process: subprocess.Popen[str]

    @property
    def port(self) -> int:
        """The port that it listens on."""
        return int(self.url.split(":")[2].partition("/")[0])

    @property
    def home(self) -> str:
        """The address without the token."""
        return self.url.partition("?")[0]

    @property
    def headers(self) -> dict[str, str]:
        """What a page of the studio sends."""
        token = self.url.partition("token=")[2].partition("#")[0]
        return {"Cookie": f"attnlab-{self.port}={token}", "Content-Type": "application/json"}

    def ask(self, method: str, path: str, body: Any = None, patience: float = PATIENCE) -> Any:
        """The JSON of an answer. Raises if it is an error."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=patience)
        content = None if body is None else json.dumps(body)
        connection.request(method, f"/api/{path}", content, self.headers)
        answer = connection.getresponse()
        told = json.loads(answer.read())
        connection.close()
        if answer.status != 200:
            raise RuntimeError(f"{method} {path}: {answer.status} {told}")
        return told


@contextmanager
def studio(folder: Path, **environment: str) -> Iterator[Server]:
    """A studio in a folder, until the block ends."""
    command = [sys.executable, "-m", "attnlab", "studio", str(folder), "--no-browser", "--json"]
    with TemporaryDirectory() as state:
        own = os.environ | {"XDG_STATE_HOME": state} | environment
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=own)
        assert process.stdout is not None
        try:
            yield Server(folder, json.loads(process.stdout.readline())["url"], process)
        finally:
            process.terminate()
            process.communicate()


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser without a window."""
    with sync_playwright() as playwright:
        place = find_chromium(playwright.chromium.executable_path)
        browser = playwright.chromium.launch(executable_path=place, args=list(ARGUMENTS))
        yield browser
        browser.close()


def processor_seconds(process: int) -> float:
    """The processor seconds of a process so far, without its children."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def middle_and_95(milliseconds: Sequence[float]) -> tuple[float, float]:
    """The median and the 95th percentile."""
    cuts = statistics.quantiles(milliseconds, n=20, method="inclusive")
    return statistics.median(milliseconds), cuts[-1]
