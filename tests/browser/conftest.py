"""A studio that runs, and a browser that fails at every foreign request and every error of the page."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, sync_playwright
from tests.browser.chromium import ARGUMENTS, find_chromium

PATIENCE = 60_000
"""Milliseconds: machines that run tests are busy."""


@dataclass
class Server:
    """A studio in a process of its own, which can be ended and started again."""

    folder: Path
    state: Path
    port: int = 0
    url: str = ""
    process: subprocess.Popen[str] = field(init=False)

    def start(self) -> None:
        """Start it, on the same port as before."""
        words = ["--port", str(self.port), "--no-browser", "--json"]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "attnlab", "studio", str(self.folder), *words],
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"XDG_STATE_HOME": str(self.state), "OMP_NUM_THREADS": "1"},
        )
        assert self.process.stdout is not None
        self.url = json.loads(self.process.stdout.readline())["url"]
        self.port = int(self.url.split(":")[2].split("/")[0])

    def stop(self) -> None:
        """End it without a word, as a crash would."""
        self.process.kill()
        self.process.communicate()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A studio in a folder with one run."""
    folder = tmp_path_factory.mktemp("studio")
    run = folder / "runs" / "first"
    run.mkdir(parents=True)
    config = {"text": "topics", "model": {"kind": "ngram"}, "tokens": {"kind": "words"}}
    (run / "config.json").write_text(json.dumps(config))
    made = Server(folder, tmp_path_factory.mktemp("state"))
    made.start()
    yield made
    made.stop()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One browser for all tests."""
    with sync_playwright() as playwright:
        place = find_chromium(playwright.chromium.executable_path)
        made = playwright.chromium.launch(executable_path=place, args=list(ARGUMENTS))
        yield made
        made.close()


@pytest.fixture
def complaints() -> list[str]:
    """What the page does wrong; a test fails at its end unless this is empty."""
    return []


@pytest.fixture
def page(browser: Browser, server: Server, complaints: list[str]) -> Iterator[Page]:
    """A page of the studio, opened at Home with the token. Requests that leave the origin are aborted."""
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    context.set_default_timeout(PATIENCE)
    own = f"http://127.0.0.1:{server.port}/"

    def watch(route: Route) -> None:
        if route.request.url.startswith(own):
            route.continue_()
        else:
            complaints.append(f"a request to {route.request.url}")
            route.abort()

    context.route("**/*", watch)
    made = context.new_page()
    made.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    made.on("pageerror", lambda error: complaints.append(str(error)))
    made.goto(server.url)
    yield made
    context.close()
    assert complaints == []
