"""From `attnlab studio` to a page that can be used, and how much code its first load carries."""

import statistics
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from playwright.sync_api import Browser

from server import PATIENCE, Row, chromium, processor_seconds, studio

MOST_SECONDS, MOST_BYTES = 2.0, 300_000
WATCH = """
new MutationObserver((_, watching) => {
  if (!document.querySelector("#pages a")) return;
  watching.disconnect();
  requestAnimationFrame(() => setTimeout(() => { window.drawn = performance.now(); }));
}).observe(document, { childList: true, subtree: true });
"""
"""Notes when the navigation was drawn: after the frame that follows it."""
DRAWN = """() => {
  const [paint] = performance.getEntriesByName("first-contentful-paint");
  return window.drawn && paint ? performance.timeOrigin + Math.max(window.drawn, paint.startTime) : 0;
}"""
LOADED = """() => performance.getEntriesByType("resource").concat(performance.getEntriesByType("navigation"))
  .map(({ name, decodedBodySize }) => [name, decodedBodySize])"""


def measure(rounds: int = 5) -> Iterator[Row]:
    """The rows of this part: the best round counts, and the median is told, too."""
    with chromium() as browser:
        _round(browser)  # files get into memory
        found = [_round(browser) for _ in range(rounds)]
    wall, processor, runs = ([each[name] for each in found] for name in ("drawn", "processor", "runs"))
    best = min(wall)
    yield Row(
        "from attnlab studio to a usable page",
        f"{best:.2f} s (median {statistics.median(wall):.2f}, slowest {max(wall):.2f})",
        f"under {MOST_SECONDS:g} s",
        best < MOST_SECONDS,
    )
    yield Row("processor seconds of the server until then", f"{min(processor):.2f} s (slowest {max(processor):.2f})")
    yield Row("until Home lists the runs, which needs torch", f"{min(runs):.2f} s (slowest {max(runs):.2f})")
    size = found[0]["bytes"]
    yield Row("own code and styles of the first load", f"{size:,} bytes", f"under {MOST_BYTES:,}", size < MOST_BYTES)


def _round(browser: Browser) -> dict[str, Any]:
    with TemporaryDirectory() as folder:
        began = time.time()
        with studio(Path(folder)) as server:
            context = browser.new_context()
            context.set_default_timeout(1000 * PATIENCE)
            page = context.new_page()
            page.add_init_script(WATCH)
            page.goto(server.url, wait_until="commit")
            drawn = page.wait_for_function(DRAWN).json_value() / 1000 - began
            used = processor_seconds(server.process.pid)
            page.get_by_text("There are no runs").wait_for()
            runs = time.time() - began
            own = [size for name, size in page.evaluate(LOADED) if "/api/" not in name]
            context.close()
    return {"drawn": drawn, "processor": used, "runs": runs, "bytes": sum(own)}
