"""Teaching a Transformer facts: lessons, each a mixture of objectives that the lab's one loop trains on."""

import dataclasses
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any

from attnlab.errors import ArgumentError
from attnlab.models.kinds import parameter_count
from attnlab.models.settings import read_settings
from attnlab.models.transformer import Transformer
from attnlab.training.facts.fact_tokens import FactTokens
from attnlab.training.facts.feeding import feed_rows
from attnlab.training.facts.objectives import check_rows, check_shares, mixture
from attnlab.training.loop import Hooks, train
from attnlab.training.processes import Process
from attnlab.training.settings import Training
from attnlab.training.state import State, make_state
from attnlab.training.threads import one_thread

SMALL = 500_000
"""Models of fewer parameters learn on one thread of a CPU: no slower, and the same whatever the machine has."""


@dataclass(frozen=True)
class Lesson:
    """What is learnt together, and how.

    >>> lesson = Lesson({"span": 1.0}, Training(steps=100))
    >>> Lesson.from_json(lesson.as_json()) == lesson
    True
    """

    objectives: Mapping[str, float]
    """The share of each objective."""
    training: Training = field(default_factory=Training)

    def __post_init__(self):
        check_shares(self.objectives)

    def as_json(self) -> dict[str, Any]:
        """The lesson as JSON."""
        return {"objectives": dict(self.objectives), "training": dataclasses.asdict(self.training)}

    @staticmethod
    def from_json(value: Mapping[str, Any]) -> "Lesson":
        """The lesson that `as_json` wrote."""
        shares, training = value.get("objectives"), value.get("training")
        if not isinstance(shares, dict) or not isinstance(training, dict):
            raise ArgumentError("lesson", "expected objectives with their shares, and training")
        if not all(isinstance(share, int | float) for share in shares.values()):
            raise ArgumentError("lesson", f"expected numbers as the shares of objectives, got {shares}")
        return Lesson(shares, read_settings(Training, training, "training"))


def teach(
    model: Transformer,
    material: FactTokens,
    lesson: Lesson,
    process: Process,
    hooks: Hooks | None = None,
    begin: Callable[[State], None] = lambda state: None,
) -> bool:
    """Train a model on a lesson from the weights that it has; returns whether it came to the end. `begin` may bring the
    state to where an earlier try was stopped."""
    check_rows(lesson.objectives, lesson.training.batch, process.ranks)
    state = make_state(model, lesson.training)
    begin(state)
    draw = mixture(material, lesson.objectives)
    rows = feed_rows(material.ids, draw, lesson.training, model.config.context, process)
    small = process.device.type == "cpu" and parameter_count(model) < SMALL
    with one_thread() if small else nullcontext():
        return train(state, lesson.training, process, rows, hooks or Hooks())
