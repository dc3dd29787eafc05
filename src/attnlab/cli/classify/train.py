"""attnlab classify train: train a classifier on labelled texts, in the folder of a run."""

from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Annotated, Any, ClassVar

from tyro.conf import Positional

from attnlab.cli.command import OutFile, Spreading, TrainingCommand, command, shown
from attnlab.observers import TerminalObserver
from attnlab.records import Record


@command
class Train(TrainingCommand, Spreading):
    """Train a text classifier, a deep averaging network, on labelled texts such as film reviews.

    A table has a label and a text in each row, with a tab between them, or a comma in a .csv file. A header line may
    name the columns label and text. Rows that cannot be used are counted and listed. A tenth of the texts, in blocks of
    neighbours, is the validation split: it picks the best epoch. A stopped training is finished by --resume.

    Example: attnlab classify train reviews --epochs 3 --out my-classifier
    """

    plain_class: ClassVar[str] = "training.classifier.settings:ClassifierTraining"
    dotted: ClassVar[tuple[str, ...]] = ("features", "model")

    data: Positional[Annotated[str, shown("[DATA]")]] = "reviews"
    """reviews (generated, no download), imdb, a .tsv or .csv file, or a folder with a subfolder for each class."""
    recipe: Annotated[str, shown("NAME")] = "words"
    """A recipe: one name for all settings, listed below. Other options change single settings."""
    vectors: Annotated[str, shown("FILE")] = ""
    """Word vectors to begin with: glove, or a file in GloVe's format, .txt, .txt.gz or .zip (default: random)."""
    resume: Annotated[Path | None, shown("DIR")] = None
    """Finish a stopped training: classifiers that are finished stay, the others start again."""
    validation: float = 0.1
    """The share of the texts in the validation split. With 0, the weights of the last epoch are kept."""
    seeds: int = 1
    """How many classifiers to train, with the seeds from --seed on; each gets a subfolder in the folder of the run."""
    threads: Annotated[int | None, shown("N")] = None
    """The number of CPU threads (default: one for each core, up to four). They do not change the classifier."""
    plot: OutFile = None
    """Write a chart of the validation accuracy of each epoch to this file: .png, .svg or .html."""

    def defaults(self) -> dict[str, dict[str, Any]]:
        """The settings of the recipe."""
        from attnlab.training.classifier.recipes import RECIPES

        base = RECIPES.find(self.recipe)
        return {
            "": {"options of training": base.training},
            "features": {"options of the features of a text": base.features},
            "model": {"options of the model": base.model},
        }

    def listed(self) -> dict[str, dict[str, str]]:
        """The recipes."""
        from attnlab.training.classifier.recipes import RECIPES

        return {"recipes": RECIPES.abouts()}

    def in_threads(self) -> AbstractContextManager[None]:
        """The bench has its own threads: a classifier needs no torch."""
        return nullcontext()

    def begin(self) -> Record:
        """Train one classifier for each seed."""
        from attnlab.benches.sentiment import configure, train

        words = {"features": self.typed("features"), "model": self.typed("model"), "training": self.typed()}
        settings = configure(self.recipe, **words, vectors=self.vectors)
        how = (self.out, self.validation, self.seeds, TerminalObserver(), self.threads, self.workers())
        return train(self.data, settings, *how)

    def continued(self, run: Path) -> Record:
        """Finish a stopped training."""
        from attnlab.benches.sentiment import resume

        return resume(run, TerminalObserver(), self.threads, self.workers())
