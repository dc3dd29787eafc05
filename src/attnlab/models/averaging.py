"""A deep averaging network (Iyyer et al. 2015): layers on the average of a text's word vectors.

a = Σ_g v_g / n        h = tanh(W a + b), layer by layer        logits = c + U h + Σ_g r_g / √n

g runs over the n features of a text: words and hashed n-grams of words. The network does not see their order. The last
term is optional: each feature votes without a layer between. Votes start at naive Bayes's ratios (Wang & Manning 2012).
Word dropout leaves out random features in training, so that the network does not rely on a few of them.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Annotated, Literal

import torch
from jaxtyping import Float, Integer
from torch import Tensor, nn
from torch.nn import functional

from attnlab.errors import ArgumentError
from attnlab.models.room import check_room
from attnlab.settings import Count, Range, settings, tag

Ids = Integer[Tensor, " features"]
Offsets = Integer[Tensor, " bounds"]
Dropout = Annotated[float, Range(0, 1, below=True)]


@settings
class AveragingConfig:
    """The shape of an averaging network."""

    kind: Literal["averaging"] = tag(default="averaging")
    dim: Annotated[int, Range(0)] = 100
    """The width of the averaged vectors; 0: no vectors, features only vote."""
    layers: Annotated[int, Range(0, 10_000)] = 1
    """The number of hidden layers."""
    hidden: Count = 100
    """The width of each hidden layer."""
    votes: Literal["none", "bayes"] = "none"
    """bayes: each feature also votes on its own; the vote starts at its naive-Bayes ratio."""
    learn: Literal["all", "layers"] = "all"
    """layers: only the layers are trained, and the vectors stay as they are."""
    word_dropout: Dropout = 0.3
    """The share of features that are left out in training (word dropout)."""
    dropout: Dropout = 0.0
    """The share of hidden coordinates that dropout sets to 0 in training."""

    def __post_init__(self):
        if self.dim == 0 and self.votes == "none":
            raise ArgumentError("dim", "expected at least 1, or --model.votes bayes; got 0")


class AveragingNetwork(nn.Module):
    """Logits of the classes; the texts are one flat array of feature ids, and the offset where each text begins.

    >>> model = AveragingNetwork(AveragingConfig(dim=8), size=50, classes=3)
    >>> model(torch.tensor([4, 7, 4, 9]), torch.tensor([0, 3, 4])).shape
    torch.Size([2, 3])
    """

    def __init__(self, config: AveragingConfig, size: int, classes: int):
        super().__init__()
        check_room(size * config.dim + config.layers * config.hidden * min(config.dim, config.hidden))
        self.config, self.size, self.classes = config, size, classes
        self.network = AveragedVectors(config, size, classes) if config.dim else None
        self.votes = Votes(config, size, classes) if config.votes == "bayes" else None
        self.bias = nn.Parameter(torch.zeros(classes))

    def forward(self, ids: Ids, offsets: Offsets) -> Float[Tensor, "texts classes"]:
        """The logits; `offsets` ends with the number of ids."""
        ids, offsets = self.drop(ids, offsets)
        return self.logits(self.sums(ids, offsets), offsets.diff())

    @property
    def parts(self) -> "list[AveragedVectors | Votes]":
        """The modules that add to the logits; each has a `table` with a row for each feature."""
        return [part for part in (self.network, self.votes) if part is not None]

    def drop(
        self, ids: Ids, offsets: Offsets, random: torch.Generator | None = None
    ) -> tuple[Integer[Tensor, " kept"], Offsets]:
        """The features after word dropout; all features if the model is not in training."""
        share = self.config.word_dropout
        if not self.training or not share:
            return ids, offsets
        kept = torch.rand(len(ids), generator=random) >= share
        return ids[kept], functional.pad(kept.cumsum(0), (1, 0))[offsets]

    def sums(self, ids: Ids, offsets: Offsets) -> list[Float[Tensor, "texts _"]]:
        """For each part, the sum of its table's rows over the features of each text."""
        return [bag_sums(ids, part.table, offsets) for part in self.parts]

    def logits(
        self, sums: Sequence[Float[Tensor, "texts _"]], counts: Integer[Tensor, " texts"]
    ) -> Float[Tensor, "texts classes"]:
        """The logits, from the sums and the number of features of each text."""
        counts = counts.clamp(min=1)[:, None]
        return sum((part(each, counts) for part, each in zip(self.parts, sums, strict=True)), start=self.bias)


class AveragedVectors(nn.Module):
    """Layers on the average of vectors."""

    def __init__(self, config: AveragingConfig, size: int, classes: int):
        super().__init__()
        self.table = nn.Parameter(0.1 * torch.randn(size, config.dim), requires_grad=config.learn == "all")
        widths = [config.dim, *[config.hidden] * config.layers]
        self.layers = nn.ModuleList(nn.Linear(before, after) for before, after in pairwise(widths))
        self.dropout = nn.Dropout(config.dropout)
        self.readout = nn.Linear(widths[-1], classes, bias=False)

    def forward(
        self, sums: Float[Tensor, "texts dim"], counts: Integer[Tensor, "texts 1"]
    ) -> Float[Tensor, "texts classes"]:
        """The network's part of the logits."""
        x = sums / counts
        for layer in self.layers:
            x = self.dropout(torch.tanh(layer(x)))
        return self.readout(x)


class Votes(nn.Module):
    """The sum of one number per feature and class; for two classes, one number per feature, for the second class."""

    def __init__(self, config: AveragingConfig, size: int, classes: int):
        super().__init__()
        self.table = nn.Parameter(torch.zeros(size, 1 if classes == 2 else classes))
        self.kept = 1 - config.word_dropout

    def forward(
        self, sums: Float[Tensor, "texts votes"], counts: Integer[Tensor, "texts 1"]
    ) -> Float[Tensor, "texts classes"]:
        """The votes' part of the logits."""
        votes = sums / counts.sqrt()
        if self.training:  # word dropout keeps only a share of the features, so votes would be weaker than later
            votes = votes / self.kept**0.5
        return torch.cat([-votes, votes], 1) / 2 if votes.shape[1] == 1 else votes


def bag_sums(ids: Ids, table: Float[Tensor, "rows dim"], offsets: Offsets) -> Float[Tensor, "bags dim"]:
    """The sum of a table's rows over each bag of ids."""
    return functional.embedding_bag(ids, table, offsets.to(ids.dtype), mode="sum", include_last_offset=True)
