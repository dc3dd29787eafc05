"""From a hand that drags a key or moves a slider to the drawn law of a weight, in the browser."""

import itertools
import math
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlencode

from playwright.sync_api import Page

from server import PATIENCE, Row, chromium, middle_and_95, studio

KEYS = (4, 20, 100)
NOISES = {
    "noise in one length": {"norm_variance": 0.5, "noisy": "0"},
    "noise in two lengths": {"norm_variance": 0.5, "noisy": "0,1"},
    "isotropic noise": {"isotropic": 0.1},
}
MOVES, PACE = 120, 1 / 60
"""The moves of each drag, and the seconds between two of them: as often as a screen shows a new picture."""
MEDIAN, SLOW = 50.0, 100.0
"""The goals: the median and the 95th percentile, in milliseconds."""
WATCH = """
window.moves = [];
const note = (event) => (event.buttons || event.type === "input") && window.moves.push(event.timeStamp);
addEventListener("pointermove", (event) => event.target.closest?.(".plane") && note(event), true);
addEventListener("input", note, true);
"""
TOLD = """() => [window.moves.splice(0), performance.getEntriesByName("law").map(({ startTime, duration }) =>
  [startTime, startTime + duration])]"""
RESTED = "() => !document.querySelector('.side[aria-busy]') && document.querySelector('.law .area')"
METHOD = "document.querySelector('.side .faint').textContent"


def measure() -> Iterator[Row]:
    """The rows of this part."""
    with TemporaryDirectory() as folder, studio(Path(folder)) as server, chromium() as browser:
        page = browser.new_page()
        page.set_default_timeout(1000 * PATIENCE)
        page.add_init_script(WATCH)
        page.goto(server.url)
        for count, (noise, options) in itertools.product(KEYS, NOISES.items()):
            page.goto(f"{server.home}#attention?{urlencode(scene(count) | options)}")
            page.reload()
            page.wait_for_function(RESTED)
            for hand, drag in (("key", drag_key), ("slider", drag_slider)):
                yield _row(page, f"{count} keys, {noise}, {hand}", drag)


def scene(count: int) -> dict[str, Any]:
    """Keys on two circles; the query points between the first two of them."""
    angles = [(0.6 + 2 * math.pi * place / count, 1.0 if place % 2 else 0.8) for place in range(count)]
    keys = [(size * math.cos(angle), size * math.sin(angle)) for angle, size in angles]
    query = [keys[0][axis] + keys[1][axis] for axis in (0, 1)]
    written = ";".join(f"{x:.3f},{y:.3f}" for x, y in keys)
    return {"keys": written, "queries": f"{query[0]:.3f},{query[1]:.3f}", "mix": "0=0.5,1=0.5", "scale": 5}


def _row(page: Page, what: str, drag: Callable[[Page], str]) -> Row:
    """Drag once to warm up and once to measure. A move counts until the first law that was asked for at or after it."""
    drag(page)
    page.wait_for_function(RESTED)
    page.evaluate(TOLD)
    method = drag(page)
    page.wait_for_function(RESTED)
    page.wait_for_timeout(100)
    moves, laws = page.evaluate(TOLD)
    waits = [min(end for begun, end in laws if begun >= move) - move for move in moves]
    middle, slow = middle_and_95(waits)
    drawn = len([None for begun, _ in laws if begun >= moves[0]])
    exact = "exact" if method.startswith("Exact") else "from draws"
    figure = f"{middle:.0f} ms, 95 %: {slow:.0f} ms; {exact}; {drawn} laws for {len(moves)} moves"
    return Row(what, figure, f"{MEDIAN:.0f} and {SLOW:.0f} ms", middle < MEDIAN and slow < SLOW)


def drag_key(page: Page) -> str:
    """Drag key 2 around a small circle."""
    box = page.locator("g.keys").nth(2).locator(".weight").bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    turns = [2 * math.pi * move / MOVES for move in range(1, MOVES + 1)]
    return _drag(page, (x, y), [(x + 30 * math.sin(turn), y + 30 * (1 - math.cos(turn))) for turn in turns])


def drag_slider(page: Page) -> str:
    """Move the slider of the scale C to and fro."""
    bar = page.get_by_label("Scale C, slider")
    bar.scroll_into_view_if_needed()
    box = bar.bounding_box()
    assert box is not None
    x, y, wide = box["x"], box["y"] + box["height"] / 2, box["width"]
    parts = [0.4 + 0.2 * math.sin(2 * math.pi * move / MOVES) for move in range(MOVES + 1)]
    return _drag(page, (x + parts[0] * wide, y), [(x + part * wide, y) for part in parts[1:]])


def _drag(page: Page, start: tuple[float, float], places: list[tuple[float, float]]) -> str:
    """Press, move at the pace of a screen, let go. Returns how the page says that it found the last law."""
    page.mouse.move(*start)
    page.mouse.down()
    began = time.perf_counter()
    for move, place in enumerate(places):
        time.sleep(max(0.0, began + move * PACE - time.perf_counter()))
        page.mouse.move(*place)
    method = page.evaluate(METHOD)
    page.mouse.up()
    return method
