"""How checked answers are shown: a verdict, the grades of a class, problems and their samples."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attnlab.calls import Call
from attnlab.report.blocks import Block, Drawing, Presentation, borderless
from attnlab.report.writing.lines import on_one_line

if TYPE_CHECKING:
    from attnlab.answers import CheckedSample, CheckedSamples, Grades, Problem, Problems, Verdict

GRADES = ("holds", "in the limit", "holds if", "fails", "undecided", "unreadable")
SELDOM = ("in the limit", "holds if", "undecided")
"""Columns that are shown only if an answer got that verdict."""


def verdict(found: Verdict) -> Presentation:
    """The verdict, the reason, an example on which a wrong answer fails, and a correction."""
    lines = [f"{found.words}: {found.answer}"]
    if found.reason:
        lines.append(f"  {'how far' if found.holds else 'why'}: {found.reason}")
    if found.counterexample_words:
        lines.append(f"  for example: {found.counterexample_words}")
    if found.slip:
        lines.append(f"  did you mean {found.suggestion}? ({found.slip})")
    elif found.suggestion:
        lines.append(f"  {'exactly' if found.holds else 'a correct answer'}: {found.suggestion}")
    row = {name: value for name, value in found.to_dict().items() if name != "counterexample"}
    return Presentation(lines, rows=[row])


def grades(found: Grades) -> Presentation:
    """How many answers to each problem got each verdict, and the wrong answers that several students gave."""
    counts = found.counts()
    given = {name for each in counts.values() for name in each}
    columns = [name for name in GRADES if name in given or name not in SELDOM]
    rows = [(problem, *(each.get(name, 0) for name in columns)) for problem, each in counts.items()]
    mistakes = [on_one_line(f"{count} × {problem}: {answer}") for problem, answer, count in found.common_mistakes()]
    where = f" in {found.out}" if found.out else ""
    answers = "1 answer" if len(found.rows) == 1 else f"{len(found.rows):,} answers"
    blocks: list[Block] = [
        borderless(("problem", *columns), rows),
        *(["the most common wrong answers:", *mistakes] if mistakes else []),
        *map(on_one_line, found.warnings),
        f"{answers} graded{where}",
    ]
    told = ("student", "problem", "answer", "verdict", "reason", "suggestion")
    return Presentation(
        blocks,
        (lambda: _grades_chart(found)) if rows else None,
        rows=[{name: getattr(each, name) for name in told} for each in found.rows],
    )


def problems(found: Problems) -> Presentation:
    """The problems, each with its question, its symbols and an example to type."""
    blocks = [line for each in found.problems for line in (*_problem(each), "")][:-1]
    rows = [{"problem": each.name, "title": each.title, "question": each.question} for each in found.problems]
    return Presentation(blocks, rows=rows)


def checked_samples(found: CheckedSamples) -> Presentation:
    """A line for each sample: whether its verdict is the expected one."""
    lines = [line for each in found.samples for line in _sample(each)]
    return Presentation(lines, rows=found.to_dict()["samples"])


def _problem(problem: Problem) -> list[str]:
    symbols = [f"  {name}: {symbol.says}" for name, symbol in problem.symbols.items() if symbol.says]
    lines = [f"{problem.name}: {problem.title}", f"  {problem.question}", *symbols]
    lines.append(f"  names: {', '.join(problem.table().names())}")
    if problem.samples:
        typed = " ".join(Call("check", (problem.argument,)).words)
        lines.append(f'  example: attnlab {typed} "{problem.samples[0].answer}"')
    return [*map(on_one_line, lines)]


def _sample(each: CheckedSample) -> list[str]:
    expected = "as expected" if each.as_expected else f"expected {each.sample.verdict}"
    reason = [f"  {each.found.reason}"] if each.found.reason and not each.as_expected else []
    return [on_one_line(f"{expected}: {each.found.words}: {each.sample.answer}"), *reason]


def _grades_chart(found: Grades) -> Drawing:
    from attnlab.report.charts.figures import draw_counts

    counts = found.counts()
    told = "; ".join(
        f"{problem}: {', '.join(f'{each[name]} {name}' for name in GRADES if name in each)}"
        for problem, each in counts.items()
    )
    chart = draw_counts(counts, GRADES, "answers")
    return Drawing(chart, "How the class answered", f"How many answers have each verdict. {told}.")
