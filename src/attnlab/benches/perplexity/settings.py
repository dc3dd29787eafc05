"""How models are measured on texts."""

from typing import Literal

from attnlab.settings import Count, settings
from attnlab.text.preprocessing import find_steps

Precision = Literal["auto", "float32", "bfloat16"]
Device = Literal["auto", "cpu", "cuda"]


@settings
class MeasureSettings:
    """How models are measured, and what else is asked about them."""

    context: Count | None = None
    """How many tokens a model sees at most; None for as many as it can, up to 4,096."""
    stride: Count | None = None
    """How far strided windows move on; None for half the context."""
    precision: Precision = "auto"
    """auto: bfloat16 where it is faster and a sample says that it changes the mean by at most 0.0005 nats per token,
    which is 0.05 % of a perplexity (evaluation.scoring.precision.TOLERANCE); else float32."""
    device: Device = "auto"
    """Where models run that are opened by their name; auto: on a GPU if there is one."""
    force: bool = False
    """Keep numbers that failed their audit, marked as unsound."""
    preprocess: tuple[str, ...] = ()
    """Steps of preprocessing: the text is also measured after each of them, and after all of them."""
    explain: bool = False
    """Say where the cost comes from; of two models on a text, or one model on two texts, why they differ."""

    def __post_init__(self) -> None:
        find_steps(self.preprocess)
