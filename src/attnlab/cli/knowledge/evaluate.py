"""attnlab knowledge evaluate: how much a model knows, memorised and makes up."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from tyro.conf import Positional, arg

from attnlab.observers import TerminalObserver

if TYPE_CHECKING:
    from attnlab.benches.knowledge import Evaluated


@dataclass(frozen=True)
class Evaluate:
    """Accuracy, calibration, coverage and made-up answers of a finetuned model on the held-out facts.

    People who were kept out of finetuning picked the temperature; together with as many strangers, people who are on no
    line, they picked the threshold. A fact is memorised if the model completed the person's line with it before
    finetuning. A fact is extracted if the model gives it as the answer to a question.

    Example: attnlab knowledge evaluate people-known
    """

    run_folder: Positional[Annotated[Path, arg(metavar="RUN")]]
    """The folder of a finetuned run."""
    html: Annotated[Path | None, arg(metavar="FILE", help_behavior_hint="")] = None
    """Write a page with all numbers and charts to this .html file."""
    plot: Annotated[Path | None, arg(metavar="FILE", help_behavior_hint="")] = None
    """Write the charts to this file: .png, .svg or .html."""
    precision: float = 0.9
    """The share of given answers that should be right."""
    seed: int = 0
    """The seed of the shuffles that measure what chance alone would give."""
    device: Literal["auto", "cpu", "cuda"] = "auto"
    """Where the model runs; auto: on a GPU if there is one."""
    json: bool = False
    """Print one JSON value instead of a table."""

    def run(self) -> Evaluated:
        """The numbers."""
        from attnlab.benches.knowledge import EvaluationSettings, evaluate

        settings = EvaluationSettings(self.precision, self.seed, self.device)
        return evaluate(self.run_folder, settings, TerminalObserver())
