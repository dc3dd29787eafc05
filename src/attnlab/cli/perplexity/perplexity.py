"""attnlab perplexity: models measured on texts, in units that compare, each number audited."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from tyro.conf import Positional, arg

from attnlab.errors import ArgumentError
from attnlab.progress import TerminalObserver

if TYPE_CHECKING:
    from attnlab.benches.perplexity import Comparison


@dataclass(frozen=True)
class Perplexity:
    """Measure models on texts: perplexity, and bits per byte, which compare; each number is audited.

    A model is the folder of a run, or hf:FOLDER for a causal language model in a Hugging Face folder. Each is measured
    in disjoint windows, and in strided ones so that every token has a long context. Bits per byte compare across
    tokenizers, since unknown words are spelled out. A number that fails its audit is not shown.

    Example: attnlab perplexity first-run --text notes.txt --explain
    """

    models: Positional[Annotated[tuple[str, ...], arg(metavar="MODEL ...", help_behavior_hint="")]]
    """Folders of runs, or hf:FOLDER."""
    text: Annotated[tuple[str, ...], arg(metavar="FILE ...")]
    """Text files, or names of texts (attnlab data list), of which the part held out for reports is taken."""
    context: Annotated[int | None, arg(metavar="TOKENS", help_behavior_hint="")] = None
    """How many tokens a model sees at most (default: as many as it can, up to 4,096)."""
    stride: Annotated[int | None, arg(metavar="TOKENS", help_behavior_hint="")] = None
    """How far strided windows move on (default: half the context)."""
    explain: bool = False
    """Say where the cost comes from; of two models on a text, or one model on two texts, why they differ."""
    html: Annotated[Path | None, arg(metavar="FILE", help_behavior_hint="")] = None
    """Write a page here; with --explain it shows the text with each token shaded by its surprise."""
    plot: Annotated[Path | None, arg(metavar="FILE", help_behavior_hint="")] = None
    """Write a chart here (.png, .svg or .html): bits per byte, or with --explain the parts of the difference."""
    preprocess: Annotated[str, arg(metavar="STEP,STEP,...", help_behavior_hint="")] = ""
    """Measure also after these steps, with the cost of what each throws away: lower, punctuation, numbers, quotes …"""
    precision: Literal["auto", "float32", "bfloat16"] = "auto"
    """auto: bfloat16 where it is faster and a sample says that it changes the mean by at most 0.0005 nats per token,
    which is 0.05 % of a perplexity; else float32."""
    device: Literal["auto", "cpu", "cuda"] = "auto"
    """Where networks run; auto: on a GPU if there is one."""
    force: bool = False
    """Show numbers that failed their audit, too, marked as unsound."""
    json: bool = False
    """Print one JSON value instead of tables."""

    def run(self) -> Comparison:
        """Measure every model on every text; explain the numbers where that is asked for."""
        from attnlab.benches.perplexity import MeasureSettings, perplexity

        if not self.models:
            raise ArgumentError("MODEL", "expected at least one, before --text, which takes all words that follow it")
        steps = tuple(step.strip() for step in self.preprocess.split(",") if step.strip())
        settings = MeasureSettings(
            context=self.context,
            stride=self.stride,
            precision=self.precision,
            device=self.device,
            force=self.force,
            preprocess=steps,
            explain=self.explain,
        )
        return perplexity(self.models, self.text, settings, TerminalObserver())
