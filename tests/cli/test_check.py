"""attnlab check: the verdict on an answer, the grades of a class, the problems there are."""

import csv
import shlex
from pathlib import Path

import pytest

from attnlab.answers import find_problem, problems
from attnlab.answers.questions.problem import LARGE
from attnlab.cli.answers.check import Check

CLASS = "student,problem,answer\nAda,copy,q = C k_j\nBob,copy,q = k_j\nCyd,copy,q = k_j\nDan,copy,q = (\n"
MINE = """
title = "Twice"
question = "Give y = 2x."
wanted = "y = 2 x"
sizes = { d = [1, 2, 3] }
unknowns = { y = "d" }

[symbols]
x = { is = "orthonormal", shape = "d", says = "a vector" }

[[samples]]
answer = "y = x + x"
verdict = "holds"
"""


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("class.csv").write_text(CLASS)
    Path("mine.toml").write_text(MINE, encoding="utf-8")


def test_an_answer_that_holds(run):
    ran = run("check", "average", "q = C(k_a + k_b)")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == "holds: q = C(k_a + k_b)\n  how far: C ≥ 5.28 is large enough for 1 % (n = 10)\n"


def test_an_answer_that_fails_is_explained_and_mended(run):
    ran = run("check", "two-heads", r"q_1 = \mu_a", r"q_2 = \mu_b")
    assert (ran.code, ran.err) == (1, "")
    assert ran.out.splitlines()[:2] == [
        "fails: q_1 = μ_a, q_2 = μ_b",
        "  why: c_1 is 0.576 v_a + 0.212 v_b + 0.212 v_3, where v_a is wanted (n = 3)",
    ]
    assert "for example: n = 3, d = 3, μ_a = (1, 0, 0)" in ran.out
    assert ran.out.splitlines()[-1].startswith("  did you mean q_1 = C μ_a, q_2 = C μ_b? (the scale is missing")


def test_a_formula_may_begin_with_a_minus(run):
    ran = run("check", "average-norm-noise", "-C Σ_{i≠a,b} μ_i")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("holds: q = −C Σ_{i≠a,b} μ_i\n")
    assert run("check", "-h").out.startswith("usage: attnlab check")


def test_as_one_value(run):
    value = run("check", "extract", "M = A^T", "--json").json
    assert (value["problem"], value["verdict"], value["suggestion"]) == ("extract", "fails", "M = A Aᵀ")
    assert value["reason"] == "M should be d×d, but Aᵀ is m×d"
    assert value["counterexample"]["d"] == 2


def test_a_condition_counts_as_holding(run):
    value = run("check", "two-heads-norm-noise", "q_1 = C μ_a, q_2 = C μ_b", "--json").json
    assert (value["verdict"], value["condition"]) == ("holds if", "γ > −1, which is so in 92.1 % of the draws")
    assert run("check", "two-heads-norm-noise", "q_1 = C μ_a, q_2 = C μ_b").code == 0


def test_the_problems_are_listed_with_their_symbols_and_examples_that_run(run):
    told = run("check", "--list").out
    assert list(run("check", "--list", "--json").json) == list(problems())
    examples = [line.partition("example: attnlab ")[2] for line in told.splitlines() if "example: attnlab" in line]
    assert len(examples) == len(problems())
    for example in examples:
        assert run(*shlex.split(example)).code in (0, 1)


def test_the_help_and_the_list_name_all_large_constants(run):
    assert ", ".join(LARGE) in " ".join((Check.__doc__ or "").split())
    for name, each in run("check", "--list", "--json").json.items():
        taken = {*find_problem(name).unknowns, *find_problem(name).symbols}
        assert set(each["names"]) >= set(LARGE) - taken


def test_a_problem_without_a_formula_is_explained(run):
    assert run("check", "copy").out.startswith("copy: Copying one value\n")


def test_a_class_is_graded(run):
    ran = run("check", "--answers", "class.csv", "--out", "graded.csv")
    assert ran.code == 0
    assert "2 × copy: q = k_j" in ran.out
    assert ran.out.endswith("4 answers graded in graded.csv\n")
    with open("graded.csv", encoding="utf-8", newline="") as file:
        assert [row["verdict"] for row in csv.DictReader(file)] == ["holds", "fails", "fails", "unreadable"]
    assert Path("class.csv").read_text() == CLASS


def test_a_class_as_one_value_goes_beside_the_answers(run):
    value = run("check", "--answers", "class.csv", "--json").json
    assert value["counts"] == {"copy": {"holds": 1, "fails": 2, "unreadable": 1}}
    assert value["out"] == "class-graded.csv"
    assert Path("class-graded.csv").exists()


def test_a_problem_of_ones_own(run):
    assert run("check", "--problem", "mine.toml", "y = 2x").code == 0
    assert run("check", "--problem", "mine.toml", "3x").code == 1
    assert run("check", "--problem", "mine.toml").out == "as expected: holds: y = x + x\n"
    Path("mine.toml").write_text(MINE.replace('"holds"', '"fails"'), encoding="utf-8")
    ran = run("check", "--problem", "mine.toml")
    assert (ran.code, ran.out.partition(":")[0]) == (1, "expected fails")


REFUSED = {
    "": "PROBLEM: expected a problem and a formula; --list explains the problems",
    "averag 'q = k_a'": "PROBLEM: expected copy, copy-margin, extract, average, average-scale, "
    "average-noisy, average-norm-noise, two-heads, two-heads-norm-noise, self-attention, softmax-gradient, "
    "network-gradients or perplexity-base; got 'averag'; did you mean average?",
    "average 'q = C(k_a + '": "'q = C(k_a +', character 12: expected a name, a number or '(', but the formula ends",
    "copy 'q = C k_j' --out x.csv": "--out: needs --answers: it is the file for the graded class",
    "copy --answers class.csv": "--answers: takes no formula, got 'copy'",
    "--answers class.csv --out class.csv": "--out: expected another file than that of the answers, got class.csv",
    "--answers none.csv": "none.csv: there is no such file",
    "--answers class.csv --out class.csv/x": "class.csv/x: cannot be written: its folder is a file",
    "--problem none.toml": "none.toml: there is no such file",
    "--problem class.csv": "class.csv: expected TOML: expected '=' after a key in a key/value pair "
    "(at line 1, column 8)",
}


@pytest.mark.parametrize("arguments", REFUSED)
def test_bad_input_is_one_line(run, arguments):
    assert run("check", *shlex.split(arguments)).refusal == f"attnlab check: {REFUSED[arguments]}"


def test_a_sample_that_cannot_be_read_names_its_file(run):
    Path("mine.toml").write_text(MINE.replace("y = x + x", "y = D x"), encoding="utf-8")
    refusal = run("check", "--problem", "mine.toml").refusal
    assert refusal.startswith("attnlab check: mine.toml: a sample answer cannot be read: 'y = D x': D is not ")
