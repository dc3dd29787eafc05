"""What must be true of every view: axe finds no barrier in light or dark, nothing is wider than the window, and no
number of a table is broken."""

from typing import Literal

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

AXE = Axe()
ALL = {"resultTypes": ["violations"]}
SCHEMES: tuple[tuple[Literal["dark", "light"], dict[str, list[str]]], ...] = (
    ("dark", {**ALL, "runOnly": ["color-contrast"]}),  # nothing else differs in dark
    ("light", ALL),
)
WIDTHS = (3840, 1200, 400, 360)
PHONE = 544
"""Below this width, the cells of a row stand below one another, with their names before them."""
BROKEN = """[...document.querySelectorAll('td.right')].filter((cell) => {
  const words = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT), range = document.createRange();
  while (words.nextNode()) {
    range.selectNodeContents(words.currentNode);
    if (new Set([...range.getClientRects()].map((each) => each.top)).size > 1
      && !words.currentNode.parentElement.closest('.definition')) return true;
  }
}).map((cell) => cell.textContent)"""
"""The numbers of tables that a line end breaks in two: each half could be read as a number."""
WIDE = "new Promise(requestAnimationFrame).then(() => document.documentElement.scrollWidth)"


def check_looks(page: Page) -> None:
    """Check the view that a page shows now. Menus are opened first, because what is closed is not checked."""
    page.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))")
    for scheme, rules in SCHEMES:
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        found = AXE.run(page, options=rules).response["violations"]
        barriers = [f"{each['id']}: {node['html']}" for each in found for node in each["nodes"]]
        assert not barriers, f"{scheme}: {barriers}"
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate(WIDE) <= width
        assert page.evaluate("document.getElementById('main').clientWidth / innerWidth") > 0.5
        assert width < PHONE or page.evaluate(BROKEN) == []
    page.set_viewport_size({"width": 1280, "height": 720})
