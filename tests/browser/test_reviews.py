"""The story of Reviews: type a review, turn its label, see the kinds of errors, and try one."""

import re
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page, expect
from tests.browser.looks import check_looks
from tests.browser.server import Server
from tests.studio.test_reviews import RUN, explain_few, train_small


def test_a_label_turns_and_an_error_is_explained(page: Page, server: Server, monkeypatch: pytest.MonkeyPatch):
    train_small(server.folder)
    monkeypatch.chdir(server.folder)
    explain_few(server.folder, monkeypatch)

    page.get_by_role("link", name="Reviews", exact=True).click()
    expect(page.get_by_label("Classifier", exact=True)).to_have_value(RUN)
    expect(page).to_have_url(f"{server.url.partition('?')[0]}#reviews?{urlencode({'run': RUN})}")
    review, answer = page.get_by_label("Review", exact=True), page.locator(".answer .said").first
    review.fill("A great film.")
    expect(page.locator(".shaded").first).to_have_text("A great film.")
    before = answer.inner_text()
    review.fill("A dull film.")
    expect(page.get_by_text(f"the label has turned: it was {before}")).to_be_visible()
    expect(page.get_by_role("rowheader", name="dull")).to_be_visible()

    page.get_by_role("group", name="The review; the arrow keys go from word to word.").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".tip")).to_contain_text("dull")

    page.reload()
    expect(review).to_have_value("A dull film.")
    page.get_by_label("True class").select_option(before)
    expect(page.get_by_role("heading", name=re.compile("First kind"))).to_be_visible()
    page.get_by_role("button", name="Copy as command").click()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == f"attnlab classify explain {RUN} --text 'A dull film.' --label {before}"
    page.get_by_text("Download").click()
    with page.expect_download() as started:
        page.get_by_role("button", name="CSV").click()
    assert started.value.path().read_text().startswith("text,start,stop")
    check_looks(page)
    page.go_back()
    expect(page.get_by_label("True class")).to_have_value("")

    page.get_by_role("tab", name="Kinds of errors").click()
    expect(page.get_by_text("2 errors in 3 texts")).to_be_visible()
    page.get_by_role("link", name="Try it").first.click()
    expect(page.get_by_role("heading", name=re.compile("First kind"))).to_be_visible()
    check_looks(page)
