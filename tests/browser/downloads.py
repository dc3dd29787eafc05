"""Files that a page saves."""

import re
from pathlib import Path

from playwright.sync_api import Locator, Page


def download(page: Page, menu: Locator, ending: str) -> Path:
    """Save a file of a menu Download, which is opened if it is closed."""
    if not menu.evaluate("(menu) => menu.open"):
        menu.locator("summary").click()
    with page.expect_download() as started:
        menu.get_by_role("button", name=ending, exact=True).click()
    return started.value.path()


def check_pictures(page: Page, menu: Locator, *shows: str) -> None:
    """Save the pictures of a view. The SVG shows the given texts and no class of the page's own styles; the PNG has
    other colours than that of the paper; the one-file HTML shows the same picture."""
    svg = download(page, menu, "SVG").read_text()
    assert not re.search(r"class=|color\(|var\(", svg)
    for shown in shows:
        assert shown in svg
    png = download(page, menu, "PNG").read_bytes()
    assert png.startswith(b"\x89PNG")
    assert len(png) > 5_000
    assert shows[0] in download(page, menu, "One-file HTML").read_text()
