"""attnlab score: what each token of a text costs a model."""

import io
import shutil
import sys
from pathlib import Path

import pytest

GOLDEN = Path(__file__).parents[1] / "golden"
TEXT = "to be or\nnot to be"


@pytest.fixture(autouse=True)
def _run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shutil.copytree(GOLDEN / "transformer", "run")
    shutil.copytree(GOLDEN / "words", "words")


def given(monkeypatch, raw: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))


def test_a_text_a_file_and_stdin_cost_the_same(run, monkeypatch):
    typed = run("score", "run", TEXT, "--json").json
    Path("text.txt").write_text(TEXT)
    assert run("score", "run", "--file", "text.txt", "--json").json == typed
    given(monkeypatch, TEXT.encode())
    assert run("score", "run", "--file", "-", "--json").json == typed
    assert "".join(each["text"] for each in typed["tokens"]) == TEXT


def test_the_ends_of_lines_of_a_file_are_kept(run):
    Path("text.txt").write_bytes(b"to be\r\nor not")
    told = run("score", "run", "--file", "text.txt", "--json").json
    assert "".join(each["text"] for each in told["tokens"]) == "to be\r\nor not"


def test_a_text_may_be_longer_than_the_context(run):
    told = run("score", "run", "to be or not " * 40, "--json").json
    assert len(told["tokens"]) > 2 * told["context"]


def test_unknown_text_is_marked(run):
    lines = run("score", "words", "to zzyzx").out.splitlines()
    assert lines[-2].split()[1] == "zzyzx*"
    assert lines[-1] == "* marks text that the tokenizer does not know; its bits include its spelling"
    assert "*" not in run("score", "run", "to be", "--likeliest", "0").out


def test_files_are_written(run):
    told = run("score", "run", TEXT, "--html", "a.html", "--plot", "a.svg", "--save", "a.csv").out
    assert told.endswith("the page is in a.html\nthe chart is in a.svg\nthe data are in a.csv\n")
    assert "bits per byte" in Path("a.html").read_text()
    assert Path("a.csv").read_text().startswith("text,bits,probability,unknown,likeliest_1,probability_1,")


@pytest.mark.parametrize(
    ("words", "refusal"),
    [
        ("score run", "TEXT: expected a text, or --file FILE, got no text"),
        ("score run x --file text.txt", "TEXT: expected a text, or --file FILE, got both"),
        ("score nothing x", "nothing: there is no such run folder; for a Hugging Face model, write hf:nothing"),
        ("score run --file nothing", "nothing: there is no such file"),
        ("score run --file empty", "empty: the file is empty"),
        ("score run --file latin", "latin, line 2: expected text in UTF-8, got the byte 0xe9"),
        ("score run --file large", "large: expected at most 1,000,000 bytes; attnlab perplexity measures longer texts"),
        ("score run --file -", "stdin: expected a text, got nothing"),
        ("score run x --likeliest 101", "--likeliest: expected a whole number from 0 to 100, got 101; try 100"),
        ("score run x --context 9999", "--context: the model sees at most 16 tokens at once; got 9999"),
        ("score run x --html page.txt", "--html: expected a file that ends in .html, got 'page.txt'"),
    ],
)
def test_what_is_refused(run, monkeypatch, words, refusal):
    Path("empty").touch()
    Path("latin").write_bytes(b"to be\ncaf\xe9")
    Path("large").write_bytes(b"to be\n" * 200_000)
    given(monkeypatch, b"")
    assert run(*words.split()).refusal == f"attnlab score: {refusal}"


def test_an_empty_text_and_bytes_on_stdin_are_refused(run, monkeypatch):
    assert run("score", "run", "").refusal == "attnlab score: TEXT: the text is empty"
    given(monkeypatch, b"caf\xe9")
    said = run("score", "run", "--file", "-").refusal
    assert said == "attnlab score: stdin, line 1: expected text in UTF-8, got the byte 0xe9"
