"""The record of a finished run."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from attnlab.benches.language.configuring import training_call
from attnlab.benches.language.models import LanguageModel, open_model
from attnlab.calls import Call
from attnlab.records import Record, record
from attnlab.runs.folder import Run
from attnlab.training.language.config import Config


@record
class TrainedRun(Record):
    """A finished run: its folder, its settings, and the scores of the picked checkpoint."""

    shown_by: ClassVar[str] = "language.runs_and_scores.trained_run"

    path: Path
    config: Config
    result: Mapping[str, Any]
    """The content of result.json."""

    @property
    def model(self) -> LanguageModel:
        """The model of the picked checkpoint."""
        return open_model(str(self.path))

    @property
    def validation(self) -> Mapping[str, float]:
        """The score on the validation split, which picked the checkpoint."""
        return self.result["validation"]

    @property
    def test(self) -> Mapping[str, float] | None:
        """The score on the test split; None if there is no test split."""
        return self.result["test"]

    def metrics(self) -> list[dict[str, Any]]:
        """The measurements during training, line by line."""
        return Run(self.path).metrics()

    def to_dict(self) -> dict[str, Any]:
        """The content of result.json."""
        return dict(self.result)

    @property
    def call(self) -> Call:
        """The call that trains it again."""
        return training_call(self.config)


def finished_run(run: Run) -> TrainedRun:
    """The record of a finished run, from its folder."""
    return TrainedRun(run.path, run.settings(Config), run.result())
