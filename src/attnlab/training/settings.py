"""What is asked of training. One definition serves the command line and the run's config.json."""

from dataclasses import dataclass
from typing import Literal

from attnlab.errors import ArgumentError

RANGES = (
    (("batch", "validate_every"), 1, 1e9),
    (("steps", "sample_every", "clip"), 0, 1e12),
    (("seed",), 0, 2**31),
    (("rate", "muon_rate"), 1e-9, 10),
    (("warmup", "decay", "averaging"), 0, 1),
    (("weight_decay",), 0, 100),
    (("minutes",), 0, 1e6),
)
"""What each setting may be."""


@dataclass(frozen=True)
class Training:
    """How a model is trained. The schedule is one of progress: it rises over the first share of the steps (or of the
    minutes, where those end first), stays, and falls to 0 over the last share."""

    steps: int = 2000
    """How many steps; 0: until the minutes are over."""
    minutes: float = 0.0
    """Stop after so many minutes, the schedule scaled to end there; 0: no limit."""
    batch: int = 32
    """Sequences a step, over all processes together."""
    optimiser: Literal["muon", "adamw"] = "muon"
    """Muon moves the matrices inside the model, and AdamW the rest; or AdamW moves all."""
    rate: float = 0.003
    """The learning rate of AdamW."""
    muon_rate: float = 0.02
    """The learning rate of Muon."""
    warmup: float = 0.02
    """The share of the training over which rates rise."""
    decay: float = 0.6
    """The share of the training over which rates fall to 0."""
    weight_decay: float = 0.1
    """How fast matrices decay, times the rate."""
    clip: float = 1.0
    """The gradient's norm is cut to this; 0 leaves it."""
    averaging: float = 0.0
    """The share of each step that enters the moving average of weights, which is then what is validated; 0: none."""
    seed: int = 0
    """The seed of the weights, the batches and dropout."""
    validate_every: int = 250
    """Steps between two passes over the held-out text, each followed by a checkpoint."""
    sample_every: int = 0
    """Steps between two samples; 0: none."""
    device: Literal["auto", "cpu", "cuda"] = "auto"
    precision: Literal["float32", "bfloat16"] = "float32"
    compile: bool = False
    """Compile the model (torch.compile) and check its first gradient: slower to start, faster after."""

    def __post_init__(self):
        for names, low, high in RANGES:
            for name in names:
                if not low <= getattr(self, name) <= high:
                    raise ArgumentError(name, f"expected from {low:g} to {high:g}, got {getattr(self, name)}")
        if not self.steps and not self.minutes:
            raise ArgumentError("steps", "expected at least 1, or a limit of minutes")

    def share_of_rate(self, progress: float) -> float:
        """How much of the full rate is used when a share `progress` of the training is done.

        >>> [Training(warmup=0.1, decay=0.5).share_of_rate(p) for p in (0.05, 0.3, 0.75, 1.0)]
        [0.5, 1.0, 0.5, 0.0]
        """
        rising = progress / self.warmup if self.warmup else 1.0
        falling = (1 - progress) / self.decay if self.decay else 1.0
        return max(0.0, min(1.0, rising, falling))

    def share_of_average(self, step: int) -> float:
        """The share of the weights after a step that enters their average: more while there are few.

        >>> [Training(averaging=0.01).share_of_average(step) for step in (0, 9, 99, 9999)]
        [1.0, 1.0, 0.1, 0.01]
        """
        return max(self.averaging, min(1.0, 10 / (step + 1)))
