"""The progress bar of training: loss, speed, time left and, on a GPU, the share of its peak; on stderr only."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from attnlab.models.kinds import StepwiseModel
from attnlab.training.facts.lessons import Lesson
from attnlab.training.language.config import Config
from attnlab.training.loop import Look
from attnlab.training.processes import Process
from attnlab.training.speed import share_of_peak

WHOLE = 1000


@dataclass(frozen=True)
class TrainingBar:
    """A bar that is told of every look."""

    progress: Any
    task: Any
    model: StepwiseModel
    process: Process

    def show(self, look: Look) -> dict[str, float]:
        """Show a look; returns what it found out beside: the share of the GPU's peak."""
        share = share_of_peak(self.model, look.tokens_per_second / self.process.ranks, self.process.device)
        peak = f", {share:.0%} of the peak" if share is not None else ""
        words = f"step {look.step}: loss {look.loss:.4f}, {look.tokens_per_second:,.0f} tokens/s{peak}"
        self.progress.update(self.task, completed=WHOLE * look.progress, description=words)
        return {"share_of_peak": share} if share is not None else {}

    def say(self, text: str) -> None:
        """Print something above the bar, where a person is looking."""
        if not self.progress.disable:
            self.progress.console.print(text, markup=False, highlight=False)


@contextmanager
def training_bar(config: Config | Lesson, model: StepwiseModel, process: Process) -> Iterator[TrainingBar]:
    """A bar on stderr, where a person is looking; it leaves nothing behind."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    hidden = not console.is_terminal or not process.leads
    with Progress(*columns, console=console, transient=True, disable=hidden) as progress:
        yield TrainingBar(
            progress, progress.add_task(f"training for {config.training.steps} steps", total=WHOLE), model, process
        )
