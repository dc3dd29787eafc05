"""A step as one CUDA graph. A small model's step is hundreds of small kernels, and launching them takes longer than
running them. A graph is captured once, and then launched as a whole.

A graph replays the same kernels on the same memory. So each batch is copied into the memory of the captured one, and
learning rates are tensors that are changed in place. Random numbers follow torch's seed, which torch passes to the
graph at each replay.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import torch
from torch import Tensor

WARM = 3
"""Ordinary steps before the capture, in which libraries start and optimisers make their state."""

Step = Callable[[Tensor, Tensor], Tensor]


def fastest(step: Step, device: torch.device, *, capturable: bool) -> Step:
    """The step; on a GPU as a CUDA graph, if it is capturable."""
    return Captured(step) if capturable and device.type == "cuda" else step


@dataclass
class Captured:
    """A step (inputs, targets) → loss: it runs a few times, is then captured, and is replayed from then on.

    The steps before the capture update the weights, too. The step must change its tensors in place, and must not wait
    for the GPU.
    """

    step: Step
    calls: int = 0
    graph: torch.cuda.CUDAGraph | None = None
    held: list[Tensor] = field(default_factory=list)
    """The inputs, targets and loss that the graph reads and writes."""

    def __call__(self, inputs: Tensor, targets: Tensor) -> Tensor:
        """Run or replay one step."""
        self.calls += 1
        self.held = self.held or [inputs.clone(), targets.clone()]
        self.held[0].copy_(inputs)
        self.held[1].copy_(targets)
        if self.calls <= WARM:
            return self._run_on_own_stream()
        graph = self.graph = self.graph or self._capture()
        graph.replay()
        return self.held[2].clone()

    def _run_on_own_stream(self) -> Tensor:
        """Run a step on a stream of its own, as torch requires before a capture."""
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            loss = self.step(*self.held)
        torch.cuda.current_stream().wait_stream(stream)
        return loss

    def _capture(self) -> torch.cuda.CUDAGraph:
        """Record the step without running it."""
        graph = torch.cuda.CUDAGraph()
        torch.cuda.synchronize()
        with torch.cuda.graph(graph):
            loss = self.step(*self.held)
        self.held.append(loss)
        return graph
