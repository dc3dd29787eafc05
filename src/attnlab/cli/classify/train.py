"""attnlab classify train: a classifier from labelled texts, and a folder with all that happened."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import tyro
from tyro.conf import Positional, arg

from attnlab.cli.parsing import WithSettings, Words, with_typed
from attnlab.progress import TerminalObserver

if TYPE_CHECKING:
    from attnlab.benches.sentiment import TrainedClassifiers
    from attnlab.training.classifier.settings import ClassifierSettings


@dataclass(frozen=True)
class Train(WithSettings):
    """Train a text classifier, a deep averaging network: on film reviews, a table, or a folder for each class.

    A table has a label and a text in each row: tabs between them, or commas in a .csv file; a header line may name the
    columns label and text. Rows that cannot be used are counted and named. A tenth of the texts, in blocks of
    neighbours, is held out to pick the best epoch with.

    Example: attnlab classify train reviews --epochs 3 --out my-classifier
    """

    dotted: ClassVar[tuple[str, ...]] = ("features", "model")

    data: Positional[Annotated[str, arg(metavar="[DATA]", help_behavior_hint="")]] = "reviews"
    """reviews (generated, no download), imdb, a .tsv or .csv file, or a folder with one for each class."""
    recipe: Annotated[str, arg(metavar="NAME", help_behavior_hint="")] = "words"
    """All settings by one name, which other options change; the recipes are listed below."""
    vectors: Annotated[str, arg(metavar="FILE", help_behavior_hint="")] = ""
    """Word vectors to begin with: glove, or a file in its format (.txt, .txt.gz, .zip); else random ones."""
    out: Annotated[Path | None, arg(metavar="DIR", help_behavior_hint="")] = None
    """The run's folder, new or empty; else one under runs/ that is named after the time."""
    validation: float = 0.1
    """The share of the texts that is held out. With 0 nothing is, and the last epoch's weights are kept."""
    seeds: int = 1
    """How many times to train, from --seed on, each time with the next seed; each seed has a folder in that of the
    run."""
    plot: Annotated[Path | None, arg(metavar="FILE", help_behavior_hint="")] = None
    """Write the validation accuracy of each epoch to this file: .png, .svg or .html."""
    words: Annotated[Words, tyro.conf.Suppress] = field(default_factory=dict)
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
        """Train, and say how well it went."""
        from attnlab.benches.sentiment import train

        return train(self.data, self.settings(), self.out, self.validation, self.seeds, TerminalObserver())

    def settings(self) -> ClassifierSettings:
        """The recipe, with what was typed."""
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
