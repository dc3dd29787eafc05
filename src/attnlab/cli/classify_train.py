"""attnlab classify train: a classifier from labelled texts, and a folder with all that happened."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro
from tyro.conf import Positional, arg

from attnlab.cli.options import Dotted, explain_dotted, named_options, take_dotted, typed_value, with_dotted
from attnlab.cli.outcome import Outcome
from attnlab.cli.usage import Adaptive
from attnlab.errors import ArgumentError
from attnlab.training.classifier.settings import LARGEST_SEED, ClassifierTraining

if TYPE_CHECKING:
    from attnlab.training.classifier.config import ClassifierSettings

RECIPE = "words"


@dataclass(frozen=True)
class ClassifyTrain(Adaptive):
    """Train a text classifier, a deep averaging network: on film reviews, a table, or a folder for each class.

    A table has a label and a text in each row: tabs between them, or commas in a .csv file; a header line may name the
    columns label and text. Rows that cannot be used are counted and named. A tenth of the texts, in blocks of
    neighbours, is held out to pick the best epoch with.

    Example: attnlab classify train reviews --epochs 3 --out my-classifier
    """

    data: Positional[Annotated[str, arg(metavar="[DATA]", help_behavior_hint="")]] = "reviews"
    """reviews (generated, no download), imdb, a .tsv or .csv file, or a folder with one for each class."""
    recipe: Annotated[str, arg(metavar="NAME", help_behavior_hint="")] = RECIPE
    """All settings by one name, which other options change: words, ngrams."""
    vectors: Annotated[str, arg(metavar="FILE", help_behavior_hint="")] = ""
    """Word vectors to begin with: glove, or a file in its format (.txt, .txt.gz, .zip); else random ones."""
    out: Annotated[Path | None, arg(metavar="DIR", help_behavior_hint="")] = None
    """The run's folder, new or empty; else one under runs/ that is named after the time."""
    validation: float = 0.1
    """The share of the texts that is held out; 0: none, and the last epoch's weights are kept."""
    seeds: int = 1
    """Train so many times, from --seed on, and tell the mean; each has a folder of its own in that of the run."""
    training: ClassifierTraining = field(default_factory=ClassifierTraining)
    dotted: Annotated[Dotted, tyro.conf.Suppress] = field(default_factory=dict)
    json: bool = False
    """Print one JSON value instead of a table."""

    @classmethod
    def prepared(cls, arguments: Sequence[str]) -> tuple[list[str], ClassifyTrain]:
        """The defaults of the recipe, and the dotted options taken out."""
        from attnlab.training.classifier.config import find_recipe

        rest, dotted = take_dotted(arguments, ("model", "features"))
        return rest, cls(training=find_recipe(typed_value(rest, "--recipe") or RECIPE).training, dotted=dotted)

    @classmethod
    def explained(cls, arguments: Sequence[str]) -> str:
        """The options of the model and of the features, as the recipe has them."""
        from attnlab.training.classifier.config import find_recipe

        recipe = find_recipe(typed_value(arguments, "--recipe") or RECIPE)
        return "\n".join(
            [
                *explain_dotted("features", {"of a text": recipe.features}),
                *explain_dotted("model", {"averaging": recipe.model}),
            ]
        )

    def run(self) -> Outcome:
        """Train, and say how well it went."""
        from attnlab.cli.classify_run import train_runs

        if not 1 <= self.seeds <= 1000:
            raise ArgumentError("seeds", f"expected from 1 to 1000, got {self.seeds}")
        if (last := self.training.seed + self.seeds - 1) > LARGEST_SEED:
            raise ArgumentError("seeds", f"expected none above {LARGEST_SEED}, but the last is {last}")
        settings = self.settings()
        with named_options(model=settings.model, features=settings.features):
            return train_runs(self.data, settings, self.out, share=self.validation, seeds=self.seeds)

    def settings(self) -> ClassifierSettings:
        """The recipe, with what was typed."""
        from attnlab.training.classifier.config import find_recipe

        chosen = find_recipe(self.recipe)
        features = with_dotted(chosen.features, self.dotted.get("features", {}), "features", "of a text")
        model = with_dotted(chosen.model, self.dotted.get("model", {}), "model", "averaging")
        return replace(chosen, features=features, model=model, training=self.training, vectors=self.vectors)
