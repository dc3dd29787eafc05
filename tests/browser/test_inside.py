"""The story of the page Inside a model, in a real browser."""

import csv
import re
import shutil
from pathlib import Path
from urllib.parse import parse_qsl, urlencode

import pytest
from playwright.sync_api import Page, expect
from tests.browser.downloads import check_pictures, download
from tests.browser.looks import check_looks
from tests.browser.server import Server

GOLDEN = Path(__file__).parents[1] / "golden"


def test_a_text_is_measured_looked_at_and_continued(page: Page, server: Server):
    models = server.folder / "models"
    for name in ("transformer", "words"):
        shutil.copytree(GOLDEN / name, models / name, dirs_exist_ok=True)
    state = {"model": "models/transformer", "other": "models/words", "text": "to be or not"}
    page.goto(f"{server.url.partition('?')[0]}#inside?{urlencode(state)}")
    expect(page.get_by_text("bits per byte").first).to_be_visible()
    text = page.get_by_role("group", name="The text; the arrow keys go from token to token.")
    text.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".tip")).to_contain_text(
        re.compile("position 1, “o”.*bits, probability.*expected most", re.DOTALL)
    )
    shown = page.get_by_role("tabpanel", name="Cost of each token")
    copied = shown.get_by_role("button", name="Copy as command")
    expect(copied).to_have_attribute("title", "attnlab score models/transformer 'to be or not'")
    cost = shown.locator(".menu")
    check_pictures(page, cost, "bits per byte", 'xml:space="preserve"')
    tokens = list(csv.DictReader(download(page, cost, "CSV").read_text().splitlines()))
    assert len(tokens) == 11
    assert float(tokens[1]["probability_1"]) > float(tokens[1]["probability_2"])
    page.get_by_role("tab", name="What heads attend to").click()
    expect(page.get_by_role("heading", name="Head 0.0")).to_be_visible()
    expect(page.get_by_role("heading", name="What position 10, “t”, attends to")).to_be_visible()
    page.get_by_role("group", name="The text; the left and right arrow keys move the query.").press("ArrowLeft")
    page.get_by_label("Shade each row relative to its largest weight").check()
    expect(page).to_have_url(re.compile("query=9&shading=relative"))
    page.reload()
    expect(page.get_by_role("heading", name=re.compile("^What position 9, "))).to_be_visible()
    expect(page.get_by_label("Shade each row relative to its largest weight")).to_be_checked()
    check_looks(page)
    page.get_by_role("tab", name="Two models").click()
    expect(page.get_by_role("region", name="The parts with the largest differences")).to_be_visible()
    compared = page.get_by_role("tabpanel", name="Two models").locator(".menu")
    check_pictures(page, compared, "models/words: ", 'xml:space="preserve"')
    parts = list(csv.DictReader(download(page, compared, "CSV").read_text().splitlines()))
    assert "".join(each["part"] for each in parts) == "to be or not"
    for each in parts:
        bits = [float(each[f"models/{name}, bits"]) for name in ("transformer", "words")]
        assert float(each["difference, bits"]) == pytest.approx(bits[0] - bits[1])
    page.get_by_role("tab", name="Let it write").click()
    page.get_by_label("Tokens").fill("8")
    page.get_by_role("button", name="Write").click()
    expect(page.get_by_text("Done.")).to_be_visible()
    written = page.get_by_role("tabpanel", name="Let it write").locator(".menu")
    check_pictures(page, written, "models/transformer writes", 'xml:space="preserve"')
    tokens = list(csv.DictReader(download(page, written, "CSV").read_text().splitlines()))
    assert len(tokens) == page.get_by_role("group", name=re.compile("^What the model wrote")).locator("i").count()
    assert download(page, written, "Text").read_text().startswith("to be or not")
    page.reload()
    expect(page.get_by_label("Tokens")).to_have_value("8")
    expect(page.get_by_text("Done.")).to_be_visible()
    page.go_back()
    expect(page.get_by_label("Tokens")).to_have_value("100")
    check_looks(page)


def test_after_a_refused_model_the_next_one_is_shown(page: Page, server: Server, complaints: list[str]):
    for name in ("transformer", "ngram"):
        shutil.copytree(GOLDEN / name, server.folder / "models" / name, dirs_exist_ok=True)
    page.goto(f"{server.url.partition('?')[0]}#inside?{urlencode({'view': 'off', 'model': 'models/ngram'})}")
    expect(page.get_by_role("alert").filter(has_text="which has no attention")).to_be_in_viewport()
    page.get_by_label("Model", exact=True).select_option("models/transformer")
    expect(page.get_by_role("checkbox", name="0.0")).to_be_visible()
    expect(page.get_by_role("alert").filter(has_text="which has no attention")).to_have_count(0)
    complaints[:] = [each for each in complaints if "400" not in each]  # Chromium tells every refusal on its console


def test_a_link_names_what_the_page_chose(page: Page, server: Server):
    for name in ("transformer", "words"):
        shutil.copytree(GOLDEN / name, server.folder / "models" / name, dirs_exist_ok=True)
    page.goto(f"{server.url.partition('?')[0]}#inside?view=compare")
    expect(page.get_by_role("region", name="The parts with the largest differences")).to_be_visible()
    chosen = {each: page.get_by_label(label, exact=True).input_value()
              for each, label in (("model", "Model"), ("other", "Compare with"), ("text", "Text"))}  # fmt: skip
    assert dict(parse_qsl(page.url.partition("?")[2])) == {"view": "compare", **chosen}


def test_what_was_measured_on_another_text_stays(page: Page, server: Server):
    shutil.copytree(GOLDEN / "transformer", server.folder / "models" / "transformer", dirs_exist_ok=True)
    page.set_viewport_size({"width": 400, "height": 800})
    page.goto(f"{server.url.partition('?')[0]}#inside?{urlencode({'model': 'models/transformer', 'view': 'off'})}")
    expect(page.get_by_role("tab", name="Switch heads off")).to_be_in_viewport(ratio=0.9)
    expect(page.get_by_label("Text", exact=True)).to_be_hidden()
    page.get_by_role("checkbox", name="0.0").check()
    page.get_by_role("textbox", name="Measured on").fill("topics")
    page.get_by_role("button", name="Measure").click()
    expect(page.get_by_role("region", name="What each head is worth")).to_be_visible()
    check_looks(page)
    page.get_by_role("tab", name="Cost of each token").click()
    page.get_by_label("Text", exact=True).fill("something else")
    page.get_by_role("button", name="Look").click()
    expect(page).to_have_url(re.compile("text=something"))
    page.get_by_role("tab", name="Switch heads off").click()
    expect(page.get_by_role("region", name="What each head is worth")).to_be_visible()


def test_the_chosen_tab_is_in_sight_on_a_narrow_screen(page: Page, server: Server):
    for name in ("transformer", "words"):
        shutil.copytree(GOLDEN / name, server.folder / "models" / name, dirs_exist_ok=True)
    page.set_viewport_size({"width": 400, "height": 900})
    state = {"view": "compare", "model": "models/transformer", "other": "models/words"}
    page.goto(f"{server.url.partition('?')[0]}#inside?{urlencode(state)}")
    expect(page.get_by_text("Where they differ")).to_be_visible()
    expect(page.get_by_role("tab", name="Two models")).to_be_in_viewport(ratio=0.9)
    page.set_viewport_size({"width": 1200, "height": 900})
    page.set_viewport_size({"width": 400, "height": 900})
    expect(page.get_by_role("tab", name="Two models")).to_be_in_viewport(ratio=0.9)
