"""All that a run of one lesson is asked, in one value; the run's config.json holds it."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from attnlab.data.facts.sources import FactSource, OpenedFacts
from attnlab.errors import ArgumentError
from attnlab.models.kinds import shape_as_json, shape_from_json
from attnlab.models.transformer_config import TransformerConfig
from attnlab.runs.knowledge import TASK, Stage
from attnlab.training.facts.lessons import Lesson
from attnlab.training.language.config import Tokens, tokens_from_json

VERSION = 1
ON_ANSWERS = ("answer", "recited-answer", "reading")
"""Objectives that are drawn from the questions to be trained on; the others need lines only."""
ANSWERING = ("answer", "recited-answer")
"""Those after which questions are answered."""
TYPED = "NAME=SHARE with commas between, such as span=1,recital=0.5"
A_SECOND = 1e11
"""So many operations a CPU does, in the order of magnitude."""
LONG = 300
"""Seconds from which on a person is told before."""


@dataclass(frozen=True)
class Course:
    """One lesson: what is taught, from which facts, to which model."""

    stage: Stage
    source: FactSource
    recipe: str
    tokens: Tokens
    model: TransformerConfig
    lesson: Lesson
    calibration: float = 0.0
    """The share of the people to train on who are kept out of finetuning; 0 while pretraining, which asks nobody."""
    after: str = ""
    """The run whose weights it begins with; empty where they are random."""

    def __post_init__(self):
        named = self.lesson.objectives
        wrong = [name for name in named if name in ON_ANSWERS]
        if self.stage == "pretrain" and wrong:
            raise ArgumentError("objectives", f"expected none that needs answers, which finetuning has, got {wrong[0]}")
        if self.stage == "finetune" and not set(named) & set(ANSWERING):
            raise ArgumentError("objectives", f"expected {' or '.join(ANSWERING)} among them, got {', '.join(named)}")

    def as_json(self) -> dict[str, Any]:
        """The course as JSON, with what every run says of itself."""
        return {
            "version": VERSION,
            "task": TASK,
            "stage": self.stage,
            "text": self.source.name,
            "facts": self.source.as_json(),
            "recipe": self.recipe,
            "tokens": {"kind": self.tokens.kind, **dataclasses.asdict(self.tokens.options)},
            "model": shape_as_json(self.model),
            "lesson": self.lesson.as_json(),
            "calibration": self.calibration,
            "after": self.after,
        }

    @staticmethod
    def from_json(value: Mapping[str, Any]) -> Course:
        """The course that `as_json` wrote."""
        for name, kind in (("facts", dict), ("tokens", dict), ("model", dict), ("lesson", dict), ("recipe", str)):
            if not isinstance(value.get(name), kind):
                raise ArgumentError(name, "expected it in the configuration of a run")
        stage, share = value.get("stage"), value.get("calibration")
        shape = shape_from_json(value["model"])
        if stage not in ("pretrain", "finetune") or not isinstance(share, int | float):
            raise ArgumentError("stage", f"expected pretrain or finetune and a calibration, got {stage!r}, {share!r}")
        if not isinstance(shape, TransformerConfig):
            raise ArgumentError("model", f"expected a transformer, got {value['model'].get('kind')!r}")
        return Course(
            stage,
            FactSource.from_json(value["facts"]),
            value["recipe"],
            tokens_from_json(value["tokens"]),
            shape,
            Lesson.from_json(value["lesson"]),
            float(share),
            str(value.get("after", "")),
        )


def read_objectives(text: str) -> dict[str, float]:
    """Objectives with their shares as they are typed.

    >>> read_objectives("span=1, recital=0.5"), read_objectives("answer")
    ({'span': 1.0, 'recital': 0.5}, {'answer': 1.0})
    """
    found: dict[str, float] = {}
    for item in text.split(","):
        name, equals, share = (part.strip() for part in item.partition("="))
        if not name:
            raise ArgumentError("objectives", f"expected {TYPED}; got {text!r}")
        if name in found:
            raise ArgumentError("objectives", f"expected each objective once, got {name} twice")
        try:
            found[name] = float(share) if equals else 1.0
        except ValueError:
            raise ArgumentError("objectives", f"expected {TYPED}; got {item.strip()!r}") from None
    return found


def run_config(course: Course, told: OpenedFacts, longest_question: int) -> dict[str, Any]:
    """What config.json says: the course, the hash of its facts, the shapes of the questions that are taught, and how
    many tokens one may have."""
    config = course.as_json()
    cut = [fact.question.partition(fact.name) for fact in told.facts.training if fact.name in fact.question]
    # A name alone has no shape: any question would be of it.
    shapes = [list(shape) for shape in dict.fromkeys((before, after) for before, _, after in cut) if any(shape)]
    hashed = config["facts"] | {"sha256": told.sha256}
    return config | {"facts": hashed, "shapes": shapes, "longest_question": longest_question}


def cost(lesson: Lesson, context: int, parameters: int) -> float:
    """About how many operations a lesson takes."""
    return 6.0 * parameters * lesson.training.steps * lesson.training.batch * context


def say_before(operations: float, device: str) -> None:
    """Tell a person before training that will take long on a CPU."""
    seconds = operations / A_SECOND
    if device == "cpu" and seconds > LONG:
        order = f"{seconds / 3600:.0f} hours" if seconds > 5400 else f"{seconds / 60:.0f} minutes"
        print(f"attnlab: this takes long on a CPU, in the order of {order}; it is meant for a GPU", file=sys.stderr)
