"""Lessons: a mixture of objectives, on which the lab's loop trains a Transformer."""

from collections.abc import Callable
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
from attnlab.training.threads import threads_of, using_threads


@settings
class Lesson:
    """Objectives to train on together, and the settings of the training.

    >>> from attnlab.settings import read
    >>> read(Lesson, {"objectives": {"span": 1}}).objectives
    {'span': 1.0}
    """

    objectives: dict[str, float]
    """The share of each objective in a batch."""
    training: Training = field(default_factory=Training)

    def __post_init__(self):
        check_shares(self.objectives)

    @property
    def recites(self) -> bool:
        """Whether the model learns to recite a line before it answers."""
        return "recited-answer" in self.objectives


def teach(
    model: Transformer,
    tokens: FactTokens,
    lesson: Lesson,
    process: Process,
    hooks: Hooks | None = None,
    begin: Callable[[State], None] = lambda state: None,
) -> bool:
    """Train a model on a lesson, from its current weights on. Returns False if somebody stopped it before the end.

    `begin` can load a checkpoint into the state before the first step.
    """
    check_rows(lesson.objectives, lesson.training.batch, process.ranks)
    state = make_state(model, lesson.training)
    begin(state)
    draw = mixture(tokens, lesson.objectives)
    rows = feed_rows(tokens.ids, draw, lesson.training, model.config.context, process)
    with using_threads(threads_of(parameter_count(model), process.device.type)):
        return train(state, lesson.training, process, rows, hooks or Hooks())
