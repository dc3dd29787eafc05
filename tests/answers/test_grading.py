"""Grading a class: every row gets its verdict, whatever the others are like."""

import csv
import io
import time
from pathlib import Path

import pytest

from attnlab.answers import check, grade, load_problem
from attnlab.answers.grading import graded_file, graders
from attnlab.answers.grading.graded_file import growing, part_of
from attnlab.errors import FileError, StoppedError

CLASS = """student,problem,answer
Ada,average,q = C(k_a + k_b)
Bob,average,q = k_a + k_b
Cyd,average,"q = C(k_a +"
Dan,averag,q = k_a
Eve,two-heads,"q_1 = C μ_a, q_2 = C μ_b"
Fay,two-heads-norm-noise,"q_1 = C μ_a; q_2 = C μ_b"
Gus,average,

Hal,average
Bob,average,q = k_a + k_b
"""


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    path = tmp_path / "class.csv"
    path.write_text(CLASS, encoding="utf-8")
    return path


def test_one_bad_row_does_not_stop_the_rest(answers: Path, watcher):
    grades = grade(answers, observer=watcher)
    assert [row.verdict for row in grades.rows] == [
        "holds", "fails", "unreadable", "unreadable", "holds",
        "holds if γ > −1, which is so in 92.1 % of the draws", "unreadable", "unreadable", "fails",
    ]  # fmt: skip
    assert grades.rows[1].suggestion == "q = C(k_a + k_b)"
    assert grades.rows[2].reason.startswith("'q = C(k_a +', character 12: expected")
    assert grades.rows[3].reason.startswith("expected the name of a problem (copy, ")
    assert grades.rows[6].reason.endswith("got an empty text")
    assert watcher.tasks == ["answers"]
    assert watcher.done == [1] * 7  # different answers


def test_unknown_problems_and_rows_without_a_student_are_named_with_their_lines(answers: Path, tmp_path: Path):
    assert grade(answers).warnings == ("1 row names an unknown problem: averag (line 5)",)
    path = tmp_path / "odd.csv"
    lines = ["student,problem,answer", ',copy,"q =', ' C k_j"', "", "Ada,cpy,x", " ,cpy,y"]
    lines += [f"Bob,p{n},x" for n in range(6)]
    path.write_text("\n".join(lines), encoding="utf-8")
    found = grade(path)
    assert found.warnings == (
        "8 rows name an unknown problem: cpy (lines 5, 6), p0 (line 7), p1 (line 8), p2 (line 9), p3 (line 10), …",
        "2 rows have no name of a student (lines 2, 6)",
    )
    assert repr(found).splitlines()[-3:-1] == [*found.warnings]
    assert found.rows[0].verdict == "holds"


def test_the_class_is_summed_up(answers: Path):
    grades = grade(answers)
    assert grades.counts()["average"] == {"holds": 1, "fails": 2, "unreadable": 3}
    assert grades.counts()["two-heads-norm-noise"] == {"holds if": 1}
    assert grades.common_mistakes() == [("average", "q = k_a + k_b", 2)]


def test_what_is_right_in_the_limit_only_is_counted_apart(tmp_path: Path):
    path = tmp_path / "limits.csv"
    path.write_text("student,problem,answer\nAda,average,α_a = ½\nBob,average,q = 20(k_a + k_b)\n", encoding="utf-8")
    found = grade(path)
    assert found.counts() == {"average": {"in the limit": 1, "holds if": 1}}
    assert "in the limit" in str(found)


def test_what_is_handed_back_has_the_rows_that_came_and_in_their_order(answers: Path, tmp_path: Path):
    grade(answers, tmp_path / "graded.csv")
    rows = list(csv.DictReader(io.StringIO((tmp_path / "graded.csv").read_bytes().decode())))
    assert [row["student"] for row in rows] == ["Ada", "Bob", "Cyd", "Dan", "Eve", "Fay", "Gus", "Hal", "Bob"]
    assert list(rows[0]) == ["student", "problem", "answer", "verdict", "reason", "suggestion"]


def test_columns_may_stand_in_any_order_and_a_mark_may_come_first(tmp_path: Path):
    path = tmp_path / "class.csv"
    path.write_bytes(b"\xef\xbb\xbfAnswer,note,Problem,Student\r\nq = C k_j,x,copy,Ada\r\n")
    assert [(row.student, row.verdict) for row in grade(path).rows] == [("Ada", "holds")]


def test_a_teachers_problem_can_be_graded_too(tmp_path: Path, difference: str):
    (tmp_path / "difference.toml").write_text(difference, encoding="utf-8")
    path = tmp_path / "class.csv"
    path.write_text('student,problem,answer\nAda,difference,"q_1 = C k_a, q_2 = C k_b"\n', encoding="utf-8")
    assert grade(path, extra=[load_problem(tmp_path / "difference.toml")]).rows[0].verdict == "holds"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "line 1: expected a first row with the columns student, problem, answer, got nothing"),
        (b"name,problem,answer\n", "line 1: expected a first row with the columns student, problem, answer, got name"),
        (b"Student,Problem\n", ", got student, problem; answer is missing"),
        (b"student,problem,answer\nAda,average,\xff\n", "line 2: expected UTF-8 text"),
        (b"PK\3\4\0", "got a zip file, as .docx and .xlsx files are; save it as plain text in UTF-8"),
    ],
)
def test_a_file_that_is_no_class_is_refused(tmp_path: Path, content: bytes, said: str):
    path = tmp_path / "class.csv"
    path.write_bytes(content)
    with pytest.raises(FileError) as refused:
        grade(path)
    assert said in str(refused.value)


def test_columns_beside_stay_and_commas_in_a_last_answer_need_no_quotes(tmp_path: Path):
    path = tmp_path / "class.csv"
    path.write_text("student;group;problem;answer\nAda;7;Two-Heads;q_1 = C μ_a; q_2 = C μ_b\n", encoding="utf-8")
    grades = grade(path, tmp_path / "graded.csv")
    assert [row.verdict for row in grades.rows] == ["holds"]
    assert list(csv.reader(io.StringIO((tmp_path / "graded.csv").read_bytes().decode())))[:2] == [
        ["student", "group", "problem", "answer", "verdict", "reason", "suggestion"],
        ["Ada", "7", "Two-Heads", "q_1 = C μ_a; q_2 = C μ_b", "holds", grades.rows[0].reason, ""],
    ]


def test_many_answers_are_graded_on_every_core_with_the_same_verdicts(tmp_path: Path, monkeypatch):
    path = tmp_path / "class.csv"
    rows = [f"s{n},copy,q = {n} C k_j" for n in range(4)]
    path.write_text("student,problem,answer\n" + "\n".join(rows) + "\n", encoding="utf-8")
    here = grade(path)
    monkeypatch.setattr("attnlab.answers.grading.graders.ENOUGH", 1)
    assert grade(path).rows == here.rows


def test_a_bug_of_ours_does_not_cost_a_class_its_grades(answers: Path, monkeypatch):
    def broken(problem, answer):
        raise ZeroDivisionError

    monkeypatch.setattr("attnlab.answers.grading.graders.check", broken)
    assert grade(answers).rows[0].reason.startswith("the checker itself failed on this answer (ZeroDivisionError)")


def test_a_huge_answer_is_one_unreadable_row(tmp_path: Path):
    path = tmp_path / "class.csv"
    path.write_text(f"student,problem,answer\nAda,copy,q = C k_j\nBob,copy,{'k' * 1_000_000}\n", encoding="utf-8")
    before = csv.field_size_limit()
    assert [row.verdict for row in grade(path).rows] == ["holds", "unreadable"]
    assert csv.field_size_limit() == before


def test_an_empty_class_is_one(tmp_path: Path):
    path = tmp_path / "class.csv"
    path.write_text("student,problem,answer\n")
    assert grade(path).rows == ()


def test_an_answer_that_takes_too_long_does_not_hold_up_the_others(answers: Path, monkeypatch):
    def slow(problem, answer):
        while answer == "q = C(k_a + k_b)":
            sum(range(1000))
        return check(problem, answer)

    monkeypatch.setattr(graders, "check", slow)
    monkeypatch.setattr(graders, "PATIENCE", 1.0)
    rows = {each.student: each for each in grade(answers).rows}
    assert (rows["Ada"].verdict, rows["Eve"].verdict) == ("undecided", "holds")
    assert rows["Ada"].reason == "takes more than 1 seconds to check; a shorter formula may be decided"


def test_an_interrupt_ends_a_class_at_once(tmp_path: Path, monkeypatch):
    """Answers that are being graded on other cores are not waited for."""
    rows = [f"Ada,average,q = {number} C(k_a + k_b)" for number in range(400)]
    (tmp_path / "class.csv").write_text("\n".join(["student,problem,answer", *rows]))
    began = []

    def interrupted(*_) -> None:
        began.append(time.monotonic())
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        grade(tmp_path / "class.csv", heard=interrupted)
    assert time.monotonic() - began[0] < 3


def test_rows_are_written_as_they_come_and_an_interrupt_keeps_them(answers: Path, tmp_path: Path, monkeypatch):
    monkeypatch.setattr(graded_file, "OFTEN", 0.0)
    out, seen = tmp_path / "graded.csv", []

    def heard(problem: str, answer: str, verdict: str) -> None:
        seen.append(part_of(out).read_text().count("\n"))
        if len(seen) == 3:
            raise KeyboardInterrupt

    with pytest.raises(StoppedError) as stopped:
        grade(answers, out, heard=heard)
    assert seen == [1, 2, 3]
    assert str(stopped.value) == f"stopped after 2 of 9 rows, which are in {part_of(out)}"
    rows = csv.DictReader(part_of(out).read_text().splitlines())
    assert [row["verdict"] for row in rows] == ["holds", "fails"]
    assert not out.exists()
    grade(answers, out)
    unbroken = out.with_name("unbroken.csv")
    grade(answers, unbroken)
    assert out.read_bytes() == unbroken.read_bytes()
    assert not part_of(out).exists()


def test_a_file_that_is_no_part_of_a_class_stays(answers: Path, tmp_path: Path):
    part_of(tmp_path / "out.csv").write_text("my own notes\n")
    with pytest.raises(FileError, match=r"out.csv.part: expected no such file, or the part of a graded class; remove"):
        grade(answers, tmp_path / "out.csv")
    assert part_of(tmp_path / "out.csv").read_text() == "my own notes\n"


def test_two_processes_do_not_write_one_file(answers: Path, tmp_path: Path):
    with (
        growing(tmp_path / "out.csv", b"student"),
        pytest.raises(FileError, match="another process is writing this file"),
    ):
        grade(answers, tmp_path / "out.csv")
