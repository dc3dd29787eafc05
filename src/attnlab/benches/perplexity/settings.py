"""The settings of `perplexity`."""

from typing import Literal

from attnlab.settings import Count, settings
from attnlab.text.preprocessing import find_steps

Precision = Literal["auto", "float32", "bfloat16"]
Device = Literal["auto", "cpu", "cuda"]


@settings
class MeasureSettings:
    """How models are measured, and whether the numbers are explained."""

    context: Count | None = None
    """The context window: the most tokens a model sees; None for as many as it can, up to 4,096."""
    stride: Count | None = None
    """The step from one strided window to the next; None for half the context window."""
    precision: Precision = "auto"
    """auto: bfloat16 if it is faster, and changes the mean on a sample by at most 0.0005 nats per token, which is
    0.05 % of the perplexity (evaluation.scoring.precision.TOLERANCE); else float32."""
    device: Device = "auto"
    """Where models run that are opened by their names; auto: on a GPU if there is one."""
    force: bool = False
    """Keep numbers that failed their audit, marked as unsound."""
    preprocess: tuple[str, ...] = ()
    """Steps of preprocessing: the text is also measured after each step, and after all steps."""
    explain: bool = False
    """Explain where the cost comes from; with two models or two texts, explain why they differ."""

    def __post_init__(self) -> None:
        find_steps(self.preprocess)
