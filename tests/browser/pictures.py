"""The pictures of docs/studio.md: `.venv/bin/python -m tests.browser.pictures [FOLDER]`.

It trains small models by the lab's own commands, starts a studio there, and writes a PNG of each page to docs/studio.
With FOLDER, it writes there instead: each page in light, dark, 400 pixels wide and 4K, to look at. This takes minutes.
"""

import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlencode

from playwright.sync_api import Browser, Page, expect, sync_playwright
from tests.browser.chromium import ARGUMENTS, find_chromium
from tests.browser.server import PATIENCE, Server

DOCS = Path(__file__).parents[2] / "docs" / "studio"
COMMANDS = (
    "train topics --model.layers 2 --model.heads 4 --model.width 64 --model.context 64 --steps 300 --out runs/topics",
    "train topics --model ngram --tokens words --out runs/counts",
    "classify train --epochs 2 --out runs/reviews",
    "knowledge pretrain --out runs/people-read",
    "knowledge finetune runs/people-read --out runs/people",
)


@dataclass(frozen=True)
class Look:
    """How a page is looked at: the ending of the picture's name, and the window; its height is usually the view's."""

    ending: str = ""
    scheme: Literal["light", "dark"] = "light"
    width: int = 1200
    height: int = 0


OTHERS = (Look("-dark", "dark"), Look("-narrow", width=400), Look("-4k", width=3840, height=2160))


@dataclass(frozen=True)
class View:
    """A page: its name, the state in its address, what is in sight at the end, and what to do before."""

    name: str
    state: dict[str, str]
    ready: str
    act: Callable[[Page], None] = lambda page: None
    height: int = 900


def run_claim(page: Page) -> None:
    """Run the opened claim, unless it was run before."""
    button = page.get_by_role("button", name="Run", exact=True)
    expect(button).to_be_visible()
    if page.get_by_text("Not run here yet").count():
        button.click()


def measure_thresholds(page: Page) -> None:
    """Start the job that measures thresholds, unless it was done before."""
    expect(page.locator(".reply h3")).to_be_visible()
    button = page.get_by_role("button", name="Measure")
    if button.count():
        button.first.click()


TEXT = "The ship sailed over the sea. The sailor saw the ship."
VIEWS = (
    View("home", {}, "th:has-text('runs/topics')"),
    View("attention", {}, ".line-of-errors"),
    View("train", {"runs": "runs/topics|runs/counts"}, ".curve.validation"),
    View("inside", {"model": "runs/topics", "text": TEXT, "view": "heads"}, "#map", height=1300),
    View("claims", {"open": "norm-noise-swings"}, ".chart.drawn svg", run_claim),
    View("answers", {"problem": "two-heads", "answer": "q_1 = C mu_a", "answer-2": "q_2 = C mu_a"}, ".evidence h2"),
    View("reviews", {"text": "The plot is dull, but the actors are great and the end is a joy."}, ".shaded .word"),
    View("knowledge", {"run": "runs/people"}, ".moved td", measure_thresholds),
)


def make_models(folder: Path) -> None:
    """Train the models, unless they are there."""
    for command in COMMANDS:
        words = command.split()
        if not (folder / words[-1]).is_dir():
            print(f"attnlab {command}", flush=True)
            subprocess.run([sys.executable, "-m", "attnlab", *words], cwd=folder, check=True, stdout=subprocess.DEVNULL)


def take(browser: Browser, server: Server, view: View, look: Look, out: Path) -> None:
    """Write one picture."""
    window: Any = {"width": look.width, "height": look.height or view.height}
    context = browser.new_context(viewport=window, color_scheme=look.scheme, reduced_motion="reduce")
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    page.goto(server.url)
    page.goto(f"{server.url.partition('?')[0]}#{view.name}?{urlencode(view.state)}")
    view.act(page)
    expect(page.locator(view.ready).first).to_be_visible()
    expect(page.locator(".loading")).to_have_count(0)
    page.evaluate("scrollTo(0, 0)")
    page.wait_for_timeout(500)  # charts are drawn
    path = out / f"{view.name}{look.ending}.png"
    page.screenshot(path=path, full_page=look.width < 500)
    print(f"{path}: {path.stat().st_size / 1000:.0f} kB", flush=True)
    context.close()


def main(out: Path, folder: Path, looks: Sequence[Look]) -> None:
    """Write the pictures."""
    out.mkdir(parents=True, exist_ok=True)
    make_models(folder)
    expect.set_options(timeout=PATIENCE)
    server = Server(folder, folder)
    server.start()
    try:
        with sync_playwright() as playwright:
            place = find_chromium(playwright.chromium.executable_path)
            browser = playwright.chromium.launch(executable_path=place, args=list(ARGUMENTS))
            for view in VIEWS:
                for look in looks:
                    take(browser, server, view, look, out)
            browser.close()
    finally:
        server.stop()


if __name__ == "__main__":
    given = sys.argv[1:]
    models = Path(tempfile.gettempdir()) / "attnlab-pictures"  # kept: the next time is faster
    models.mkdir(exist_ok=True)
    main(Path(given[0]) if given else DOCS, models, [Look(), *(OTHERS if given else ())])
