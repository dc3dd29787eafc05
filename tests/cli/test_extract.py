"""attnlab extract: the projector, the shared direction, and bad input named."""

import shlex
from pathlib import Path

import numpy as np
import pytest


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.save("a.npy", np.array([[1.0], [0.0], [0.0]]))
    np.save("across.npy", np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 2.0]]))
    Path("oblique.csv").write_text("1\n1\n0\n")
    np.save("around.npy", np.array([[2.0, 0.0], [1.0, 1.0], [0.0, 0.0]]))
    np.save("short.npy", np.eye(2))
    Path("bad.csv").write_text("1\nx\n3\n")


def test_an_orthogonal_projector(run):
    value = run("extract", "--a", "a.npy", "--b", "across.npy", "--json").json
    assert (value["possible"], value["kind"], value["condition"]) == (True, "orthogonal", 1)
    assert np.array(value["projector"]) == pytest.approx(np.diag([1.0, 0, 0]), abs=1e-12)


def test_an_oblique_projector(run):
    value = run("extract", "--a", "a.npy", "--b", "oblique.csv", "--json").json
    assert (value["possible"], value["kind"]) == (True, "oblique")
    assert value["condition"] == pytest.approx(2**0.5)
    assert value["angle"] == pytest.approx(np.pi / 4)
    assert np.array(value["projector"]) @ [3 + 5, 5, 0] == pytest.approx([3, 0, 0], abs=1e-12)


def test_in_words_and_without_minus_zero(run):
    ran = run("extract", "--a", "a.npy", "--b", "oblique.csv")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines() == [
        "oblique projector; an error in the sum grows at most 1.41421 times",
        "M        0         1        2",
        "0  1.00000  -1.00000  0.00000",
        "1  0.00000   0.00000  0.00000",
        "2  0.00000   0.00000  0.00000",
    ]


def test_a_large_projector_is_cut_off(run):
    np.save("large.npy", np.eye(30)[:, :1])
    lines = run("extract", "--a", "large.npy", "--b", "large.npy").out.splitlines()
    assert lines[0].startswith("no matrix does this: ")
    np.save("other.npy", np.eye(30)[:, 1:])
    _, heading, *rows, note = run("extract", "--a", "large.npy", "--b", "other.npy").out.splitlines()
    assert heading.split() == ["M", *map(str, range(10))]
    assert len(rows) == 10
    assert note.strip() == "the first 10 of 30 rows and columns"


@pytest.mark.parametrize(("b", "told"), [("oblique.csv", "The matrix M"), ("a.npy", "The direction x")])
def test_the_chart(run, b, told):
    run("extract", "--a", "a.npy", "--b", b, "--plot", "matrix.svg")
    assert told in Path("matrix.svg").read_text(encoding="utf-8")


def test_a_shared_direction_is_the_reason_why_not(run):
    ran = run("extract", "--a", "a.npy", "--b", "around.npy", "--json")
    assert (ran.code, ran.json["possible"]) == (1, False)
    proof = ran.json["certificate"]
    assert np.linalg.norm(proof["vector"]) == pytest.approx(1)
    assert np.load("a.npy") @ proof["in_a"] == pytest.approx(proof["vector"], abs=1e-9)
    assert np.load("around.npy") @ proof["in_b"] == pytest.approx(proof["vector"], abs=1e-9)
    told = run("extract", "--a", "a.npy", "--b", "a.npy")
    assert told.code == 1
    reason, direction = told.out.splitlines()  # not folded, however long
    assert reason.startswith("no matrix does this: the spans of a and b share a direction x ")
    assert reason.endswith(", and no M can tell them apart")
    assert direction in ("x = (1, 0, 0)", "x = (-1, 0, 0)")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("--a a.npy --b short.npy", "--b: expected 3 rows as in a, got 2"),
        ("--a a.npy --b none.npy", "none.npy: there is no such file"),
        ("--a bad.csv --b a.npy", "bad.csv, line 2: expected a number, got 'x'"),
        ("--a a.txt --b a.npy", "a.txt: expected a file that ends in .npy, .csv or .safetensors"),
    ],
)
def test_bad_input_is_named(run, line, message):
    assert run("extract", *shlex.split(line)).refusal == f"attnlab extract: {message}"
