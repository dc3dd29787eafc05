"""The story of the page Answers, in a real browser."""

import csv
import io
import re

from playwright.sync_api import Page, expect
from tests.browser.looks import check_looks
from tests.browser.server import Server

CLASS = 'student,group,problem,answer\nAda,1,extract,M = A A^T\nBob,2,difference,"q_1 = C k_a, q_2 = C k_b"\n'


def test_an_answer_is_checked_as_one_types_and_a_class_is_graded(page: Page, server: Server):
    page.get_by_role("link", name="Answers", exact=True).click()
    verdict = page.locator("#panel-lab .result h2")
    answer = page.get_by_label("Your answer")
    answer.fill("M = A^")
    expect(page.get_by_text("character 7")).to_have_count(2)  # beside the field, and as the verdict
    answer.fill("M = A^T")
    expect(page.locator(".reading")).to_have_text("M = Aᵀ")
    expect(verdict).to_contain_text("fails")
    expect(page.get_by_text("for example: d = 2")).to_be_visible()
    page.get_by_role("button", name="Copy as command").first.click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == "attnlab check extract 'M = A^T'"
    page.get_by_role("button", name="Use it").click()
    expect(verdict).to_contain_text("holds")
    page.go_back()
    expect(verdict).to_contain_text("fails")

    page.get_by_label("Problem", exact=True).select_option("two-heads")
    page.get_by_label("Formula for q1").fill(r"q_1 = C \mu_a")
    page.get_by_label("Formula for q2").fill(r"q_2 = C \mu_a")
    expect(page.locator(".reading sub")).to_have_count(4)
    page.reload()
    expect(verdict).to_contain_text("fails")
    assert "vb\u00a0=\u00a0(0,\u00a01,\u00a00)" in page.locator("#panel-lab .result").inner_text()  # on one line
    page.get_by_role("button", name="Use it").click()
    expect(page.get_by_label("Formula for q2")).to_have_value("q_2 = C μ_b")
    expect(verdict).to_contain_text("holds")

    page.get_by_role("tab", name="A problem of your own").click()
    expect(page.get_by_text("as expected")).to_have_count(2)
    page.get_by_label("The file", exact=True).fill("title = 1")
    expect(page.get_by_text("difference.toml: missing key")).to_be_visible()
    page.go_back()

    page.get_by_role("tab", name="A class").click()
    page.get_by_label("Rows may also name").check()
    file = {"name": "class 1.csv", "mimeType": "text/csv", "buffer": CLASS.encode()}
    page.locator("#file").set_input_files([file])  # pyright: ignore[reportArgumentType]
    expect(page.get_by_role("heading", name="2 answers")).to_be_visible()
    expect(page).to_have_url(re.compile("job="))
    page.reload()
    with page.expect_download() as started:
        page.get_by_role("link", name="Download the graded file").click()
    rows = list(csv.DictReader(io.StringIO(started.value.path().read_text())))
    assert [(row["student"], row["group"], row["verdict"]) for row in rows] == [
        ("Ada", "1", "holds"),
        ("Bob", "2", "holds"),
    ]
    page.locator("#panel-class summary").click()
    check_looks(page)
