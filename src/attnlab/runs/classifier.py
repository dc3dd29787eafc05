"""A trained classifier in its run's folder: the model, the features it sees and the names of the classes."""

import json
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Int

from attnlab.errors import ArgumentError, FileError
from attnlab.files import read_json, write_whole
from attnlab.models.averaging import Averaging, AveragingConfig
from attnlab.models.kinds import load_weights
from attnlab.models.settings import read_settings
from attnlab.runs.folder import Run, open_run
from attnlab.text.bags import Bags
from attnlab.text.features import Features

TASK = "classify"
"""What the config.json of a classifier's run says it is for; that of a language model says nothing."""
AT_ONCE = 256
"""Texts whose probabilities are computed together."""


@dataclass(frozen=True)
class Answers:
    """What a classifier says of texts: the probability of each class, and of how many words, known or not, that is."""

    probabilities: Float[np.ndarray, "texts classes"]
    words: Int[np.ndarray, " texts"]
    known: Int[np.ndarray, " texts"]


@dataclass(frozen=True)
class Classifier:
    """A model that says which class a text is of."""

    classes: tuple[str, ...]
    features: Features
    model: Averaging

    def probabilities(self, texts: Sequence[str]) -> Float[np.ndarray, "texts classes"]:
        """The probability of each class for each text; a text without a known word has what no word at all has."""
        return self.answers(texts).probabilities

    def answers(self, texts: Sequence[str]) -> Answers:
        """The probabilities, and of how many words they are."""
        batches = [texts[first : first + AT_ONCE] for first in range(0, len(texts), AT_ONCE)] or [()]
        with ThreadPoolExecutor(2) as beside:  # they answer while the words of the next texts are looked up
            found = list(beside.map(self._answered, map(self.features.words, batches)))
        return Answers(*(np.concatenate(each) for each in zip(*found, strict=True)))

    def _answered(self, words: Bags) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        known = np.diff(np.concatenate([[0], np.cumsum(words.ids > 0)])[words.offsets])
        return self.of_bags(self.features.of_words(words)), words.lengths, known

    def of_bags(self, bags: Bags) -> Float[np.ndarray, "texts classes"]:
        """The same for texts that are features already."""
        with torch.inference_mode():
            logits = self.model.eval()(torch.from_numpy(bags.ids), torch.from_numpy(bags.offsets).to(torch.int32))
            return logits.double().softmax(1).numpy()


def save_classifier(run: Run, classifier: Classifier, epoch: int, notes: Mapping[str, Any]) -> None:
    """Write a classifier into its run's folder: features.json, and the weights as a checkpoint."""
    features = json.dumps(classifier.features.to_json(), ensure_ascii=False, indent=1)
    write_whole(run.path / "features.json", f"{features}\n".encode())
    weights = {f"model.{name}": parameter.data for name, parameter in classifier.model.named_parameters()}
    run.save(epoch, weights, notes)


def load_classifier(path: Path | str) -> Classifier:
    """The classifier in the folder of a run."""
    run = open_run(Path(path))
    config = run.config()
    if config.get("task") != TASK:
        raise FileError(
            run.path, "expected the run of a classifier, got that of a language model; attnlab sample reads it"
        )
    where = run.path / "config.json"
    try:
        classes = tuple(str(each) for each in config["classes"])
        settings = {name: value for name, value in config["model"].items() if name != "kind"}
        shape = read_settings(AveragingConfig, settings, "model averaging")
    except (ArgumentError, KeyError, TypeError, AttributeError) as error:
        raise FileError(where, f"expected the settings of a classifier: {error}") from error
    try:
        features = Features.from_json(read_json(run.path / "features.json", "the features of a classifier"))
    except (ArgumentError, KeyError, ValueError, TypeError) as error:
        raise FileError(run.path / "features.json", f"expected the features of a classifier: {error}") from error
    checkpoint = run.best()
    model = Averaging(shape, features.size, len(classes))
    weights = {name.removeprefix("model."): tensor for name, tensor in checkpoint.tensors().items()}
    try:
        load_weights(model, weights)
    except ArgumentError as error:
        raise FileError(checkpoint.path, f"not a checkpoint of this run: {error}") from error
    return Classifier(classes, features, model.eval())
