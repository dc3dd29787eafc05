"""What is asked of a classifier's training. One definition serves the command line and the run's config.json."""

from dataclasses import dataclass
from typing import Literal

from attnlab.errors import ArgumentError

Rule = Literal["adam", "adagrad"]
Steps = Literal["even", "bayes"]
LARGEST_SEED = 2**31


@dataclass(frozen=True)
class ClassifierTraining:
    """How a classifier is trained."""

    epochs: int = 10
    """Passes over the training texts, at most."""
    patience: int = 2
    """Stop after so many epochs without a lower validation loss; the best epoch's weights are kept."""
    batch: int = 256
    """Texts a step."""
    rate: float = 0.001
    """The learning rate of the layers, by AdamW."""
    table_rate: float = 0.01
    """The learning rate of the rows of features that a batch has."""
    rule: Rule = "adam"
    """How those rows learn."""
    steps: Steps = "even"
    """bayes: a feature's row learns as fast as its naive-Bayes ratio is far from 0: rare words and names hardly."""
    decay: Literal["none", "linear"] = "none"
    """linear: rates fall to 0 at the end of the last epoch."""
    weight_decay: float = 0.0
    """How fast the layers' matrices decay, times the rate."""
    balance: Literal["none", "classes"] = "none"
    """classes: each class weighs the same in the loss, however few texts it has."""
    smoothing: float = 1.0
    """What is added to every count before naive Bayes takes its ratios."""
    seed: int = 0
    """The seed of the weights, the order of texts and dropout."""

    def __post_init__(self):
        for name, low, high in (
            ("epochs", 1, 1e6),
            ("patience", 1, 1e6),
            ("batch", 1, 1e6),
            ("rate", 0, 10),
            ("table_rate", 0, 10),
            ("weight_decay", 0, 100),
            ("smoothing", 1e-9, 1e6),
            ("seed", 0, LARGEST_SEED),
        ):
            if not low <= getattr(self, name) <= high:
                raise ArgumentError(name, f"expected from {low:g} to {high:g}, got {getattr(self, name)}")
