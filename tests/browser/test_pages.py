"""The pages that the lab writes, in a real browser: they work under their own policy, and hostile names do nothing."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from attnlab.cli import main

HOSTILE = "<img src=x onerror=alert(1)>\u202e</script><script>alert(2)</script>"
GOLDEN = Path(__file__).parents[1] / "golden"
TEXT = f"It was a day. {HOSTILE} And so on, and so on; the end of it is near.\n" * 4


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a page of each kind; the names of its files and the texts are hostile."""
    folder = tmp_path_factory.mktemp("pages")
    named = folder / HOSTILE.replace("/", "∕")
    named.write_text(TEXT)
    classes = folder / "reviews.csv"
    classes.write_text(f'label,text\npos,"{HOSTILE}"\nneg,"a bad film"\n')
    for line in (
        ["perplexity", str(GOLDEN / "ngram"), "--text", str(named), "--explain", "--html", "surprise.html"],
        ["heads", "look", str(GOLDEN / "people-read"), f"Anna {HOSTILE}"[:30], "--html", "look.html"],
        ["score", str(GOLDEN / "ngram"), HOSTILE, "--html", "score.html"],
        ["runs", str(GOLDEN), "--plot", "chart.html"],
        ["classify", "explain", str(GOLDEN / "classifier"), str(classes), "--html", "reasons.html"],
    ):
        line[-1] = str(folder / line[-1])
        assert main(line) in (0, 1)
    return folder


@pytest.mark.parametrize(
    ("name", "there"),
    [("surprise.html", ".text i"), ("score.html", "td"), ("look.html", "#tokens span"), ("chart.html", ".chart svg"),
     ("reasons.html", ".text")],
)  # fmt: skip
def test_a_page_works_and_runs_nothing_that_it_shows(browser: Browser, pages: Path, name: str, there: str):
    context = browser.new_context(offline=True)
    page, complaints = context.new_page(), []
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("dialog", lambda dialog: complaints.append(dialog.message))
    page.goto((pages / name).as_uri())
    page.wait_for_selector(there)
    if name == "surprise.html":  # its script shows a tooltip
        page.hover(there)
        assert "bits" in page.inner_text("#details")
    if name == "look.html":  # its script draws the map
        assert page.evaluate("document.getElementById('map').width") > 0
    assert page.locator("img[onerror]").count() == 0
    assert "\u202e" not in page.content()
    page.evaluate("document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=alert(3)>')")
    page.evaluate("document.body.append(Object.assign(document.createElement('script'), {text: 'alert(4)'}))")
    page.wait_for_timeout(100)
    context.close()
    refused = [each for each in complaints if "Content Security Policy" in each]
    assert complaints == refused  # the policy stops both of those that the test put there
    assert len(refused) >= 2
