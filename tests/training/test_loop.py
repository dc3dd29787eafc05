"""The loop: it learns, it resumes bit for bit, and it stops when it must, with nothing lost."""

import math
import os
import signal
from dataclasses import replace

import pytest
import torch
from tests.training.small import RECURRENT, SHAPE, begun, go, weights

from attnlab.errors import ArgumentError, DivergedError
from attnlab.training.loop import Hooks, LossReading
from attnlab.training.settings import Training

TRAINING = Training(steps=24, batch=4, validate_every=7, muon_rate=0.01, rate=0.01)
CASES = {
    "muon": (TRAINING, SHAPE),
    "adamw": (replace(TRAINING, optimiser="adamw"), SHAPE),
    "averaged": (replace(TRAINING, averaging=0.05), SHAPE),
    "bfloat16": (replace(TRAINING, precision="bfloat16"), SHAPE),
    "recurrent": (TRAINING, RECURRENT),
}


@pytest.mark.parametrize("name", CASES)
def test_a_resumed_run_equals_an_unbroken_one_bit_for_bit(name):
    training, shape = CASES[name]
    kept = {}

    def keep(state):
        kept[state.step] = {key: tensor.clone() for key, tensor in state.tensors().items()}

    unbroken = begun(training, shape)
    assert go(unbroken, training, Hooks(save=keep))
    assert list(kept) == [7, 14, 21, 24]
    resumed = begun(replace(training, seed=9), shape)  # other weights, which the checkpoint replaces
    resumed.load(kept[14], 14, 1.0)
    torch.manual_seed(123)  # whatever happened in between
    assert go(resumed, training)
    assert torch.equal(weights(resumed), weights(unbroken))
    again = resumed.tensors()
    assert all(torch.equal(tensor, again[key]) for key, tensor in kept[24].items())


def test_checkpoints_to_keep_are_saved_between_two_validations():
    saved, validated = [], []

    def validate(state):
        validated.append(state.step)
        return 1.0

    training = replace(TRAINING, keep_every=5)
    unbroken = begun(training)
    go(unbroken, training, Hooks(validate=validate, save=lambda state: saved.append(state.step)))
    assert (saved, validated) == ([5, 7, 10, 14, 15, 20, 21, 24], [7, 14, 21, 24])
    plain = begun(TRAINING)
    go(plain, TRAINING)
    assert torch.equal(weights(plain), weights(unbroken))


def test_the_loss_falls_and_what_is_looked_at_adds_up():
    looks: list[LossReading] = []
    training = replace(TRAINING, steps=120, validate_every=50)
    go(begun(training), training, Hooks(looked=looks.append))
    assert [look.step for look in looks] == [*range(10, 121, 10)]
    assert looks[0].loss > 1.5
    assert looks[-1].loss < 0.8
    assert looks[-1].progress == 1
    assert looks[-1].rate == 0
    assert all(look.tokens_per_second > 0 for look in looks)


def test_torchs_own_seed_is_left_alone():
    torch.manual_seed(0)
    expected = torch.rand(1)
    torch.manual_seed(0)
    go(begun(TRAINING), TRAINING)
    assert torch.equal(torch.rand(1), expected)


def test_minutes_end_a_run_with_its_schedule():
    looks: list[LossReading] = []
    training = replace(TRAINING, steps=0, minutes=0.01)
    assert go(begun(training), training, Hooks(looked=looks.append))
    assert 0.6 <= looks[-1].seconds < 5
    assert looks[-1].rate == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_saves_between_two_steps(number):
    saved = []

    def looked(look):
        if look.step == 10:
            os.kill(os.getpid(), number)

    before = signal.getsignal(number)
    training = replace(TRAINING, validate_every=100)
    state = begun(training)
    assert not go(state, training, Hooks(looked=looked, save=lambda state: saved.append(state.step)))
    assert saved == [state.step]
    assert state.step in (10, 11)
    assert signal.getsignal(number) is before


def test_a_second_interrupt_does_not_wait():
    def looked(look):
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        go(begun(TRAINING), TRAINING, Hooks(looked=looked))


def test_a_loss_that_is_no_number_stops_the_run_at_its_step_and_is_not_saved():
    saved = []

    def looked(look):
        if look.step == 10:
            state.model.readout.weight.data.fill_(math.nan)

    training = replace(TRAINING, validate_every=12)
    state = begun(training)
    with pytest.raises(DivergedError, match=r"^training diverged at step 11: the loss is nan$"):
        go(state, training, Hooks(looked=looked, save=lambda state: saved.append(state.step)))
    assert saved == []


def test_a_loss_that_grows_stops_the_run():
    training = replace(TRAINING, steps=200, rate=10, muon_rate=10, clip=0, warmup=0.5)
    with pytest.raises(DivergedError, match=r"^training diverged at step \d+: the loss "):
        go(begun(training), training)


def test_a_held_out_text_that_costs_no_number_stops_the_run():
    saved = []
    hooks = Hooks(validate=lambda state: math.nan, save=saved.append)
    with pytest.raises(DivergedError, match=r"^training diverged at step 7: the validation loss is nan$"):
        go(begun(TRAINING), TRAINING, hooks)
    assert saved == []


def test_average_weights_are_judged_and_training_goes_on_with_the_latest():
    training = replace(TRAINING, averaging=0.5)
    state = begun(training)
    go(state, training)
    latest = weights(state)
    with state.averaged():
        assert not torch.equal(weights(state), latest)
        assert torch.equal(weights(state), torch.cat([each.flatten() for each in state.average.values()]))
    assert torch.equal(weights(state), latest)


def test_without_an_average_the_latest_weights_are_judged():
    state = begun(TRAINING)
    latest = weights(state)
    with state.averaged():
        assert torch.equal(weights(state), latest)


def test_a_checkpoint_of_another_model_is_refused():
    wider = begun(TRAINING, replace(SHAPE, width=32))
    with pytest.raises(
        ArgumentError, match=r"^checkpoint: expected a tensor model.embedding.weight of shape \(7, 16\); "
    ):
        begun(TRAINING).load(wider.tensors(), 1, 0.0)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"steps": 0}, "steps: expected at least 1 step, or a limit of minutes; got 0 and no limit"),
        ({"batch": 0}, "batch: expected a whole number from 1 to 1,000,000,000, got 0; try 1"),
        ({"rate": 0.0}, "rate: expected a number from 1e-09 to 10, got 0.0"),
        ({"rate": math.nan}, "rate: expected a finite number from 1e-09 to 10, got nan"),
        ({"minutes": -1.0}, "minutes: expected a number from 0 to 1,000,000, got -1.0; try 0"),
        ({"warmup": 2.0}, "warmup: expected a number from 0 to 1, got 2.0; try 1"),
    ],
)
def test_bad_settings(values, message):
    with pytest.raises(ArgumentError) as refused:
        Training(**values)
    assert str(refused.value) == message
