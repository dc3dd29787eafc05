"""A studio that runs, and a browser that fails at every foreign request and every error of the page."""

import json
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, Route, expect, sync_playwright
from tests.browser.chromium import ARGUMENTS, find_chromium
from tests.browser.server import PATIENCE, Server

expect.set_options(timeout=PATIENCE)


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
