"""The record of a finished run."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from attnlab.benches.language.configuring import training_call
from attnlab.benches.language.models import LanguageModel, open_model
from attnlab.calls import Call
from attnlab.contents import Content, OneOf, Sometimes
from attnlab.errors import ArgumentError, FileError
from attnlab.evaluation.scoring.scores import Score
from attnlab.records import Record, record
from attnlab.runs.folder import RESULT, Run
from attnlab.settings import check_complete, option_names, read, settings
from attnlab.training.language.config import Config


@settings
class Result:
    """The part of result.json that is shown, without the scores."""

    parameters: int
    steps: int
    seconds: float


SCORE = Content(Score, lossless=Sometimes(bool))
"""A score in result.json; older labs noted whether the raw text can be recovered from the tokens."""


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

    @property
    def measured(self) -> bool:
        """Whether there are measurements to draw."""
        return any("loss" in each or "validation" in each for each in Run(self.path).measured())

    @Content(
        Result,
        run=str,
        tokens_per_second=int,
        checkpoint=str,
        test=OneOf(SCORE, None),
        validation=SCORE,
    )
    def to_dict(self) -> dict[str, Any]:
        """The content of result.json."""
        return dict(self.result)

    @property
    def call(self) -> Call:
        """The call that trains it again."""
        return training_call(self.config)


def finished_run(run: Run) -> TrainedRun:
    """The record of a finished run, from its folder. Raises if its result lacks what is shown."""
    result = run.result()
    _check(run, Result, result, "result")
    for part in ("validation", "test"):
        if part not in result or result[part] is not None:
            _check(run, Score, result.get(part), part)
    return TrainedRun(run.path, run.settings(Config), result)


def _check(run: Run, cls: Any, value: Any, part: str) -> None:
    """Raise unless a part of a result has the entries of a class; it may have others."""
    try:
        given = {name: value[name] for name in option_names(cls) if name in value} if isinstance(value, dict) else value
        check_complete(read(cls, given, part), given, part)
    except ArgumentError as error:
        raise FileError(run.path / RESULT, f"expected the result of a language model: {error}") from error
