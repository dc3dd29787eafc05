"""The settings of training: the options of the command line, and a part of a run's config.json."""

from typing import Annotated, Literal

from attnlab.errors import ArgumentError
from attnlab.settings import Count, Device, Fraction, Range, Seed, only_with, settings, tag

Rate = Annotated[float, Range(1e-9, 10)]


@settings
class Training:
    """How a model is trained on batches.

    The learning rate rises over the first share of the training, stays constant, and falls to 0 over the last share.
    Shares are of the steps, or of the minutes if those end first.
    """

    kind: Literal["batches"] = tag(default="batches")
    steps: Annotated[int, Range(0, 10**12)] = 2000
    """The number of steps; 0: until the minutes are over."""
    minutes: Annotated[float, Range(0, 1e6)] = 0.0
    """Stop after this many minutes; the schedule is scaled to end there; 0: no limit."""
    batch: Annotated[int, Range(1, 10**9)] = 32
    """Sequences per step, over all processes together."""
    optimiser: Literal["muon", "adamw", "sgd"] = "muon"
    """muon: Muon updates the matrices inside the model, AdamW the rest; adamw: AdamW updates all parameters; sgd:
    gradient descent without momentum updates all parameters."""
    rate: Rate = 0.003
    """The learning rate of AdamW, or of gradient descent."""
    muon_rate: Rate = only_with(default=0.02, optimiser=("muon",))
    """The learning rate of Muon."""
    warmup: Fraction = 0.02
    """The share of the training over which the learning rates rise."""
    decay: Fraction = 0.6
    """The share of the training over which the learning rates fall to 0."""
    weight_decay: Annotated[float, Range(0, 100)] = 0.1
    """The weight decay of matrices; it is multiplied by the learning rate."""
    clip: Annotated[float, Range(0, 1e12)] = 1.0
    """The largest norm of the gradient: a larger one is scaled down to it; 0: no clipping."""
    averaging: Fraction = 0.0
    """The share of each step in a moving average of the weights, which is then validated and used; 0: no average."""
    seed: Seed = 0
    """The seed of the weights, the batches and dropout."""
    validate_every: Count = 250
    """Steps between two passes over the validation split, each followed by a checkpoint."""
    keep_every: Annotated[int, Range(0)] = 0
    """Keep the checkpoint of every N-th step, to see how a model learns; 0: keep only the last two and the best."""
    sample_every: Annotated[int, Range(0)] = 0
    """Steps between two samples; 0: no samples."""
    device: Device = "auto"
    """The device of the model; auto: a GPU if there is one."""
    precision: Literal["auto", "float32", "bfloat16", "float8"] = "auto"
    """The precision of matrix products; auto: bfloat16 on a GPU or a CPU with instructions for it, else float32.
    float8, with --compile: faster for large Transformers on a Hopper GPU; its first gradient is checked."""
    compile: bool = False
    """Compile the model with torch.compile and check its first gradient: a slower start, then faster steps."""

    def __post_init__(self):
        if not self.steps and not self.minutes:
            raise ArgumentError("steps", "expected at least 1 step, or a limit of minutes; got 0 and no limit")

    def share_of_rate(self, progress: float) -> float:
        """The learning rate, as a share of the full one, when a share `progress` of the training is done.

        >>> [Training(warmup=0.1, decay=0.5).share_of_rate(p) for p in (0.05, 0.3, 0.75, 1.0)]
        [0.5, 1.0, 0.5, 0.0]
        """
        rising = progress / self.warmup if self.warmup else 1.0
        falling = (1 - progress) / self.decay if self.decay else 1.0
        return max(0.0, min(1.0, rising, falling))

    def keeps(self, step: int) -> bool:
        """Whether the checkpoint of a step is kept for good.

        >>> [step for step in range(1, 10) if Training(keep_every=4).keeps(step)]
        [4, 8]
        """
        return self.keep_every > 0 and step % self.keep_every == 0

    def share_of_average(self, step: int) -> float:
        """The share of the new weights in the average after a step: larger in the first steps.

        >>> [Training(averaging=0.01).share_of_average(step) for step in (0, 9, 99, 9999)]
        [1.0, 1.0, 0.1, 0.01]
        """
        return max(self.averaging, min(1.0, 10 / (step + 1)))
