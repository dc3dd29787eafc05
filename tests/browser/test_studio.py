"""The stories of Home and Claims, in a real browser."""

import re

from playwright.sync_api import Browser, Page, expect
from tests.browser.looks import check_looks
from tests.browser.server import Server


def test_home_lists_the_runs_and_opens_another_folder(page: Page, server: Server, tmp_path):
    expect(page.get_by_role("heading", level=1)).to_have_text("A laboratory for attention")
    assert "token" not in page.url
    expect(page.get_by_role("rowheader", name="runs/first")).to_be_visible()
    page.get_by_role("button", name="Copy as command").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == "attnlab runs ."

    path = page.get_by_label("Folder or model")
    path.fill(str(tmp_path))
    path.press("Enter")
    expect(page.get_by_text(f"There are no runs in the folder {tmp_path} yet")).to_be_visible()
    assert "folder=" in page.url
    page.reload()
    expect(page.get_by_text(f"There are no runs in the folder {tmp_path} yet")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("rowheader", name="runs/first")).to_be_visible()
    server.stop()
    server.start()  # what was opened is still open
    page.go_forward()
    expect(page.get_by_text(f"There are no runs in the folder {tmp_path} yet")).to_be_visible()
    check_looks(page)
    page.get_by_role("button", name=f"Close {tmp_path}").click()
    expect(page.get_by_role("link", name=str(tmp_path))).to_have_count(0)


def test_a_path_that_cannot_be_opened_is_said_in_one_line(page: Page, complaints: list[str]):
    page.get_by_label("Folder or model").fill("/dev")
    page.get_by_role("button", name="Open").click()
    expect(page.get_by_role("alert").filter(has_text="/dev: expected a folder with runs")).to_be_visible()
    complaints[:] = [each for each in complaints if "400" not in each]  # Chromium tells every refusal on its console


def test_claims_are_filtered_and_the_filter_is_in_the_address(page: Page):
    page.get_by_role("link", name="Claims", exact=True).click()
    expect(page.get_by_role("tabpanel").get_by_role("listitem")).to_have_count(5)
    first = page.get_by_role("listitem").filter(has_text="A lower perplexity can be the worse prediction")
    expect(first.get_by_role("paragraph")).to_have_text(re.compile("^The statement that was tested: .*fails$"))
    page.get_by_role("tab", name="Start with these five").press("ArrowRight")
    expect(page.get_by_role("tab", name="All claims")).to_be_focused()
    page.get_by_label("Bench").select_option("perplexity")
    expect(page).to_have_url(re.compile("bench=perplexity"))
    page.get_by_label("Family").select_option("perplexity")
    expect(page.get_by_text("2 of ")).to_be_visible()
    page.get_by_role("button", name="Copy as command").click()
    assert page.evaluate("navigator.clipboard.readText()") == "attnlab claims --list perplexity"
    page.get_by_label("Words").fill("no such words")
    expect(page.get_by_text("0 of ")).to_be_visible()
    page.reload()
    expect(page.get_by_text("0 of ")).to_be_visible()
    expect(page.get_by_label("Words")).to_have_value("no such words")
    page.go_back()
    expect(page.get_by_label("Family")).to_have_value("")
    check_looks(page)


def test_the_run_of_a_claim_survives_the_server(page: Page, server: Server, complaints: list[str]):
    page.goto(f"{server.url.partition('?')[0]}#claims?open=norm-noise-swings")
    page.reload()
    page.get_by_role("button", name="Run").click()
    expect(page.locator(".job")).to_be_visible()
    server.stop()
    expect(page.get_by_role("alert").filter(has_text="The server has gone")).to_be_visible()
    server.start()
    expect(page.get_by_role("alert").filter(has_text="The server has gone")).to_be_hidden()
    complaints[:] = [
        each for each in complaints if "net::ERR_" not in each
    ]  # what the browser says of a server that died
    expect(page.locator(".evidence h2")).to_have_text(re.compile("holds|fails"))
    expect(page.locator(".chart.drawn svg")).to_be_visible()
    page.get_by_role("button", name="What does this mean?").first.click()
    expect(page.get_by_role("note").first).to_be_visible()
    page.get_by_text("Download").click()
    with page.expect_download() as started:
        page.get_by_role("link", name="CSV").click()
    assert started.value.path().read_text().startswith("id,name,value")
    check_looks(page)


def test_two_tabs_follow_one_job_and_have_their_own_states(page: Page, server: Server):
    page.goto(f"{server.url.partition('?')[0]}#claims?open=knowledge-in-memorised")
    page.get_by_label("Seed").fill("5")
    page.get_by_role("button", name="Run").click()
    expect(page).to_have_url(re.compile("seed=5$"))
    expect(page.get_by_text("Not run here yet with seed 5.")).to_be_visible()
    page.reload()  # the job is found again
    expect(page.locator(".job")).to_be_visible()
    other = page.context.new_page()
    other.goto(page.url)
    expect(other.locator(".job")).to_be_visible()
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text("Cancelled.")).to_be_visible()
    expect(other.get_by_text("Cancelled.")).to_be_visible()
    other.get_by_role("link", name="Home", exact=True).click()
    expect(other.get_by_role("rowheader", name="runs/first")).to_be_visible()
    expect(other.locator("main")).to_be_focused()
    assert other.locator("main").evaluate("(main) => getComputedStyle(main).outlineStyle") == "none"
    other.go_back()
    expect(other.get_by_label("Seed")).to_have_value("5")
    page.go_back()
    expect(page.get_by_label("Seed")).to_have_value("0")


SHIFTS = """window.shifts = 0;
new PerformanceObserver((list) => list.getEntries().forEach((each) => (window.shifts += each.value)))
  .observe({ type: "layout-shift", buffered: true });"""
"""Adds up how far what is on the screen moves while a page loads."""


def test_the_navigation_stands_above_the_page_on_every_screen(page: Page):
    for width in (400, 1200, 1600, 3840):
        page.set_viewport_size({"width": width, "height": 900})
        left, below = (page.locator(each).bounding_box() for each in ("header strong", "h1"))
        assert left is not None
        assert below is not None
        assert abs(left["x"] - below["x"]) < 1


def test_the_cards_of_home_fill_their_rows(page: Page):
    for width, most in ((1200, 4), (1600, 4), (3840, 4), (800, 3), (400, 1)):
        page.set_viewport_size({"width": width, "height": 900})
        lefts = [each.bounding_box() for each in page.locator(".cards li").all()]
        assert len({each["x"] for each in lefts if each}) <= most


def test_nothing_jumps_while_a_page_loads(page: Page, server: Server):
    page.add_init_script(SHIFTS)
    for name in ("home", "attention", "train", "inside", "claims", "reviews", "knowledge", "answers"):
        page.goto("about:blank")
        page.goto(f"{server.url.partition('?')[0]}#{name}")
        expect(page.locator("main h1")).to_be_visible()
        page.wait_for_load_state("networkidle")
        expect(page.locator(".loading")).to_have_count(0)
        assert page.evaluate("window.shifts") < 0.1, name  # what browsers call good


def test_a_browser_without_the_token_sees_nothing(browser: Browser, server: Server):
    context = browser.new_context()
    page = context.new_page()
    answer = page.goto(f"http://127.0.0.1:{server.port}/")
    assert answer is not None
    assert answer.status == 401
    assert answer.json() == {"error": "token: open the address that attnlab studio printed"}
    context.close()
