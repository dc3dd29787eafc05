"""attnlab check: is an answer to a question about attention right, why not, and what would be?"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tyro.conf import Positional, arg

from attnlab.cli.outcome import Outcome, progress_bar
from attnlab.errors import ArgumentError

if TYPE_CHECKING:
    from attnlab.answers import Grades, Problem, Verdict


@dataclass(frozen=True)
class Check:
    """Whether an answer is right, why not, and what would be.

    Formulas are read as people type and typeset them: C(k_a + k_b), \\frac{t}{2}(u_a+u_b), A A^T, μ_a, Σ_{i≠a,b} μ_i.
    C, t, β, λ and what is said to be ≫ 0 are taken to their limit. Several unknowns take several formulas. An answer
    that fails is shown on the smallest example, with the small edit that would mend it.

    Example: attnlab check two-heads "q_1 = \\mu_a" "q_2 = \\mu_b"
    """

    answer: Positional[
        Annotated[tuple[str, ...], arg(metavar="PROBLEM FORMULA [FORMULA ...]", help_behavior_hint="")]
    ] = ()
    """The problem, and a formula for each unknown. With --problem, formulas alone."""
    list: bool = False
    """Explain the problems, with their symbols."""
    problem: Annotated[Path | None, arg(metavar="FILE.toml", help_behavior_hint="")] = None
    """A problem of your own. Without a formula, its sample answers are checked."""
    answers: Annotated[Path | None, arg(metavar="FILE.csv", help_behavior_hint="")] = None
    """Grade a class: a file with the columns student, problem, answer."""
    out: Annotated[Path | None, arg(metavar="FILE.csv", help_behavior_hint="")] = None
    """Where the graded class goes; beside the answers by default, with -graded in its name."""
    json: bool = False
    """Print one JSON value instead of text."""

    def run(self) -> Outcome:
        """The verdict on one answer, the grades of a class, or the problems there are."""
        from attnlab.answers import check, find_problem, load_problem

        own = load_problem(self.problem) if self.problem else None
        if self.out and not self.answers:
            raise ArgumentError("out", "expected --answers with it: it is where the graded class goes")
        if self.answers and self.answer:
            raise ArgumentError("answers", f"expected no formula beside it, got {self.answer[0][:40]!r}")
        if self.list:
            return _listed([own] if own else None)
        if self.answers:
            return self._grade(self.answers, [own] if own else [])
        if own and not self.answer:
            return _samples(own)
        if not self.answer:
            raise ArgumentError("PROBLEM", "expected a problem and a formula, or --list for the problems there are")
        named, formulas = (own, self.answer) if own else (find_problem(self.answer[0]), self.answer[1:])
        if not formulas:
            return _listed([named])
        return _told(check(named, *formulas))

    def _grade(self, path: Path, extra: list[Problem]) -> Outcome:
        from attnlab.answers import grade
        from attnlab.files import write_whole

        out = self.out or path.with_name(f"{path.stem}-graded.csv")
        if out.resolve() == path.resolve():
            raise ArgumentError("out", f"expected another file than the answers, got {out}")
        with progress_bar() as bar:
            task = bar.add_task("answers", total=None)
            grades = grade(path, extra, progress=lambda done, total: bar.update(task, completed=done, total=total))
        write_whole(out, grades.as_csv())
        return _class(grades, out)


def _told(found: Verdict) -> Outcome:
    """A verdict for a person, and as one value."""
    words = [f"{found.words}: {found.answer}"]
    if found.reason:
        words.append(f"  {'why' if found.verdict == 'fails' else 'how far'}: {found.reason}")
    if found.counterexample_words:
        words.append(f"  for example: {found.counterexample_words}")
    if found.suggestion:
        did_you_mean = f"did you mean {found.suggestion}? ({found.slip})"
        holding = f"{'one that holds' if found.verdict == 'fails' else 'exactly'}: {found.suggestion}"
        words.append(f"  {did_you_mean if found.slip else holding}")
    value = asdict(found)
    value.pop("counterexample_words")
    return Outcome(value, words, holds=found.holds)


def _listed(problems: list[Problem] | None) -> Outcome:
    """The problems and their symbols."""
    from attnlab.answers import problems as own

    value, words = {}, []
    for each in problems or own().values():
        table = each.table()
        symbols = {name: symbol.says for name, symbol in each.symbols.items() if symbol.says}
        value[each.name] = {
            "title": each.title,
            "question": each.question,
            "unknowns": [*each.unknowns],
            "predictions": [*each.predictions],
            "symbols": symbols,
            "names": table.names(),
            "example": each.samples[0].answer if each.samples else None,
        }
        words += [f"{each.name}: {each.title}", f"  {each.question}"]
        words += [f"  {name}: {says}" for name, says in symbols.items()]
        words += [f"  names: {', '.join(table.names())}"]
        words += [f'  example: attnlab check {each.name} "{each.samples[0].answer}"'] if each.samples else []
        words += [""]
    return Outcome(value, words[:-1])


def _samples(problem: Problem) -> Outcome:
    """Whether a problem's sample answers get the verdicts that its author expects."""
    from attnlab.answers import check

    if not problem.samples:
        raise ArgumentError("problem", f"{problem.name} has no samples to check; give a formula")
    rows = [(sample, check(problem, sample.answer)) for sample in problem.samples]
    right = [found.verdict == sample.verdict for sample, found in rows]
    words = [
        f"{'as expected' if good else f'expected {sample.verdict}'}: {found.words}: {sample.answer}"
        + (f"\n  {found.reason}" if found.reason and not good else "")
        for good, (sample, found) in zip(right, rows, strict=True)
    ]
    samples = [
        {"answer": sample.answer, "expected": sample.verdict, "verdict": found.verdict, "reason": found.reason}
        for sample, found in rows
    ]
    return Outcome({"problem": problem.name, "samples": samples}, words, holds=all(right))


def _class(grades: Grades, out: Path) -> Outcome:
    """How a class did: a line a problem, and the mistakes that several made."""
    from rich.table import Table

    table = Table("problem")
    verdicts = ("holds", "fails", "unreadable")
    for each in verdicts:
        table.add_column(each, justify="right")
    for problem, counts in grades.counts().items():
        table.add_row(problem, *(str(counts.get(each, 0)) for each in verdicts))
    mistakes = grades.common_mistakes()
    words = [f"{count} × {problem}: {answer}" for problem, answer, count in mistakes]
    heading = ["the commonest wrong answers:"] if words else []
    value = {
        "answers": len(grades.rows),
        "counts": grades.counts(),
        "common_mistakes": [{"problem": p, "answer": a, "count": c} for p, a, c in mistakes],
        "out": str(out),
    }
    return Outcome(value, [table, *heading, *words, f"{len(grades.rows)} answers graded in {out}"])
