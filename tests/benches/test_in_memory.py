"""A model that is trained in memory is the model of a run with the same settings."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from attnlab.benches.language import train
from attnlab.benches.language.configuring import configure
from attnlab.benches.language.in_memory import count, learn
from attnlab.benches.language.texts import prepare
from attnlab.models.bigram import BigramConfig
from attnlab.models.kinds import weights_of
from attnlab.models.ngrams.ngram import NGramConfig
from attnlab.models.transformer_config import TransformerConfig
from attnlab.runs.folder import Run
from attnlab.runs.loading import load_model
from attnlab.training.language.config import Config
from attnlab.training.language.counting import CountTraining
from attnlab.training.loop import Hooks
from attnlab.training.processes import Process
from attnlab.training.settings import Training
from attnlab.training.state import State

pytestmark = pytest.mark.usefixtures("as_installed", "in_a_folder")
CPU = Process(0, 1, torch.device("cpu"))


def weights(config: Config) -> dict[str, torch.Tensor]:
    """The weights of the last checkpoint of a run."""
    run = Run(Path(train(config, "run").path))
    last = run.last()
    assert last is not None
    return weights_of(load_model(run, last, prepare(config).tokenizer.size))


@pytest.mark.parametrize(
    ("model", "training"), [(NGramConfig(order=2), None), (BigramConfig(dim=4, hidden=4), CountTraining(steps=3))]
)
def test_counts_in_memory_are_those_of_a_run(model, training):
    config = configure("text.txt", model=model, training={"steps": 3} if training else {})
    ready = prepare(config)
    found = count(model, ready.tokenizer, ready.tokenizer.encode(ready.text.train).ids, training)
    saved = weights(config)
    assert all(torch.equal(tensor, saved[name]) for name, tensor in weights_of(found.model).items())
    assert len(found.losses) == (3 if training else 0)
    assert found.subject("mine").unknown == 0


def test_steps_in_memory_are_those_of_a_run():
    model = TransformerConfig(layers=1, heads=2, width=16, context=16)
    config = configure("text.txt", model=model, training={"steps": 3, "batch": 4, "precision": "float32"})
    assert isinstance(config.training, Training)
    ready, seen = prepare(config), list[int]()

    def begin(state: State) -> Hooks:
        seen.append(state.step)
        return Hooks(save=lambda state: seen.append(state.step))

    ids = ready.tokenizer.encode(ready.text.train).ids
    state = learn(model, ready.tokenizer, ids, replace(config.training), CPU, begin=begin)
    saved = weights(config)
    with state.averaged() as network:
        assert all(torch.equal(tensor, saved[name]) for name, tensor in weights_of(network).items())
    assert seen == [0, 3]
