"""A model's answers: asked for with a progress bar, and read from the folder of its run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from attnlab.cli.outcome import progress_bar
from attnlab.data.facts.facts import Fact
from attnlab.errors import ArgumentError, FileError
from attnlab.evaluation.knowledge.answers import Answer, knowable
from attnlab.evaluation.knowledge.asking import Knower
from attnlab.runs.knowledge import KEPT_OUT, TaughtRun
from attnlab.training.facts.lessons import Lesson
from attnlab.training.facts.recipes import recites

AT_ONCE = 64
"""Questions that are asked together."""


def knower_of(run: TaughtRun, device: str | torch.device = "cpu") -> Knower:
    """The model of a run as it is to be asked."""
    try:
        lesson = Lesson.from_json(run.config["lesson"])
    except ArgumentError as error:
        raise FileError(run.run.path / "config.json", f"expected the settings of a knowledge run: {error}") from error
    return Knower(run.model.to(device), run.tokenizer, recites(lesson), run.longest_question)


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
    found = [_answer(each, run) for each in run.kept_out()]
    if not knowable(found):
        raise FileError(run.run.path / KEPT_OUT, "expected answers about people in it, found strangers alone")
    return found


def without_strangers(unseen: Sequence[Fact], asked: Sequence[Fact]) -> list[str]:
    """Why nobody was asked about whom no line tells of, if so: of all such people there are and those asked about."""
    if asked:
        return []
    if unseen:
        return ["the threshold was chosen on every stranger that there is, so how much is made up is not measured"]
    why = "every given name with every last name is somebody's"
    return [f"{why}: the threshold was chosen without strangers, and how much is made up is not measured"]


def _answer(row: Any, run: TaughtRun) -> Answer:
    try:
        runners_up = tuple((str(text), float(probability)) for text, probability in row["runners_up"])
        name, question, truth, answer = (str(row[name]) for name in ("name", "question", "truth", "answer"))
        return Answer(name, question, truth, answer, float(row["probability"]), runners_up)
    except (KeyError, TypeError, ValueError, ArgumentError) as error:
        raise FileError(run.run.path / KEPT_OUT, f"expected answers with their probabilities: {error}") from error
