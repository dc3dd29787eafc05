"""What a lesson came to: in result.json, and in words."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from attnlab.claims.knowledge_chain import remembered, set_apart
from attnlab.cli.knowledge_course import Course
from attnlab.cli.outcome import Outcome
from attnlab.data.facts.facts import Fact, Facts
from attnlab.evaluation.knowledge.answers import Answer, accuracy, knowable
from attnlab.evaluation.knowledge.asking import Knower
from attnlab.files import write_whole
from attnlab.models.kinds import parameter_count
from attnlab.numbers import percent
from attnlab.report.knowledge_words import told_apart, told_people, within
from attnlab.runs.folder import Run
from attnlab.runs.knowledge import save_kept_out
from attnlab.statistics import Share


def tell_lesson(run: Run, course: Course, facts: Facts, knower: Knower) -> Outcome:
    """What is memorised and, once questions were taught, how often it is right about people who were kept out. By then
    the answers of the others were taught as well, so that to go on with one says nothing of a line."""
    last = run.metrics()[-1]
    value: dict[str, Any] = {
        "run": str(run.path),
        "stage": course.stage,
        "facts": course.source.as_json(),
        "parameters": parameter_count(knower.model),
        "steps": last["step"],
        "seconds": round(last["seconds"], 3),
        "loss": last["loss"],
    }
    steps = f"{value['parameters']:,} parameters, {value['steps']:,} steps in {value['seconds']:.1f} seconds"
    shown = [f"{steps}, loss {value['loss']:.4f} at the end"]
    if course.stage == "pretrain" or course.after:  # else no line was read
        asked, who = (facts.training, "to train on") if course.stage == "pretrain" else (facts.held_out, "kept out")
        memorised = Share(sum(remembered(knower, facts, asked)), len(asked))
        value["memorised"] = memorised.as_json()
        people = f"{in_words(memorised)} of {told_people(*_counted(asked))} {who}"
        shown.append(f"{'memorised still' if course.after else 'memorised':17}  {people}: their own line is completed")
    if course.stage == "finetune":
        answers = knower.answers(set_apart(facts))
        save_kept_out(run, [asdict(each) for each in answers])
        known = knowable(answers)
        right = accuracy(known)
        value["kept_out"] = right.as_json()
        shown.append(f"answered rightly   {in_words(right)} of {told_apart(*_counted(known))}")
        shown.append(f"the run is in {run.path}; ask it: attnlab knowledge ask {run.path} {_example(facts)}")
    else:
        shown.append(f"the run is in {run.path}; next: attnlab knowledge finetune {run.path}")
    write_result(run, value)
    return Outcome(value, shown)


def in_words(share: Share) -> str:
    """A share with its interval.

    >>> in_words(Share(9, 10))
    '90.0 % (95 % interval 59.6 to 98.2)'
    """
    return f"{percent(share.value)} ({within(share.as_json())})"


def write_result(run: Run, value: Mapping[str, Any]) -> None:
    """Say that a run has come to its end, and to what."""
    write_whole(run.path / "result.json", (json.dumps(value, indent=2) + "\n").encode())


def _counted(asked: Sequence[Fact] | Sequence[Answer]) -> tuple[int, int]:
    """How many questions, and about how many people."""
    return len(asked), len({each.name for each in asked})


def _example(facts: Facts) -> str:
    return f'"{facts.held_out[0].question}"'
