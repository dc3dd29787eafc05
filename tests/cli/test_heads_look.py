"""attnlab heads look: what a terminal shows, the files it writes, and refusals of one line."""

import shlex

import pytest

from attnlab.benches.language import LanguageModel
from attnlab.evaluation.scoring.subjects import subject_of
from attnlab.models.kinds import make_model
from attnlab.models.transformer import TransformerConfig
from attnlab.text import train_tokenizer


@pytest.fixture(autouse=True)
def _small(tmp_path, monkeypatch):
    """A model that every name opens."""
    tokens = train_tokenizer("characters", "to be or not")
    network = make_model(TransformerConfig(layers=2, heads=2, width=8, context=12), tokens.size, seed=1)
    monkeypatch.setattr(
        "attnlab.benches.perplexity.models.open_model",
        lambda name, device: LanguageModel(name, subject_of(name, network, tokens)),
    )
    monkeypatch.chdir(tmp_path)


def test_all_heads_and_one_head(run):
    shown = run("heads", "look", "small", "to be")
    assert shown.out.startswith("small: 4 heads on 5 tokens\n")
    one = run("heads", "look", "small", "to be", "--head", "1.1", "--query", "2").out
    assert "\nhead 1.1: the attention of position 2, “␣”, on each token up to it\n" in one
    value = run("heads", "look", "small", "to be", "--head", "1.1,0.0", "--json").json
    assert list(value["heads"]) == ["1.1", "0.0"]
    assert [len(each) for each in value["heads"]["1.1"]["weights"]] == [1, 2, 3, 4, 5]


def test_files_are_written_and_named(run, tmp_path):
    line = "heads look small 'to be' --html a.html --plot a.svg --save a.safetensors"
    told = run(*shlex.split(line)).out.splitlines()[-3:]
    assert told == ["the page is in a.html", "the chart is in a.svg", "the data are in a.safetensors"]
    assert {each.name for each in tmp_path.iterdir()} == {"a.html", "a.svg", "a.safetensors"}


def test_a_text_may_begin_with_a_dash(run):
    assert run("heads", "look", "--", "small", "-to").out.startswith("small: 4 heads on 3 tokens\n")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("small 'to be' --head 2.0", "--head: there is no head 2.0; the model's heads are 0.0 to 1.1 (LAYER.HEAD)"),
        ("small 'to be' --save a.txt", "--save: expected a file that ends in .csv, .json or .safetensors, got 'a.txt'"),
        (
            "small 'to be' --save a.html",
            "--save: expected a file that ends in .csv, .json or .safetensors, got 'a.html'",
        ),
        ("small 'to be' --html a.txt", "--html: expected a file that ends in .html, got 'a.txt'"),
        ("small 'to be' --query 5", "--query: expected a position from 0 to 4, got 5"),
    ],
)
def test_refusals(run, line, message):
    assert run("heads", "look", *shlex.split(line)).refusal == f"attnlab heads look: {message}"
