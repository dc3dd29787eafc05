"""Checked answers from Python: the same values as the command prints, and commands that check them again."""

import csv
from pathlib import Path

import pytest

from attnlab.answers import FormulaError, Verdict, check, check_samples, grade, graded_path, list_problems, load_problem
from attnlab.errors import ArgumentError, FileError

pytestmark = pytest.mark.usefixtures("as_installed")
CLASS = "student,problem,answer\nAda,copy,q = C k_j\nBob,copy,q = k_j\nCyd,copy,q = k_j\nDan,copy,q = (\n"


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, difference: str) -> None:
    monkeypatch.chdir(tmp_path)
    Path("difference.toml").write_text(difference, encoding="utf-8")
    Path("class.csv").write_text(CLASS)


@pytest.mark.parametrize(
    ("problem", "formulas"),
    [
        ("copy", ["q = C k_j"]),
        ("copy", ["-C k_j"]),
        ("average", ["q = s(k_a + k_b), s \\gg 0"]),
        ("two-heads", [r"q_1 = \mu_a", r"q_2 = \mu_b"]),
        ("two-heads-norm-noise", ["q_1 = C μ_a, q_2 = C μ_b"]),
        ("difference", ["q_1 = k_a", "q_2 = k_b"]),
    ],
)
def test_the_command_of_a_verdict_gives_it_again(again, problem: str, formulas: list[str]):
    found = check(load_problem("difference.toml") if problem == "difference" else problem, *formulas)
    assert again(found) == found.to_dict()


def test_a_verdict_shows_its_reason_and_what_would_be_right():
    found = check("extract", "M = A^T")
    assert not found.holds
    assert repr(found).splitlines() == [
        "fails: M = Aᵀ",
        "  why: M should be d×d, but Aᵀ is m×d",
        "  for example: d = 2, m = 1, p = 1, A = (1, 0), M = [1, 0]",
        "  did you mean M = A Aᵀ? (a factor is missing)",
    ]
    assert ">fails: M = Aᵀ" in found._repr_html_()


def test_a_formula_that_cannot_be_read_is_an_error():
    with pytest.raises(FormulaError, match="the formula ends"):
        check("copy", "q = (")


def test_a_class_is_written_only_if_a_file_is_given(again):
    here = grade("class.csv")
    assert here.to_dict() == {
        "answers": 4,
        "counts": {"copy": {"holds": 1, "fails": 2, "unreadable": 1}},
        "common_mistakes": [{"problem": "copy", "answer": "q = k_j", "count": 2}],
        "warnings": [],
    }
    assert sorted(path.name for path in Path().iterdir()) == ["class.csv", "difference.toml"]
    written = grade("class.csv", "graded.csv")
    assert written.to_dict() == here.to_dict() | {"out": "graded.csv"}
    with Path("graded.csv").open(encoding="utf-8", newline="") as file:
        assert [row["verdict"] for row in csv.DictReader(file)] == [each.verdict for each in here.rows]
    assert again(written) == written.to_dict()
    assert again(here) == here.to_dict() | {"out": str(graded_path(Path("class.csv")))}


def test_a_class_with_a_teachers_problem_is_graded_again_by_its_command(again):
    Path("class.csv").write_text('student,problem,answer\nAda,difference,"q_1 = C k_a, q_2 = C k_b"\n')
    found = grade("class.csv", "graded.csv", [load_problem("difference.toml")])
    assert found.counts() == {"difference": {"holds": 1}}
    assert again(found) == found.to_dict()


def test_the_answers_are_never_written_over():
    with pytest.raises(ArgumentError, match=r"^out: expected another file than that of the answers"):
        grade("class.csv", "./class.csv")
    with pytest.raises(FileError, match=r"^none\.csv: there is no such file"):
        grade("none.csv")


def test_the_grades_are_a_table_a_chart_and_rows():
    found = grade("class.csv")
    assert repr(found).splitlines() == [
        "problem  holds  fails  unreadable",
        "copy         1      2           1",
        "the most common wrong answers:",
        "2 × copy: q = k_j",
        "4 answers graded",
    ]
    svg = found.save("class.svg").read_text()
    assert "copy: 1 holds, 2 fails, 1 unreadable" in svg
    assert found.save("rows.csv").read_text().splitlines()[1].startswith("Ada,copy,q = C k_j,holds,")


def test_an_answer_cannot_play_with_the_terminal():
    Path("class.csv").write_text("student,problem,answer\n" + 'Ada,copy,"q =\n k_j"\n' * 2)
    assert "2 × copy: q =\\n k_j" in repr(grade("class.csv"))


@pytest.mark.parametrize("which", [None, "average", "difference.toml"])
def test_the_command_of_a_list_lists_the_same(again, which: str | None):
    found = list_problems(load_problem(which) if which and which.endswith(".toml") else which)
    assert again(found) == found.to_dict()
    assert "names: " in repr(found)


@pytest.mark.parametrize("which", ["copy", "difference.toml"])
def test_the_command_of_samples_checks_the_same(again, which: str):
    found = check_samples(load_problem(which) if which.endswith(".toml") else which)
    assert found.holds
    assert again(found) == found.to_dict()
    assert repr(found).startswith("as expected: holds: q")


def test_a_sample_that_its_author_got_wrong_does_not_hold(again, difference: str):
    Path("difference.toml").write_text(difference.replace('verdict = "fails"', 'verdict = "holds"'), encoding="utf-8")
    found = check_samples(load_problem("difference.toml"))
    assert not found.holds
    assert again(found) == found.to_dict()
    first, second, why = repr(found).splitlines()
    assert first.startswith("as expected: holds: ")
    assert second == "expected holds: fails: q_1 = k_a, q_2 = k_b"
    assert why.startswith("  c is ")


def test_a_problem_without_samples_has_none_to_check(difference: str):
    Path("difference.toml").write_text(difference.partition("[[samples]]")[0], encoding="utf-8")
    with pytest.raises(ArgumentError, match="difference has no sample answers; give a formula to check"):
        check_samples(load_problem("difference.toml"))
    assert "example" not in repr(list_problems(load_problem("difference.toml")))


def test_a_verdict_is_made_once():
    found: Verdict = check("copy", "q = C k_j")
    with pytest.raises(AttributeError):
        found.verdict = "fails"  # pyright: ignore[reportAttributeAccessIssue]
