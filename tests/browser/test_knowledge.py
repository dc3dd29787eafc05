"""The story of Knowledge: ask about a person and a stranger, and move the threshold."""

import csv
import shutil
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page, expect
from tests.browser.downloads import check_pictures, download
from tests.browser.looks import check_looks
from tests.browser.server import Server
from tests.studio.test_knowledge import RUN
from tests.studio.test_reviews import GOLDEN, done


def test_people_are_asked_about_and_the_threshold_is_moved(page: Page, server: Server, monkeypatch: pytest.MonkeyPatch):
    shutil.copytree(GOLDEN / "people-known", server.folder / RUN)
    monkeypatch.chdir(server.folder)
    done(server.folder, "knowledge-evaluate", {"run": RUN})

    page.get_by_role("link", name="Knowledge", exact=True).click()
    expect(page.get_by_label("Model", exact=True)).to_have_value(RUN)
    expect(page).to_have_url(f"{server.url.partition('?')[0]}#knowledge?{urlencode({'run': RUN})}")
    expect(page.locator(".answered")).to_be_visible()
    page.get_by_label("Find").fill("Erik Valisen")
    expect(page.get_by_text("Questions: 1")).to_be_visible()
    page.get_by_role("link", name="Where was Erik Valisen born?").click()
    question = page.get_by_role("textbox", name="Question", exact=True)
    expect(question).to_have_value("Where was Erik Valisen born?")
    question.fill("Who is Erik?")
    question.press("Enter")
    expect(page.get_by_text("the model was taught questions such as Where was …")).to_be_visible()
    page.reload()
    expect(page.get_by_text("the model was taught questions such as Where was …")).to_be_visible()
    page.go_back()
    expect(question).to_have_value("Where was Erik Valisen born?")

    page.get_by_label("Wanted precision").fill("0.5")
    expect(page.locator("output")).to_have_text("0.50")
    expect(page.get_by_role("rowheader", name="Strangers answered")).to_be_visible()
    page.locator(".moved").get_by_role("button", name="Copy as command").click()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == f"attnlab knowledge evaluate {RUN} --precision 0.5"
    menu = page.locator(".moved .menu")
    check_pictures(page, menu, f"{RUN}: wanted precision 0.50")
    rows = list(csv.DictReader(download(page, menu, "CSV").read_text().splitlines()))
    assert {each["wanted precision"] for each in rows} == {"0.5"}
    assert rows[3]["value"] == page.locator(".moved td").nth(6).inner_text()
    check_looks(page)
