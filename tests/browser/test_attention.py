"""The story of Attention: a question, a dragged key, the law that follows, a proof, and the best scale."""

import csv
import math
import re
import shutil
from pathlib import Path
from urllib.parse import urlencode

from playwright.sync_api import Page, Route, expect
from tests.browser.downloads import check_pictures, download
from tests.browser.looks import check_looks
from tests.browser.server import Server

GOLDEN = Path(__file__).parents[1] / "golden"


def test_the_law_follows_the_hand(page: Page, server: Server):
    page.get_by_role("link", name="Attention", exact=True).click()
    error = page.locator(".error-value")
    expect(error).to_have_text(re.compile(r"^0\.3484 ± "))
    expect(page.locator(".law .area")).to_be_visible()
    expect(page.locator(".line-of-errors")).to_be_visible()

    key = page.get_by_role("button", name=re.compile("^Key 2 at"))
    box = key.locator(".touch").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + 150, box["y"] - 60, steps=5)
    page.mouse.up()
    expect(error).not_to_have_text(re.compile(r"^0\.3484"))
    expect(page).to_have_url(re.compile("keys="))
    expect(page.locator(".side[aria-busy]")).to_have_count(0)
    moved = error.inner_text()
    page.reload()
    expect(error).to_have_text(moved)
    page.get_by_role("button", name="Copy as command").first.click()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert re.search(r"attnlab weigh --keys given-keys-\w{8}\.csv --queries 1\.0,1\.0", copied)
    expect(page.locator(".line-of-errors")).to_be_visible()
    menu = page.locator(".menu").filter(has_text="Download").first
    check_pictures(page, menu, "Error", "density (axis", "scale C (logarithmic)")
    rows = list(csv.DictReader(download(page, menu, "CSV").read_text().splitlines()))
    assert {name for row in rows for name, value in row.items() if value} >= {"mean", "quantile", "density", "error"}

    page.get_by_label("Heads").select_option("2")
    expect(page.get_by_role("button", name="Query of head 2")).to_be_visible()
    two = page.url
    page.get_by_role("button", name="Query of head 2").press("ArrowLeft")
    expect(page).not_to_have_url(two)
    page.go_back()
    expect(page).to_have_url(two)

    page.get_by_label("Question").select_option("trapped")
    page.get_by_role("button", name="Can it be done?").click()
    expect(page.get_by_text("no query gives it more than 0.2603 of the weight")).to_be_visible()
    expect(page.locator(".hull")).to_be_visible()
    asked = page.get_by_role("region", name="Ask the lab")
    asked.get_by_text("Download").click()
    with page.expect_download() as started:
        asked.get_by_role("button", name="One-file HTML").click()
    assert "0.2603" in started.value.path().read_text()
    page.reload()
    expect(page.get_by_text("no query gives it more than 0.2603 of the weight")).to_be_visible()
    expect(page.locator(".hull")).to_be_visible()
    page.get_by_role("button", name="Best scale C").click()
    expect(page.get_by_role("button", name="Use it")).to_be_visible()
    page.reload()
    page.get_by_role("button", name="Use it").click()
    expect(page).to_have_url(re.compile("scale="))
    check_looks(page)
    assert page.evaluate("performance.getEntriesByName('law').length") > 0


def test_a_question_says_only_what_is_true_of_it(page: Page, server: Server):
    page.get_by_role("link", name="Attention", exact=True).click()
    question, says = page.get_by_label("Question"), page.locator(".says")
    page.locator(".settings").get_by_role("button", name="What does this mean?").first.click()
    expect(page.get_by_text("A factor on every query.")).to_be_visible()
    question.select_option("copy")
    expect(says).to_have_text(re.compile("nearly all weight is on key 0"))
    check_pictures(page, page.locator(".menu").filter(has_text="Download").first, "This weight does not vary.")
    page.get_by_role("button", name=re.compile("^Key 2 at")).focus()
    expect(question).to_have_value("copy")
    page.get_by_label("Scale C", exact=True).fill("0.1")
    page.get_by_label("Scale C", exact=True).blur()
    expect(says).to_have_text("A question of your own.")
    expect(question).to_have_value("")
    question.select_option("lengths")
    expect(says).to_have_text(re.compile("in most draws"))
    page.get_by_label(re.compile("QK.norm")).check()
    expect(says).to_have_text("A question of your own.")


def test_what_helps_is_a_table_of_whole_numbers(page: Page, server: Server):
    page.get_by_role("link", name="Attention", exact=True).click()
    page.get_by_role("button", name="What helps?").click()
    expect(page.get_by_role("region", name="What helps").get_by_role("cell").first).to_be_visible()
    check_looks(page)


def test_an_answer_that_comes_late_replaces_no_newer_one(page: Page):
    page.get_by_role("link", name="Attention", exact=True).click()
    error, settled = page.locator(".error-value"), page.locator(".side:not([aria-busy])")
    expect(settled).to_have_count(1)
    held: list[Route] = []

    def hold_the_first(route: Route) -> None:
        if held:
            route.fallback()
        else:
            held.append(route)

    page.route("**/api/attention/weigh", hold_the_first)
    slider = page.get_by_label("Scale C, slider")
    slider.press("ArrowRight")
    slider.press("End")
    expect(settled).to_have_count(1)
    newest = error.inner_text()
    with page.expect_response("**/api/attention/weigh"):
        held[0].fallback()
    page.wait_for_timeout(200)
    expect(error).to_have_text(newest)


def test_a_head_is_measured_and_its_scale_taken_over(page: Page, server: Server):
    shutil.copytree(GOLDEN / "transformer", server.folder / "runs" / "transformer", dirs_exist_ok=True)
    shutil.copytree(GOLDEN / "transformer", server.folder / "runs" / "lengths")
    config = server.folder / "runs" / "lengths" / "config.json"
    config.write_text(config.read_text().replace('"qk_norm": true', '"qk_norm": false'))
    shutil.copy(GOLDEN / "text.txt", server.folder)
    page.goto(f"{server.url.partition('?')[0]}#attention?model=runs/transformer")
    head = page.get_by_role("region", name="In a trained model")
    expect(page).to_have_url(re.compile("head=0.0"))  # what the page chose is in its address
    head.get_by_role("button", name="Measure this head").click()
    expect(head.get_by_text("All keys of head 0.0 have one length")).to_be_visible()
    expect(head.get_by_role("button", name="Give this noise to the keys")).to_have_count(0)
    head.get_by_role("link", name="Train a Transformer without").click()
    expect(page.get_by_label(re.compile("QK.norm"))).to_have_value("no")
    page.go_back()
    head.get_by_label("Model", exact=True).select_option("runs/lengths")
    head.get_by_role("button", name="Measure this head").click()
    expect(head.get_by_role("button", name="Give this noise to the keys")).to_be_visible()
    page.reload()
    lead = head.get_by_role("row", name=re.compile("^Lead of the largest logit")).get_by_role("cell")
    measured = lead.nth(1).inner_text()
    assert lead.nth(0).inner_text() != measured
    head.get_by_role("button", name="Give this noise to the keys").click()
    expect(page).to_have_url(re.compile("measured=.*keys="))
    expect(lead.nth(0)).to_have_text(re.compile(re.escape(measured[:3])))
    page.go_back()
    expect(lead.nth(0)).not_to_have_text(measured)
    check_looks(page)


def test_in_a_crowd_only_keys_that_matter_have_their_number(page: Page, server: Server):
    keys = ";".join(f"{math.cos(key):.3f},{math.sin(key):.3f}" for key in range(30))
    page.goto(f"{server.url.partition('?')[0]}#attention?{urlencode({'keys': keys, 'queries': '1,1', 'mix': '0=1'})}")
    page.reload()
    expect(page.locator(".law text").first).to_be_visible()
    expect(page.locator("g.keys .label:visible")).to_have_text(["0"])
    page.get_by_role("button", name=re.compile("^Key 17 at")).focus()
    expect(page.locator("g.keys .label:visible")).to_have_text(["0", "17"])


def test_a_wrong_state_is_said_in_one_line(page: Page, server: Server, complaints: list[str]):
    page.goto(f"{server.url.partition('?')[0]}#attention?keys=1,0;0,1&queries=1,1&mix=0=0.5,1=0.5&queries=2,1")
    side, copy = page.locator(".side"), page.locator(".copies button")
    expect(copy).to_have_count(2)
    wanted = page.get_by_label("Wanted weights", exact=True)
    wanted.fill("0=0.5,1=0.4")
    wanted.press("Enter")
    field = page.locator(".setting").filter(has=wanted)
    expect(field.get_by_role("alert")).to_have_text("Wanted weights: expected weights that sum to 1, got a sum of 0.9")
    expect(side).to_have_class("side void")  # numbers of what was set before
    expect(copy).to_have_count(0)
    expect(page.get_by_text("Download").first).to_be_hidden()
    check_looks(page)
    wanted.fill("0=0.5,1=0.5")
    wanted.press("Enter")
    expect(copy).to_have_count(2)
    expect(side).to_have_class("side")
    expect(page.get_by_role("alert").filter(has_text="expected")).to_have_count(0)
    page.goto(f"{server.url.partition('?')[0]}#attention?keys=1,0;x,1&queries=1,1&mix=0=1")
    expect(page.get_by_role("alert").filter(has_text="keys: expected rows of numbers such as 1,0;0,1")).to_be_visible()
    complaints[:] = [each for each in complaints if "400" not in each]  # Chromium tells every refusal on its console
