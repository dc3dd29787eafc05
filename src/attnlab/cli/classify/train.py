"""attnlab classify train: train a classifier on labelled texts, in the folder of a run."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from tyro.conf import Positional, arg

from attnlab.cli.parsing import WithSettings, with_typed
from attnlab.observers import TerminalObserver

if TYPE_CHECKING:
    from attnlab.benches.sentiment import TrainedClassifiers
    from attnlab.training.classifier.settings import ClassifierSettings


@dataclass(frozen=True)
class Train(WithSettings):
    """Train a text classifier, a deep averaging network, on labelled texts such as film reviews.

    A table has a label and a text in each row, with a tab between them, or a comma in a .csv file. A header line may
    name the columns label and text. Rows that cannot be used are counted and listed. A tenth of the texts, in blocks of
    neighbours, is the validation split: it picks the best epoch.

    Example: attnlab classify train reviews --epochs 3 --out my-classifier
    """

    dotted: ClassVar[tuple[str, ...]] = ("features", "model")

    data: Positional[Annotated[str, arg(metavar="[DATA]", help_behavior_hint="")]] = "reviews"
    """reviews (generated, no download), imdb, a .tsv or .csv file, or a folder with a subfolder for each class."""
    recipe: Annotated[str, arg(metavar="NAME", help_behavior_hint="")] = "words"
    """A recipe: one name for all settings, listed below. Other options change single settings."""
    vectors: Annotated[str, arg(metavar="FILE", help_behavior_hint="")] = ""
    """Word vectors to begin with: glove, or a file in its format: .txt, .txt.gz, .zip (default: random vectors)."""
    out: Annotated[Path | None, arg(metavar="DIR", help_behavior_hint="")] = None
    """The folder of the run, new or empty (default: a new folder under runs/, named after the time)."""
    validation: float = 0.1
    """The share of the texts in the validation split. With 0, the weights of the last epoch are kept."""
    seeds: int = 1
    """How many classifiers to train, with the seeds from --seed on; each gets a subfolder in the folder of the run."""
    plot: Annotated[Path | None, arg(metavar="FILE", help_behavior_hint="")] = None
    """Write a chart of the validation accuracy of each epoch to this file: .png, .svg or .html."""
    json: bool = False
    """Print one JSON value instead of a table."""

    @classmethod
    def plain(cls) -> type:
        """The options of training have no dot."""
        from attnlab.training.classifier.settings import ClassifierTraining

        return ClassifierTraining

    def defaults(self) -> dict[str, dict[str, Any]]:
        """The settings of the recipe."""
        base = self._base()
        return {
            "": {"options of training": base.training},
            "features": {"options of the features of a text": base.features},
            "model": {"options of the model": base.model},
        }

    def listed(self) -> dict[str, dict[str, str]]:
        """The recipes."""
        from attnlab.training.classifier.recipes import RECIPES

        return {"recipes": {name: RECIPES.about(name) for name in RECIPES}}

    def run(self) -> TrainedClassifiers:
        """Train one classifier for each seed."""
        from attnlab.benches.sentiment import train

        return train(self.data, self.settings(), self.out, self.validation, self.seeds, TerminalObserver())

    def settings(self) -> ClassifierSettings:
        """The recipe, changed by what was typed."""
        base = self._base()
        return replace(
            base,
            features=with_typed("features", base.features, self.words),
            model=with_typed("model", base.model, self.words),
            training=with_typed("", base.training, self.words),
            vectors=self.vectors,
        )

    def _base(self) -> ClassifierSettings:
        from attnlab.training.classifier.recipes import RECIPES

        return RECIPES.find(self.recipe)
