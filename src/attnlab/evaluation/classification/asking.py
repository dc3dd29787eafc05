"""Queries a classifier by word ids, in float64, so that small changes show and sums agree."""

from collections.abc import Sequence

import numpy as np
import torch
from jaxtyping import Float, Integer
from torch import Tensor
from torch.func import functional_call
from torch.nn import functional

from attnlab.models.classifier import Classifier
from attnlab.text.bags import Bags, bounds

Sums = list[Float[Tensor, "texts _"]]


class Asker:
    """A classifier that returns log-odds."""

    def __init__(self, classifier: Classifier):
        self.classes, self.features, self.model = classifier.classes, classifier.features, classifier.model.eval()
        self._bias = self.model.bias.detach().double()
        self._layers = [  # without the tables: they may be large
            {name: each.detach().double() for name, each in part.named_parameters() if name != "table"}
            for part in self.model.parts
        ]

    def rows(self, ids: Integer[np.ndarray, " features"]) -> list[Float[Tensor, "features _"]]:
        """For each part of the model: the rows of its table for these features."""
        index = torch.from_numpy(ids.astype(np.int64))
        return [part.table.detach()[index].double() for part in self.model.parts]

    def sums(self, bags: Bags, weights: Float[np.ndarray, " features"] | None = None) -> Sums:
        """For each part of the model: the weighted sum of the rows of each bag."""
        few, places = np.unique(bags.ids, return_inverse=True)
        taken = self.rows(few if len(few) else np.zeros(1, np.int64))
        index, offsets = torch.from_numpy(places), torch.from_numpy(bags.offsets.astype(np.int64))
        factors = torch.ones(len(index), dtype=torch.float64) if weights is None else torch.from_numpy(weights)
        return [
            functional.embedding_bag(
                index, rows, offsets, mode="sum", include_last_offset=True, per_sample_weights=factors
            )
            for rows in taken
        ]

    def logits(self, sums: Sums, counts: Integer[Tensor, " texts"]) -> Float[Tensor, "texts classes"]:
        """The logits from the sums, as in the model, but in float64."""
        counts = counts.clamp(min=1)[:, None]
        parts = zip(self.model.parts, self._layers, sums, strict=True)
        return sum((functional_call(part, layers, (each, counts)) for part, layers, each in parts), start=self._bias)

    def ask(self, texts: Sequence[Integer[np.ndarray, " _"]]) -> Float[np.ndarray, "texts classes"]:
        """The logits of texts that are given as word ids."""
        lengths = np.array([len(each) for each in texts])
        bags = self.features.of_words(Bags(np.concatenate(texts), bounds(lengths)))
        with torch.inference_mode():
            return self.logits(self.sums(bags), torch.from_numpy(bags.lengths)).numpy()


def log_odds(logits: Float[Tensor, "texts classes"], target: int) -> Float[Tensor, " texts"]:
    """ln(p / (1 − p)) of one class; with two classes, the difference of their logits."""
    others = torch.cat([logits[:, :target], logits[:, target + 1 :]], 1)
    return logits[:, target] - others.logsumexp(1)
