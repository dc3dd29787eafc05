"""A captured step, as far as it can be tested without a GPU: torch's graph is replaced by one that records calls."""

import contextlib
from collections.abc import Callable

import pytest
import torch

from attnlab.training import graphs
from attnlab.training.graphs import WARM, Captured, fastest


class FakeGraph:
    """Replays what ran while it was recording, on the same tensors."""

    def __init__(self):
        self.recorded: Callable[[], object] = lambda: None

    def replay(self):
        self.recorded()


@pytest.fixture
def _graphs(monkeypatch):
    @contextlib.contextmanager
    def nothing(*_):
        yield

    class Stream:
        def wait_stream(self, other):
            pass

    for name, fake in {"CUDAGraph": FakeGraph, "graph": nothing, "stream": nothing, "Stream": Stream}.items():
        monkeypatch.setattr(torch.cuda, name, fake)
    monkeypatch.setattr(torch.cuda, "current_stream", Stream)
    monkeypatch.setattr(torch.cuda, "synchronize", lambda: None)


@pytest.mark.usefixtures("_graphs", "as_installed")
def test_a_replay_sees_the_new_batch_and_hands_out_a_loss_of_its_own():
    loss = torch.zeros(())
    seen = []

    def step(inputs, targets):
        seen.append((inputs, targets))
        return loss.copy_((inputs + 10 * targets).sum()) if len(seen) > WARM else (inputs + 10 * targets).sum()

    captured = Captured(step)
    found = [captured(torch.tensor([n]), torch.tensor([n + 1])) for n in range(WARM)]
    assert [int(each) for each in found] == [10, 21, 32]
    captured(torch.tensor([5]), torch.tensor([5]))
    assert len(seen) == WARM + 1
    assert isinstance(captured.graph, FakeGraph)
    captured.graph.recorded = lambda: step(*captured.held[:2])
    first = captured(torch.tensor([7]), torch.tensor([1]))
    second = captured(torch.tensor([8]), torch.tensor([1]))
    assert (int(first), int(second)) == (17, 18)
    assert seen[-1][0] is captured.held[0]


@pytest.mark.usefixtures("_graphs", "as_installed")
def test_all_steps_see_a_batch_in_the_same_memory_however_it_is_laid_out():
    seen = []

    def step(inputs, targets):
        seen.append((inputs.data_ptr(), inputs.stride(), targets.data_ptr(), targets.stride(), int(inputs[1, 0])))
        return inputs.sum()

    captured = Captured(step)
    for n in range(WARM + 1):  # slices, as batches are: rows of theirs do not follow on one another
        rows = torch.arange(10).view(2, 5) + n
        captured(rows[:, :-1], rows[:, 1:])
    assert len({each[:-1] for each in seen}) == 1
    assert [each[-1] for each in seen] == [5, 6, 7, 8]


def test_a_cpu_runs_the_step_as_it_is():
    def step(inputs, targets):
        return inputs

    assert fastest(step, torch.device("cpu"), capturable=True) is step
    assert fastest(step, torch.device("cuda"), capturable=False) is step
    assert isinstance(fastest(step, torch.device("cuda"), capturable=True), graphs.Captured)
