"""What is asked of training. One definition serves the command line and the run's config.json."""

from dataclasses import dataclass
from typing import Literal

from attnlab.errors import ArgumentError


@dataclass(frozen=True)
class Training:
    """How a model is trained. The schedule is one of progress: it rises over the first share of the steps (or of the
    minutes, where those end first), stays, and falls to 0 over the last share."""

    steps: int = 2000
    minutes: float | None = None
    """Stop after so many minutes, the schedule scaled to end there."""
    batch: int = 32
    """Sequences a step, over all processes together."""
    optimiser: Literal["muon", "adamw"] = "muon"
    """Muon moves the matrices inside the model, and AdamW the rest; or AdamW moves all."""
    rate: float = 0.003
    """The learning rate of AdamW."""
    muon_rate: float = 0.02
    """The learning rate of Muon."""
    warmup: float = 0.02
    decay: float = 0.6
    weight_decay: float = 0.1
    clip: float = 1.0
    """The gradient's norm is cut to this; 0 leaves it."""
    averaging: float = 0.0
    """The share of each step that enters the moving average of weights, which is then what is validated; 0: none."""
    seed: int = 0
    validate_every: int = 250
    sample_every: int = 0
    device: Literal["auto", "cpu", "cuda"] = "auto"
    precision: Literal["float32", "bfloat16"] = "float32"
    compile: bool = False
    """Compile the model (torch.compile): slower to start, faster after."""

    def __post_init__(self):
        for name in ("steps", "batch", "validate_every"):
            if getattr(self, name) < 1:
                raise ArgumentError(name, f"expected at least 1, got {getattr(self, name)}")
        for name in ("rate", "muon_rate"):
            if not 0 < getattr(self, name) < 10:
                raise ArgumentError(name, f"expected more than 0 and less than 10, got {getattr(self, name)}")
        for name in ("warmup", "decay", "averaging"):
            if not 0 <= getattr(self, name) <= 1:
                raise ArgumentError(name, f"expected from 0 to 1, got {getattr(self, name)}")
        for name in ("weight_decay", "clip", "sample_every"):
            if not getattr(self, name) >= 0:
                raise ArgumentError(name, f"expected at least 0, got {getattr(self, name)}")
        if self.minutes is not None and not 0 < self.minutes < 1e6:
            raise ArgumentError("minutes", f"expected more than 0, got {self.minutes}")

    def share_of_rate(self, progress: float) -> float:
        """How much of the full rate is used when a share `progress` of the training is done.

        >>> [Training(warmup=0.1, decay=0.5).share_of_rate(p) for p in (0.05, 0.3, 0.75, 1.0)]
        [0.5, 1.0, 0.5, 0.0]
        """
        rising = progress / self.warmup if self.warmup else 1.0
        falling = (1 - progress) / self.decay if self.decay else 1.0
        return max(0.0, min(1.0, rising, falling))
