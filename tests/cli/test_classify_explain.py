"""attnlab classify explain, and the charts of classify evaluate: what is said, written and refused."""

import re

import pytest

from attnlab.cli import main

LINES = [
    "good\tA good, great film.",
    "bad\tA bad, awful film.",
    "good\tGreat plot, good end.",
    "bad\tAwful plot and a bad end.",
]
WRONG = "good\tAn awful, bad film.\nbad\tgood great\nbad\tAn awful film.\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a classifier and a table on which it errs."""
    made = tmp_path_factory.mktemp("classify")
    (made / "train.tsv").write_text("".join(f"{line}\n" for line in LINES * 10))
    (made / "wrong.tsv").write_text(WRONG)
    line = ["classify", "train", str(made / "train.tsv"), "--epochs", "10", "--out", str(made / "run"), "--json"]
    assert main(line) == 0
    return made


@pytest.fixture(autouse=True)
def _inside(folder, monkeypatch):
    monkeypatch.chdir(folder)


def test_a_text_is_explained(run):
    found = run("classify", "explain", "run", "--text", "A good zzz film", "--json").json
    assert (found["said"], found["unknown"], found["label"]) == ("good", 1, None)
    assert [word["text"] for word in found["words"]] == ["A", "good", "zzz", "film"]
    pushes = {word["text"]: word["removal"] for word in found["words"]}
    assert max(pushes, key=lambda word: pushes[word]) == "good"
    total = sum(word["gradients"] for word in found["words"])
    assert total == pytest.approx(found["log_odds"] - found["log_odds_of_no_words"], abs=1e-6)


def test_it_reads_without_colour(run):
    out = run("classify", "explain", "run", "--text", "A good zzz film").out
    assert "good: probability 0." in out
    assert "1 of 4 words are unknown" in out
    assert "+ pushes towards good   - pushes towards bad   ? unknown   (twice: strongly; weak: no sign)\n" in out
    assert "good(++) zzz(?) film" in out
    assert any(line.split()[0] == "good" and line.split()[1].startswith("+") for line in out.splitlines() if line)
    assert "\x1b" not in out


def test_nothing_in_a_text_is_obeyed(run):
    out = run("classify", "explain", "run", "--text", "good [red]film[/red] \x1b[31m").out
    assert "good [red]film[/red] \\x1b[31m" in re.sub(r"\([?+-]+\)", "", out)
    assert "\x1b" not in out


def test_only_unknown_words_are_told(run):
    out = run("classify", "explain", "run", "--text", "zzz qqq").out
    assert "no word of the text is known: this is the answer for an empty text" in out


def test_a_label_makes_it_an_error(run):
    out = run("classify", "explain", "run", "--text", "good great", "--label", "bad").out
    assert "good, but the label is bad" in out
    assert "first kind: " in out
    assert "what decided it" in out
    assert "first kind" not in run("classify", "explain", "run", "--text", "good great", "--label", "good").out


def test_errors_are_explained_and_counted(run, folder):
    found = run("classify", "explain", "run", "wrong.tsv", "--errors", "1", "--json").json
    assert found["kinds"]["errors"] == 2
    assert sum(found["kinds"]["first"].values()) == 2
    assert len(found["errors"]) == 1
    assert len(found["errors"][0]["experiments"]) == 6
    assert "line" in found["errors"][0]["place"]


def test_no_errors_are_no_trouble(run):
    out = run("classify", "explain", "run", "train.tsv", "--html", "none.html", "--plot", "none.svg").out
    assert "0 errors in 40 texts" in out


def test_page_and_charts_are_written(run, folder):
    out = run("classify", "explain", "run", "wrong.tsv", "--html", "why.html", "--plot", "kinds.svg").out
    assert "the page is in why.html" in out
    assert "the chart is in kinds.svg" in out
    assert "An <i" not in (folder / "kinds.svg").read_text()
    assert 'class="text"' in (folder / "why.html").read_text()
    assert "the chart is in charts.svg" in run("classify", "evaluate", "run", "wrong.tsv", "--plot", "charts.svg").out
    assert "<svg" in (folder / "charts.svg").read_text()


def test_the_strongest_words_of_a_text_are_drawn(run, folder):
    out = run("classify", "explain", "run", "--text", "A good zzz film", "--plot", "words.svg").out
    assert "the chart is in words.svg" in out
    drawn = (folder / "words.svg").read_text()
    assert "good: +" in drawn
    assert "zzz" not in drawn  # it is unknown, and pushes nothing


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--text", ""], "--text: expected at least one word, got no words"),
        (["--text", "good", "--label", "fine"], "--label: expected bad or good; got 'fine'"),
        (["--label", "good"], "--label: needs a text: it is the true class of that text"),
        (["--errors", "-1"], "--errors: expected a whole number of at least 0, got -1; try 0"),
        (["--text", "good", "--html", "why.txt"], "--html: expected a file that ends in .html, got 'why.txt'"),
        (["--plot", "a.txt"], "--plot: expected a file that ends in .png, .svg or .html, got 'a.txt'"),
        (["--html", "a.html", "--plot", "a.html"], "--plot: expected another file than --html, got 'a.html' for both"),
        (["--html", "run/a.html"], "--html: expected another file than those that the command reads, got 'run/a.html'"),
        (["missing.tsv"], "missing.tsv: there is no such file or folder"),
    ],
)
def test_refusals_are_one_line(run, arguments, words):
    assert words in run("classify", "explain", "run", *arguments).refusal


def test_the_data_is_never_overwritten(run, folder):
    (folder / "data.html").write_text(WRONG)
    for part, option in (("explain", "--html"), ("explain", "--plot"), ("evaluate", "--plot")):
        assert (
            "than those that the command reads"
            in run("classify", part, "run", "data.html", option, "data.html").refusal
        )
    assert (folder / "data.html").read_text() == WRONG


def test_the_page_is_a_file_inside_a_data_folder_neither(run, folder):
    for name in ("bad", "good"):
        (folder / "texts" / name).mkdir(parents=True)
        (folder / "texts" / name / "1.txt").write_text(f"a {name} film")
    line = ["classify", "explain", "run", "texts", "--html", "texts/bad/why.html"]
    assert "those that the command reads" in run(*line).refusal


def test_digits_of_two_scripts_are_one_number(run):
    found = run("classify", "explain", "run", "--text", "great film 3.٣", "--json").json
    assert [word["text"] for word in found["words"]] == ["great", "film", "3.٣"]
