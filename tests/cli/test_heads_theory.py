"""attnlab heads theory: what it prints, writes and refuses."""

import json
import shlex

import pytest

import attnlab as al
from attnlab.cli import main

SHAPE = "--model.layers 1 --model.heads 2 --model.width 16 --model.context 16"


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Small runs: keys of varying length, normalised keys, and models without keys or heads."""
    folder = tmp_path_factory.mktemp("runs")
    (folder / "text.txt").write_text("The cat sat on the mat, and the dog sat on the cat.\n" * 40)
    for name, options in {
        "plain": f"{SHAPE} --model.qk-norm no --steps 5",
        "normalised": f"{SHAPE} --model.norm rms --steps 2",
        "synthesizer": f"{SHAPE} --model.mixer synthesizer --steps 1",
        "ngram": "--model ngram",
    }.items():
        assert main(shlex.split(f"train {folder / 'text.txt'} {options} --out {folder / name} --json")) == 0
    return folder


def test_the_table_and_the_files(run, runs, tmp_path):
    files = [f"--{kind}={tmp_path / name}" for kind, name in (("html", "page.html"), ("plot", "chart.svg"))]
    ran = run("heads", "theory", str(runs / "plain"), "--rows", "6", "--tokens", "80", *files)
    assert ran.code == 0
    assert "keys of equal length in all heads would cost " in ran.out
    rows = [line.split() for line in ran.out.splitlines() if line.startswith(("0.0 ", "0.1 "))]
    assert len(rows) == 2
    assert len(rows[0]) == 13  # twelve columns; the spread of lengths has a per cent sign
    page = (tmp_path / "page.html").read_text()
    assert "predicted" in page
    assert "<script" not in page.split("</head>")[1] or "Content-Security-Policy" in page
    assert (tmp_path / "chart.svg").read_text().startswith("<svg")


def test_json_and_one_head(run, runs):
    value = run("heads", "theory", str(runs / "plain"), "--rows", "6", "--tokens", "80", "--head", "0.1", "--json").json
    (head,) = value["heads"]
    assert head["head"] == "0.1"
    assert head["reached"]["given"] <= head["reached"]["best"] + 1e-9 <= head["reached"]["bound"] + 1e-3
    sink = head["sink"]
    assert sink["length"] + sink["angle"] + sink["rest"] == pytest.approx(sink["lead"])


def test_normalised_keys_have_no_noise_of_lengths(run, runs):
    ran = run("heads", "theory", str(runs / "normalised"), "--rows", "6", "--tokens", "80")
    assert "keys of one length, as normalised keys have, leave no noise of lengths for the law to speak of" in ran.out


def test_from_python_and_its_command(run, runs, tmp_path):
    found = al.heads.theory(str(runs / "plain"), head="0.0,0.1", rows=6, tokens=80)
    assert [str(each.head) for each in found.heads] == ["0.0", "0.1"]
    again = run(*shlex.split(found.command)[1:], "--json").json
    assert json.loads(json.dumps(found.to_dict())) == again
    found.save(tmp_path / "theory.csv")
    assert (tmp_path / "theory.csv").read_text().startswith("head,keys,key_length,length_variation,predicted_spread,")
    assert "<img" in found._repr_html_()


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("ngram", "", "MODEL: {} is an n-gram model, which has no attention; expected a Transformer"),
        (
            "synthesizer",
            "",
            "MODEL: a synthesizer compares no two tokens: its heads have no keys to hold theory against",
        ),
        ("plain", "--head 1.0", "head: there is no head 1.0; the model's heads are 0.0 to 0.1 (LAYER.HEAD)"),
        ("plain", "--head first", "head: expected LAYER.HEAD, counted from 0, such as 0.3; got 'first'"),
        ("plain", "--rows 0", "--rows: expected a whole number of at least 1, got 0; try 1"),
    ],
)
def test_what_is_refused(run, runs, name, options, message):
    ran = run("heads", "theory", str(runs / name), *options.split())
    assert ran.refusal.removeprefix("attnlab heads theory: ").removeprefix("--") == (
        message.format(runs / name).removeprefix("--")
    )
