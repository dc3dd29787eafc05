"""The record of trained classifiers, and the plan that trains them again."""

from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import mean, stdev
from typing import Annotated, Any, ClassVar

from attnlab.benches.sentiment.models import ClassifierModel, open_classifier
from attnlab.benches.sentiment.texts import skipped_rows
from attnlab.benches.several import MOST_SEEDS
from attnlab.calls import Call
from attnlab.contents import Content, Sometimes
from attnlab.data.labelled.tables import Skipped
from attnlab.records import Record, record
from attnlab.settings import Fraction, Range, changes
from attnlab.settings import settings as settings_class
from attnlab.training.classifier.recipes import RECIPES, USUAL
from attnlab.training.classifier.settings import ClassifierSettings
from attnlab.training.classifier.training import Epoch

VALIDATION = 0.1


@settings_class
class ClassifierPlan:
    """Everything that the training of several seeds depends on: the folder of the runs has it as plan.json."""

    data: str
    settings: ClassifierSettings
    """The settings with the first seed."""
    validation: Fraction
    seeds: Annotated[int, Range(1, MOST_SEEDS)]


@dataclass(frozen=True)
class TrainedSeed:
    """A finished run with one seed: its folder, its epochs, and the epoch whose weights were kept."""

    path: Path
    epochs: tuple[Epoch, ...]
    best: Epoch

    @property
    def model(self) -> ClassifierModel:
        """Its classifier."""
        return open_classifier(self.path)

    @Content(run=str, epochs=int, best=Epoch)
    def to_dict(self) -> dict[str, Any]:
        """The content of result.json."""
        return {"run": str(self.path), "epochs": len(self.epochs), "best": asdict(self.best)}


@record
class TrainedClassifiers(Record):
    """Classifiers with different seeds, trained on the same texts."""

    shown_by: ClassVar[str] = "sentiment.classifiers.trained_classifiers"

    data: str
    settings: ClassifierSettings
    """The settings with the first seed."""
    validation: float
    """The share of the texts in the validation split."""
    classes: tuple[str, ...]
    texts: int
    validation_texts: int
    runs: tuple[TrainedSeed, ...]
    skipped: tuple[Skipped, ...] = ()
    """Rows of the data that could not be used."""

    @property
    def model(self) -> ClassifierModel:
        """The classifier of the first seed."""
        return self.runs[0].model

    @property
    def accuracies(self) -> tuple[float, ...]:
        """The validation accuracy of each seed's best epoch; empty without a validation split."""
        found = (run.best.validation_accuracy for run in self.runs)
        return tuple(each for each in found if each is not None)

    @property
    def deviation(self) -> float | None:
        """The standard deviation of the accuracies; None for fewer than two."""
        return stdev(self.accuracies) if len(self.accuracies) > 1 else None

    @Content(
        "data",
        "classes",
        "texts",
        "validation_texts",
        skipped_rows,
        validation_accuracy=float | None,
        runs=[TrainedSeed],
        validation_accuracy_deviation=Sometimes(float),
    )
    def to_dict(self) -> dict[str, Any]:
        """The whole content."""
        deviation = self.deviation
        return {
            "data": self.data,
            "classes": list(self.classes),
            "texts": self.texts,
            "validation_texts": self.validation_texts,
            "validation_accuracy": mean(self.accuracies) if self.accuracies else None,
            "runs": [run.to_dict() for run in self.runs],
            **skipped_rows(self.skipped),
            **({} if deviation is None else {"validation_accuracy_deviation": deviation}),
        }

    @property
    def call(self) -> Call:
        """The call that trains them again, with the recipe that needs the fewest other options."""
        vectors = {"vectors": self.settings.vectors} if self.settings.vectors else {}
        validation = {"validation": self.validation} if self.validation != VALIDATION else {}
        seeds = {"seeds": len(self.runs)} if len(self.runs) > 1 else {}
        more = vectors | validation | seeds
        made = (Call("classify train", (self.data,), _options(self.settings, name) | more) for name in RECIPES)
        return min(made, key=lambda call: len(call.words))


def _options(settings: ClassifierSettings, name: str) -> dict[str, Any]:
    """The options for these settings with a recipe."""
    usual = RECIPES.find(name)
    groups = {each: changes(getattr(settings, each), getattr(usual, each)) for each in ("features", "model")}
    recipe = {"recipe": name} if name != USUAL else {}
    changed = {each: group for each, group in groups.items() if group}
    return recipe | changed | changes(settings.training, usual.training)
