"""A step as one CUDA graph: a small model's step is hundreds of small kernels, and launching them takes longer than
running them. Captured once, a step is launched as a whole.

A graph replays the same kernels on the same memory. So a batch is copied to where the captured one was, rates are
tensors that are filled in place, and what is drawn at random follows the generator's seed, which torch hands to the
graph at each replay.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import torch
from torch import Tensor

WARM = 3
"""Steps that run as they are before the capture: libraries set themselves up, and optimisers make their memory."""

Step = Callable[[Tensor, Tensor], Tensor]


def fastest(step: Step, device: torch.device, *, capturable: bool) -> Step:
    """The step, captured as a graph where there is a GPU and nothing forbids it."""
    return Captured(step) if capturable and device.type == "cuda" else step


@dataclass
class Captured:
    """A step (inputs, targets) → loss that is captured once it has run a few times, and replayed from then on.

    The steps before the capture are real ones. The step must keep all that it changes in place, and must not wait for
    the GPU.
    """

    step: Step
    calls: int = 0
    graph: torch.cuda.CUDAGraph | None = None
    held: list[Tensor] = field(default_factory=list)
    """Inputs, targets and loss, where the graph reads and writes them."""

    def __call__(self, inputs: Tensor, targets: Tensor) -> Tensor:
        """One step: run, or replayed."""
        self.calls += 1
        self.held = self.held or [inputs.clone(), targets.clone()]
        self.held[0].copy_(inputs)
        self.held[1].copy_(targets)
        if self.calls <= WARM:
            return self._beside()
        graph = self.graph = self.graph or self._capture()
        graph.replay()
        return self.held[2].clone()

    def _beside(self) -> Tensor:
        """Run on a stream of its own, as torch asks for what is to be captured later."""
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            loss = self.step(*self.held)
        torch.cuda.current_stream().wait_stream(stream)
        return loss

    def _capture(self) -> torch.cuda.CUDAGraph:
        """Record the step; nothing is computed yet."""
        graph = torch.cuda.CUDAGraph()
        torch.cuda.synchronize()
        with torch.cuda.graph(graph):
            loss = self.step(*self.held)
        self.held.append(loss)
        return graph
