"""Teaching a Transformer facts: lessons, each a mixture of objectives trained on by the lab's one loop."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from attnlab.data.material import Material
from attnlab.data.objectives import check_shares, mixture
from attnlab.models.transformer import Transformer
from attnlab.training.feeding import feed_rows
from attnlab.training.loop import Hooks, train
from attnlab.training.processes import Process
from attnlab.training.settings import Training
from attnlab.training.state import State, make_state


@dataclass(frozen=True)
class Lesson:
    """What is learnt together, and how."""

    objectives: Mapping[str, float]
    """The share of each objective."""
    training: Training = field(default_factory=Training)

    def __post_init__(self):
        check_shares(self.objectives)


def teach(
    model: Transformer, material: Material, lesson: Lesson, process: Process, hooks: Hooks | None = None
) -> State:
    """Train a model on a lesson, from the weights that it has."""
    state = make_state(model, lesson.training)
    rows = feed_rows(material.ids, mixture(material, lesson.objectives), lesson.training, model.config.context, process)
    train(state, lesson.training, process, rows, hooks or Hooks())
    return state
