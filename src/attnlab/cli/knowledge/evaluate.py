"""attnlab knowledge evaluate: what a model knows, what it memorised but does not tell, and what it makes up."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from tyro.conf import Positional, arg

from attnlab.progress import TerminalObserver

if TYPE_CHECKING:
    from attnlab.benches.knowledge import Evaluated


@dataclass(frozen=True)
class Evaluate:
    """Accuracy, calibration, coverage and made-up answers of a finetuned model on the held-out facts.

    The temperature was chosen on people who were kept out of finetuning, the threshold on them and as many strangers,
    people of whom no line tells. Memorised is an answer with which the model completed the person's own line before it
    was finetuned, extracted one that it gives to the question.

    Example: attnlab knowledge evaluate people-known
    """

    run_folder: Positional[Annotated[Path, arg(metavar="RUN")]]
    """The folder of a finetuned run."""
    html: Annotated[Path | None, arg(metavar="FILE", help_behavior_hint="")] = None
    """Write all of it to this page, .html."""
    plot: Annotated[Path | None, arg(metavar="FILE", help_behavior_hint="")] = None
    """Write the charts to this file: .png, .svg or .html."""
    precision: float = 0.9
    """The share of given answers that is to be right."""
    seed: int = 0
    """The seed of the shuffles that say what chance would do."""
    device: Literal["auto", "cpu", "cuda"] = "auto"
    """Where the model runs; auto: on a GPU where there is one."""
    json: bool = False
    """Print one JSON value instead of a table."""

    def run(self) -> Evaluated:
        """The numbers."""
        from attnlab.benches.knowledge import EvaluationSettings, evaluate

        settings = EvaluationSettings(self.precision, self.seed, self.device)
        return evaluate(self.run_folder, settings, TerminalObserver())
