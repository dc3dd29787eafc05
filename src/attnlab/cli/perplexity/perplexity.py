"""attnlab perplexity: measure and audit models on texts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from tyro.conf import Positional, arg

from attnlab.errors import ArgumentError
from attnlab.observers import TerminalObserver

if TYPE_CHECKING:
    from attnlab.benches.perplexity import Comparison


@dataclass(frozen=True)
class Perplexity:
    """Measure models on texts: perplexity, and bits per byte, which are comparable. Each number is audited.

    A model is the folder of a run, or hf:FOLDER for a causal language model in a Hugging Face folder. It is measured in
    disjoint windows, and in strided windows, where every token has a long context. Bits per byte are comparable across
    tokenizers, because unknown words are spelled out. A number that fails its audit is not shown.

    Example: attnlab perplexity first-run --text notes.txt --explain
    """

    models: Positional[Annotated[tuple[str, ...], arg(metavar="MODEL ...", help_behavior_hint="")]]
    """Folders of runs, or hf:FOLDER."""
    text: Annotated[tuple[str, ...], arg(metavar="FILE ...")]
    """Text files, or names of texts (attnlab data list). Of a named text, only the held-out part is measured."""
    context: Annotated[int | None, arg(metavar="TOKENS", help_behavior_hint="")] = None
    """The context window: the most tokens a model sees (default: as many as it can, up to 4,096)."""
    stride: Annotated[int | None, arg(metavar="TOKENS", help_behavior_hint="")] = None
    """The step from one strided window to the next (default: half the context window)."""
    explain: bool = False
    """Explain where the cost comes from; with two models or two texts, explain why they differ."""
    html: Annotated[Path | None, arg(metavar="FILE", help_behavior_hint="")] = None
    """Write a page to this file. With --explain, the page shades each token of the text by its surprise."""
    plot: Annotated[Path | None, arg(metavar="FILE", help_behavior_hint="")] = None
    """Write a chart to this file, .png, .svg or .html: bits per byte, or with --explain the parts of the difference."""
    preprocess: Annotated[str, arg(metavar="STEP,STEP,...", help_behavior_hint="")] = ""
    """Measure also after these steps, and count the information that each step removes: lower, punctuation, numbers,
    quotes …"""
    precision: Literal["auto", "float32", "bfloat16"] = "auto"
    """auto: bfloat16 if it is faster, and changes the mean on a sample by at most 0.0005 nats per token (0.05 % of the
    perplexity); else float32."""
    device: Literal["auto", "cpu", "cuda"] = "auto"
    """Where the models run; auto: on a GPU if there is one."""
    force: bool = False
    """Also show numbers that failed their audit, marked as unsound."""
    json: bool = False
    """Print one JSON value instead of tables."""

    def run(self) -> Comparison:
        """Measure every model on every text, and explain the numbers if --explain is given."""
        from attnlab.benches.perplexity import MeasureSettings, perplexity

        if not self.models:
            raise ArgumentError("MODEL", "expected at least one model before --text: --text takes all words after it")
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
