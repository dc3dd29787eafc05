"""A tiny run, for the tests of training."""

import numpy as np
import torch

from attnlab.models.kinds import make_model
from attnlab.models.recurrent import RecurrentConfig
from attnlab.models.transformer import TransformerConfig
from attnlab.training.language.feeding import feed
from attnlab.training.loop import Hooks, train
from attnlab.training.processes import ONE_PROCESS
from attnlab.training.settings import Training
from attnlab.training.state import State, make_state

SHAPE = TransformerConfig(layers=1, heads=2, width=16, context=8, dropout=0.1)
RECURRENT = RecurrentConfig(width=16, layers=2, context=8, dropout=0.1)
SIZE = 7
TEXT = np.tile(np.array([0, 1, 2, 3, 4, 5, 6, 5, 4, 3, 2, 1], dtype=np.uint16), 40)


def begun(training: Training, shape: TransformerConfig | RecurrentConfig = SHAPE) -> State:
    """A run at its beginning."""
    return make_state(make_model(shape, SIZE, training.seed), training)


def go(state: State, training: Training, hooks: Hooks | None = None) -> bool:
    """Train to the end."""
    return train(state, training, ONE_PROCESS, feed(TEXT, training, 8, ONE_PROCESS), hooks or Hooks())


def weights(state: State) -> torch.Tensor:
    """All weights in a row."""
    return torch.cat([parameter.detach().flatten() for parameter in state.model.parameters()])
