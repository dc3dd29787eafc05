"""The story of Train, in a real browser: choose, start, watch, stop, go on, compare."""

import csv
import re
import shutil
from pathlib import Path
from urllib.parse import urlencode

from playwright.sync_api import Page, expect
from tests.browser.downloads import check_pictures, download
from tests.browser.looks import check_looks
from tests.browser.server import Server

GOLDEN = Path(__file__).parents[1] / "golden"


def test_a_lower_bound_is_marked_and_not_drawn(page: Page, server: Server):
    for name in ("words", "ngram", "classifier"):
        shutil.copytree(GOLDEN / name, server.folder / name, dirs_exist_ok=True)
    state = {"runs": "words|ngram", "unit": "bits"}
    page.goto(f"{server.url.partition('?')[0]}#train?{urlencode(state)}")
    card = page.get_by_role("article", name="words", exact=True)
    expect(card.get_by_text(">0.3644 bits per byte")).to_be_visible()
    note = "Not drawn, because an older attnlab measured only a lower bound: words."
    expect(page.get_by_text(note)).to_be_visible()
    expect(page.locator(".curves .curve")).to_have_count(1)
    expect(page.get_by_role("checkbox", name="ngram", exact=True)).to_be_checked()
    expect(page.get_by_role("checkbox", name="classifier")).to_have_count(0)  # the page trains language models
    menu = page.locator(".menu").filter(has_text="Download")
    check_pictures(page, menu, "bits per byte", "ngram, validation, only counts")
    page.get_by_role("link", name="Home", exact=True).click()
    row = page.get_by_role("row", name=re.compile("^words"))
    row.get_by_role("link", name="Inside a model").click()
    expect(page).to_have_url(re.compile("#inside.model=words"))


def test_the_files_of_runs_have_the_curves_of_the_page(page: Page, server: Server):
    for name in ("transformer", "ngram"):
        shutil.copytree(GOLDEN / name, server.folder / name, dirs_exist_ok=True)
    state = {"runs": "ngram|transformer", "unit": "nats"}
    page.goto(f"{server.url.partition('?')[0]}#train?{urlencode(state)}")
    expect(page.locator(".curves .curve")).to_have_count(3)
    menu = page.locator(".menu").filter(has_text="Download")
    check_pictures(page, menu, "nats per token", "transformer, training", "transformer, validation")
    svg = download(page, menu, "SVG").read_text()
    for curve in page.locator(".curves .curve").all():
        colour = curve.evaluate("(line) => getComputedStyle(line).stroke")
        assert svg.count(f'stroke="{colour}"') >= 2  # the curve, and its line in the legend
    points = list(csv.DictReader(download(page, menu, "CSV").read_text().splitlines()))
    assert {(each["run"], each["curve"]) for each in points} == {
        ("ngram", "validation"), ("transformer", "training"), ("transformer", "validation")
    }  # fmt: skip


def test_a_run_is_started_watched_stopped_and_continued(page: Page, server: Server, complaints: list[str]):
    (server.folder / "notes.txt").write_text("one and two and three\n" * 100)
    page.get_by_role("link", name="Train", exact=True).click()
    page.get_by_label("Text", exact=True).select_option("a file or a folder")
    page.get_by_label("File or folder").fill("notes.txt")
    page.get_by_label("File or folder").press("Enter")
    expect(page).to_have_url(re.compile("text=notes.txt"))
    for name, value in {"layers": "1", "heads": "1", "width": "8", "context": "8", "steps": "100000"}.items():
        page.get_by_label(name, exact=True).fill(value)
        page.get_by_label(name, exact=True).blur()
        expect(page).to_have_url(re.compile(f"{name}={value}"))
    expect(page.get_by_text("Training takes about")).to_be_visible()
    page.reload()
    expect(page.get_by_label("width")).to_have_value("8")
    page.get_by_label("Name of the run").fill("story")
    check_looks(page)
    page.get_by_role("button", name="Start").click()

    expect(page).to_have_url(re.compile(r"runs=runs%2Fstory%7Cruns%2Fstory-ngram"))
    card = page.get_by_role("article", name="runs/story", exact=True)
    expect(card.get_by_text("It writes at step")).to_be_visible()
    expect(page.locator(".curve.validation.colour-0").first).to_be_visible()
    expect(page.locator(".curves .curve.counts")).to_have_count(1)
    server.stop()
    expect(page.get_by_role("alert").filter(has_text="The server has gone")).to_be_visible()
    server.start()
    expect(page.get_by_role("alert").filter(has_text="The server has gone")).to_be_hidden()
    complaints[:] = [each for each in complaints if "net::ERR_" not in each]  # said of a server that died
    page.reload()
    card.get_by_role("button", name="Stop").click()
    card.get_by_role("button", name="Go on").click()
    expect(card.get_by_role("button", name="Stop")).to_be_visible()
    card.get_by_role("button", name="Stop").click()
    expect(card.get_by_role("button", name="Go on")).to_be_visible()
    page.get_by_role("checkbox", name="runs/story-ngram").uncheck()
    expect(page).to_have_url(re.compile(r"runs=runs%2Fstory(&|$)"))
    page.get_by_role("button", name="Copy as command").click()
    assert page.evaluate("navigator.clipboard.readText()") == "attnlab runs runs/story"
    page.get_by_text("Download").click()
    check_looks(page)


def test_ten_windows_on_one_running_job_leave_connections_free(page: Page, server: Server):
    """A browser has six connections to a server. All pages of one context are in sight at the same time."""
    size = {f"model.{name}": value for name, value in (("layers", "1"), ("width", "8"), ("context", "8"))}
    options = size | {"model.heads": "1", "steps": "1000000", "sample_every": "0"}
    asked = {"text": "topics", "name": "crowded", "baseline": False, "options": options}
    started = page.evaluate(
        """async (asked) => (await fetch("api/train/start", { method: "POST", body: JSON.stringify(asked),
          headers: { "Content-Type": "application/json" } })).json()""",
        asked,
    )
    address = f"{server.url.partition('?')[0]}#train?{urlencode({'runs': started['run']})}"
    windows = [page, *(page.context.new_page() for _ in range(9))]
    for each in windows:
        each.goto(address)
    for each in windows:
        expect(each.locator(".curve.training.colour-0").first).to_be_visible()
        assert not each.evaluate("document.hidden")
    for each in windows:  # they go on to hear what is new
        before = each.get_by_role("progressbar").get_attribute("value")
        expect(each.get_by_role("progressbar")).not_to_have_attribute("value", before or "")
    page.get_by_role("button", name="Stop").click()
    for each in windows:
        expect(each.get_by_role("button", name="Go on")).to_be_visible()
