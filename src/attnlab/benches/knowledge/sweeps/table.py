"""The table of a sweep: the measurements of each model, and the means over the seeds of each variant."""

from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any, ClassVar

from attnlab.benches.knowledge.models import KnownModel, open_known
from attnlab.benches.knowledge.sweeps.settings import SweepSettings
from attnlab.calls import Call
from attnlab.errors import ArgumentError, FileError
from attnlab.evaluation.knowledge.extraction import ExtractionTable
from attnlab.evaluation.knowledge.measuring import Confidence, Knowledge
from attnlab.evaluation.knowledge.reading import check_share, read_knowledge
from attnlab.numbers import percent, percents
from attnlab.records import Record, record
from attnlab.runs.folder import Run
from attnlab.settings import read, write
from attnlab.statistics import FEWEST_SEEDS, Share, mean_and_half_width


@dataclass(frozen=True)
class ModelNotes:
    """The notes on a model of a sweep, besides the measurements of its answers."""

    seed: int
    parameters: int
    seconds: float
    kept_out: Share
    """The share of right answers about people who were kept out of finetuning."""
    asides: tuple[str, ...]
    """Remarks on unusual data."""


@dataclass(frozen=True)
class SweepModel:
    """A model of a sweep, and its measurements."""

    path: Path
    notes: ModelNotes
    knowledge: Knowledge

    @property
    def model(self) -> KnownModel:
        """The opened model."""
        return open_known(self.path)

    @property
    def confidence(self) -> Confidence:
        """The measurements of its probabilities; every model of a sweep has them."""
        assert self.knowledge.confidence is not None
        return self.knowledge.confidence

    @property
    def extraction(self) -> ExtractionTable:
        """How much it memorised, and how much of that it extracts; every model of a sweep has this."""
        assert self.knowledge.extraction is not None
        return self.knowledge.extraction

    def to_dict(self) -> dict[str, Any]:
        """The content of result.json."""
        notes = {"seed": self.notes.seed, "parameters": self.notes.parameters, "seconds": self.notes.seconds}
        more = {"kept_out": self.notes.kept_out.as_json(), "asides": list(self.notes.asides)}
        return {"run": str(self.path), **notes, **more, **self.knowledge.as_json()}


def read_model(run: Run, seed: int) -> SweepModel:
    """A finished model, from its folder. Raises if result.json is damaged."""
    value = run.result()
    try:
        notes: ModelNotes = read(ModelNotes, value)
        found = SweepModel(run.path, notes, read_knowledge(value))
        if notes.seed != seed:
            raise ArgumentError("seed", f"expected the seed {seed}, got {notes.seed}")
        if found.knowledge.confidence is None or found.knowledge.extraction is None:
            raise ArgumentError("confidence", "expected both confidence and extraction")
        check_share("kept_out", notes.kept_out, value["kept_out"])
    except ArgumentError as error:
        again = f"remove {run.path} to train that model again"
        raise FileError(run.path / "result.json", f"damaged: {error}; {again}") from error
    return found


@dataclass(frozen=True)
class SweepRow:
    """A variant with a mixer: its models with different seeds, and their means."""

    variant: str
    recipe: str
    mixer: str
    models: tuple[SweepModel, ...]

    @property
    def accuracy(self) -> float:
        """The share of right answers to held-out questions."""
        return mean(each.knowledge.accuracy.value for each in self.models)

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval over the questions (the mean of its ends over the seeds), widened to the interval over the
        seeds: seeds that agree on these questions may be wrong on others. Of one or two seeds, from the lowest end over
        the questions to the highest."""
        shares = [each.knowledge.accuracy for each in self.models]
        lows, highs = [each.low for each in shares], [each.high for each in shares]
        if len(shares) < FEWEST_SEEDS:
            return min(lows), max(highs)
        value, half = mean_and_half_width([each.value for each in shares])
        return max(0.0, min(mean(lows), value - half)), min(1.0, max(mean(highs), value + half))

    @property
    def memorised(self) -> float:
        """The share of held-out facts whose line the model completed before finetuning."""
        return mean(each.extraction.memorised.value for each in self.models)

    @property
    def coverage(self) -> float:
        """The share of held-out questions that the model answers, at the threshold."""
        return mean(each.confidence.given.coverage.value for each in self.models)

    @property
    def confident_wrong(self) -> float | None:
        """The share of strangers about whom the model gives an answer; None if there are no strangers."""
        shares = [each.confidence.confident_wrong for each in self.models]
        return mean(share.value for share in shares if share) if all(shares) else None

    @property
    def seconds(self) -> float:
        """The total time of its models, in seconds."""
        return round(sum(each.notes.seconds for each in self.models), 3)

    @property
    def parameters(self) -> int:
        """The number of parameters of each of its models."""
        return self.models[0].notes.parameters

    @property
    def accuracy_words(self) -> str:
        """The accuracy with its interval."""
        return f"{percent(self.accuracy)} ({percents(*self.interval, decimals=0)})"

    def to_dict(self) -> dict[str, Any]:
        """The whole content."""
        return {
            "variant": self.variant,
            "recipe": self.recipe,
            "mixer": self.mixer,
            "parameters": self.parameters,
            "accuracy": self.accuracy,
            "interval": list(self.interval),
            "memorised": self.memorised,
            "coverage": self.coverage,
            "confident_wrong": self.confident_wrong,
            "calibration_error": mean(each.knowledge.calibration.error for each in self.models),
            "seconds": self.seconds,
            "runs": [each.to_dict() for each in self.models],
        }


@record
class Sweep(Record):
    """The table of a sweep: a row for each variant and mixer, with the baseline and the ceiling to compare with."""

    shown_by: ClassVar[str] = "knowledge.sweep.sweep"

    path: Path
    settings: SweepSettings
    questions: int
    """The number of held-out questions."""
    baseline: float
    """The share of right answers if the answer is always the commonest one."""
    commonest: str
    ceiling: float
    """The share of questions whose answer is on a line of the person."""
    rows: tuple[SweepRow, ...]

    @property
    def model(self) -> KnownModel:
        """The first model of the row with the highest accuracy, opened."""
        return max(self.rows, key=lambda row: row.accuracy).models[0].model

    def to_dict(self) -> dict[str, Any]:
        """The whole content."""
        return {
            "runs": str(self.path),
            "facts": write(self.settings.facts),
            "questions": self.questions,
            "seeds": list(self.settings.all_seeds),
            "baseline": self.baseline,
            "commonest": self.commonest,
            "ceiling": self.ceiling,
            "precision": self.settings.precision,
            "variants": [row.to_dict() for row in self.rows],
        }

    @property
    def call(self) -> Call:
        """The call that trains all models again."""
        return self.settings.call
