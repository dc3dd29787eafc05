"""A model's answers: asked for with a progress bar, and read from the folder of its run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attnlab.cli.outcome import progress_bar
from attnlab.data.facts import Fact
from attnlab.errors import ArgumentError, FileError
from attnlab.evaluation.knowledge.answers import Answer, knowable
from attnlab.evaluation.knowledge.asking import Knower
from attnlab.runs.knowledge import KEPT_OUT, TaughtRun

AT_ONCE = 64
"""Questions that are asked together."""


def answered(knower: Knower, facts: Sequence[Fact], description: str) -> list[Answer]:
    """The model's answers in the order of the facts; those of like length are asked together, which is faster."""
    order = sorted(range(len(facts)), key=lambda number: len(facts[number].question))
    found: dict[int, Answer] = {}
    with progress_bar() as bar:
        task = bar.add_task(description, total=len(facts))
        for first in range(0, len(order), AT_ONCE):
            some = order[first : first + AT_ONCE]
            found |= zip(some, knower.answers([facts[number] for number in some]), strict=True)
            bar.advance(task, len(some))
    return [found[number] for number in range(len(facts))]


def kept_out(run: TaughtRun) -> list[Answer]:
    """What a model answered about people who were kept out of finetuning, and strangers, from the folder of its run."""
    return [_answer(each, run) for each in run.kept_out()]


def known_apart(answers: Sequence[Answer]) -> str:
    """Whom a temperature is chosen on, in words."""
    return f"{len(knowable(answers)):,} people kept out of finetuning"


def set_apart(answers: Sequence[Answer]) -> str:
    """Whom a threshold is chosen on, in words."""
    strangers = len(answers) - len(knowable(answers))
    return f"{known_apart(answers)} and {strangers:,} strangers" if strangers else known_apart(answers)


def _answer(row: Any, run: TaughtRun) -> Answer:
    try:
        runners_up = tuple((str(text), float(probability)) for text, probability in row["runners_up"])
        name, question, truth, answer = (str(row[name]) for name in ("name", "question", "truth", "answer"))
        return Answer(name, question, truth, answer, float(row["probability"]), runners_up)
    except (KeyError, TypeError, ValueError, ArgumentError) as error:
        raise FileError(run.run.path / KEPT_OUT, f"expected answers with their probabilities: {error}") from error
