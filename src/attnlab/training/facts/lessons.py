"""Teaching a Transformer facts: lessons, each a mixture of objectives that the lab's one loop trains on."""

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import field

from attnlab.models.kinds import parameter_count
from attnlab.models.transformer import Transformer
from attnlab.settings import settings
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


@settings
class Lesson:
    """What is learnt together, and how.

    >>> from attnlab.settings import read
    >>> read(Lesson, {"objectives": {"span": 1}}).objectives
    {'span': 1.0}
    """

    objectives: dict[str, float]
    """The share of each objective."""
    training: Training = field(default_factory=Training)

    def __post_init__(self):
        check_shares(self.objectives)

    @property
    def recites(self) -> bool:
        """Whether it teaches to recite a line before the answer."""
        return "recited-answer" in self.objectives


def teach(
    model: Transformer,
    tokens: FactTokens,
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
    draw = mixture(tokens, lesson.objectives)
    rows = feed_rows(tokens.ids, draw, lesson.training, model.config.context, process)
    small = process.device.type == "cpu" and parameter_count(model) < SMALL
    with one_thread() if small else nullcontext():
        return train(state, lesson.training, process, rows, hooks or Hooks())
