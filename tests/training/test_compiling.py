"""A compiled loss: the same as the formula's, and refused where it is not.

Tests import torch's compiler only if they need it: every process of a test run imports this file, and the compiler
takes seconds.
"""

from dataclasses import replace

import pytest
import torch
from tests.training.small import SHAPE, begun, go, weights
from torch import nn
from torch.nn import functional

from attnlab.errors import ArgumentError
from attnlab.training.compiling import CheckedLoss, furthest
from attnlab.training.graphs import Captured
from attnlab.training.processes import Process
from attnlab.training.settings import Training
from attnlab.training.step import make_step

TRAINING = Training(steps=5, batch=4, rate=0.01, muon_rate=0.01)
INPUTS, TARGETS = torch.tensor([[0, 1, 2]]), torch.tensor([[1, 2, 3]])


@pytest.mark.usefixtures("as_installed")
@pytest.mark.filterwarnings("ignore:.*torch.jit.*:DeprecationWarning")
def test_a_compiled_run_is_the_plain_one_up_to_rounding():
    """In float32, where rounding is small. In any precision, the first batch of a run compares the gradients."""
    from torch._inductor.cpp_builder import get_cpp_compiler
    from torch._inductor.exc import InvalidCxxCompiler

    training = replace(TRAINING, precision="float32")
    plain, compiled = begun(training, SHAPE), begun(training, SHAPE)
    began = weights(plain)
    go(plain, training)
    try:
        get_cpp_compiler()
    except InvalidCxxCompiler:
        with pytest.raises(ArgumentError, match=r"^compile: torch cannot compile the model on .* \(.*C\+\+ compiler"):
            go(compiled, replace(training, compile=True))
        return
    go(compiled, replace(training, compile=True))
    way = (weights(plain) - began).norm()
    assert (weights(compiled) - weights(plain)).norm() < 1e-3 * way


def _checked(made, size=5):
    """A compiled loss of a model that drops half of what it sees, and a function that counts the calls of `made`."""
    torch.manual_seed(0)
    model = nn.Sequential(nn.Embedding(size, 8), nn.Dropout(0.5), nn.Linear(8, size))
    calls = []

    def loss(inputs, targets):
        return functional.cross_entropy(model(inputs).flatten(0, 1), targets.flatten())

    def counted(inputs, targets):
        calls.append(1)
        return made(loss(inputs, targets))

    return CheckedLoss(loss, counted, model), lambda: len(calls)


def test_the_first_batch_goes_both_ways_with_the_same_dropout_and_leaves_nothing_behind():
    checked, calls = _checked(lambda loss: loss)
    state = torch.get_rng_state()
    losses = []
    for _ in range(2):
        torch.set_rng_state(state)
        losses.append(checked(INPUTS, TARGETS))
        assert all(p.grad is None for p in checked.model.parameters())
    assert torch.equal(losses[0], losses[1])
    assert calls() == 3


@pytest.mark.parametrize(
    ("made", "off"),
    [
        (lambda loss: 2 * loss, "0."),
        (lambda loss: -loss, "1."),
        (lambda loss: loss * float("nan"), "nan"),
    ],
)
def test_a_wrong_gradient_is_refused(made, off):
    checked, _ = _checked(made)
    with pytest.raises(ArgumentError) as caught:
        checked(INPUTS, TARGETS)
    start = f"compile: torch {torch.__version__} compiles the model wrongly: the error of the gradient of "
    assert str(caught.value).startswith(start)
    assert f" is {off}" in str(caught.value)
    assert str(caught.value).endswith(" times its size; train without compiling")
    assert not checked.trusted


def test_what_torch_cannot_compile_is_one_line():
    from torch._dynamo.exc import TorchDynamoException

    def fail(loss):
        raise TorchDynamoException("no such thing\nand a long story")

    checked, _ = _checked(fail)
    with pytest.raises(ArgumentError) as caught:
        checked(INPUTS, TARGETS)
    assert str(caught.value) == (
        "compile: torch cannot compile the model on this machine (no such thing); train without compiling"
    )


def test_a_parameter_is_judged_by_its_own_gradient_unless_that_is_rounding_alone():
    large, small, none = torch.full((4,), 1000.0), torch.ones(4), torch.zeros(4)
    wanted, wrong = {"a": large, "b": small}, {"a": large, "b": small + 1}
    assert furthest(wanted, wrong) == ("b", pytest.approx(1, rel=0.01))
    assert furthest(wanted, wrong, {"a": large, "b": small * 0.99})[1] > 0.5
    assert furthest(wanted, wrong, {"a": large, "b": -small})[1] < 0.1  # other roundings change it as much
    tiny = {"a": large, "b": small * 1e-6}
    assert furthest(tiny, {"a": large, "b": -small * 1e-6})[1] < 0.1  # the rounding of float32
    assert furthest({"a": large, "b": 100 * small}, {"a": large, "b": 150 * small})[1] > 0.4
    assert furthest({"a": none}, {"a": none}) == ("a", 0.0)  # a text of one token alone
    assert furthest({"a": none}, {"a": small})[1] > 1
    assert furthest({"a": large, "b": large}, {"a": large})[0] == "b"  # it was left without a gradient
    assert furthest({"a": large, "b": small}, {"a": large, "b": small * float("nan")})[0] == "b"


@pytest.mark.parametrize("compile", [False, True])
def test_on_a_gpu_a_step_is_captured_compiled_or_not(compile):
    gpu, training = Process(0, 1, torch.device("cuda")), replace(TRAINING, compile=compile)
    assert isinstance(make_step(begun(training), training, gpu), Captured)
