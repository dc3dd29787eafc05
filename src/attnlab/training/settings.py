"""What is asked of training. One definition serves the command line and the run's config.json."""

from typing import Annotated, Literal

from attnlab.errors import ArgumentError
from attnlab.settings import Count, Fraction, Range, Seed, settings

Device = Literal["auto", "cpu", "cuda"]
"""Where a model runs; auto: on a GPU where there is one."""
Rate = Annotated[float, Range(1e-9, 10)]


@settings
class Training:
    """How a model is trained. The schedule is one of progress: it rises over the first share of the steps (or of the
    minutes, where those end first), stays, and falls to 0 over the last share."""

    steps: Annotated[int, Range(0, 10**12)] = 2000
    """How many steps; 0: until the minutes are over."""
    minutes: Annotated[float, Range(0, 1e6)] = 0.0
    """Stop after so many minutes, the schedule scaled to end there; 0: no limit."""
    batch: Annotated[int, Range(1, 10**9)] = 32
    """Sequences a step, over all processes together."""
    optimiser: Literal["muon", "adamw"] = "muon"
    """Muon moves the matrices inside the model, and AdamW the rest; or AdamW moves all."""
    rate: Rate = 0.003
    """The learning rate of AdamW."""
    muon_rate: Rate = 0.02
    """The learning rate of Muon."""
    warmup: Fraction = 0.02
    """The share of the training over which rates rise."""
    decay: Fraction = 0.6
    """The share of the training over which rates fall to 0."""
    weight_decay: Annotated[float, Range(0, 100)] = 0.1
    """How fast matrices decay, times the rate."""
    clip: Annotated[float, Range(0, 1e12)] = 1.0
    """The gradient's norm is cut to this; 0 leaves it."""
    averaging: Fraction = 0.0
    """The share of each step that enters the moving average of weights, which is then what is validated; 0: none."""
    seed: Seed = 0
    """The seed of the weights, the batches and dropout."""
    validate_every: Count = 250
    """Steps between two passes over the held-out text, each followed by a checkpoint."""
    sample_every: Annotated[int, Range(0)] = 0
    """Steps between two samples; 0: none."""
    device: Device = "auto"
    """Where the model runs; auto: on a GPU where there is one."""
    precision: Literal["auto", "float32", "bfloat16"] = "auto"
    """Of matrix products; auto: bfloat16 on a GPU, and on a CPU that has instructions for it, else float32."""
    compile: bool = False
    """Compile the model (torch.compile) and check its first gradient: slower to start, faster after."""

    def __post_init__(self):
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
