"""A deep averaging network (Iyyer et al. 2015): the average of a text's word vectors, and layers on top of it.

a = Σ_g v_g / n        h = tanh(W a + b), layer by layer        logits = c + U h + Σ_g r_g / √n

g runs over the n features of a text: words and, hashed, n-grams of them. Their order is gone. The last term, as an
option, lets each feature vote without a layer between; votes begin as naive Bayes has them (Wang & Manning 2012).
Leaving out features at random in training (word dropout) keeps the network from relying on a few of them.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Annotated, Literal

import torch
from jaxtyping import Float, Integer
from torch import Tensor, nn
from torch.nn import functional

from attnlab.errors import ArgumentError
from attnlab.settings import Count, Range, settings, tag

Ids = Integer[Tensor, " features"]
Offsets = Integer[Tensor, " bounds"]
Dropout = Annotated[float, Range(0, 1, below=True)]


@settings
class AveragingConfig:
    """The shape of an averaging network."""

    kind: Literal["averaging"] = tag(default="averaging")
    dim: Annotated[int, Range(0)] = 100
    """The width of the vectors that are averaged; with 0 there are no vectors, and features only vote."""
    layers: Annotated[int, Range(0)] = 1
    """How many hidden layers."""
    hidden: Count = 100
    """The width of each."""
    votes: Literal["none", "bayes"] = "none"
    """bayes: each feature also votes by itself, at first with its naive-Bayes ratio."""
    learn: Literal["all", "layers"] = "all"
    """layers: the vectors stay as they were given, and the layers alone learn."""
    word_dropout: Dropout = 0.3
    """The share of features that are left out in training."""
    dropout: Dropout = 0.0
    """The share of hidden coordinates that are left out in training."""

    def __post_init__(self):
        if self.dim == 0 and self.votes == "none":
            raise ArgumentError("dim", "expected at least 1 where features do not vote, got 0")


class AveragingNetwork(nn.Module):
    """Logits of the classes for texts that come as one flat row of feature ids, and where each text begins.

    >>> model = AveragingNetwork(AveragingConfig(dim=8), size=50, classes=3)
    >>> model(torch.tensor([4, 7, 4, 9]), torch.tensor([0, 3, 4])).shape
    torch.Size([2, 3])
    """

    def __init__(self, config: AveragingConfig, size: int, classes: int):
        super().__init__()
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
        """What adds to the logits, each with a `table` that has a row for each feature."""
        return [part for part in (self.network, self.votes) if part is not None]

    def drop(
        self, ids: Ids, offsets: Offsets, random: torch.Generator | None = None
    ) -> tuple[Integer[Tensor, " kept"], Offsets]:
        """Word dropout: in training, the features without those that are left out."""
        share = self.config.word_dropout
        if not self.training or not share:
            return ids, offsets
        kept = torch.rand(len(ids), generator=random) >= share
        return ids[kept], functional.pad(kept.cumsum(0), (1, 0))[offsets]

    def sums(self, ids: Ids, offsets: Offsets) -> list[Float[Tensor, "texts _"]]:
        """For each part, the sum of its table's rows over the features of each text: all that a text is to it."""
        return [bag_sums(ids, part.table, offsets) for part in self.parts]

    def logits(
        self, sums: Sequence[Float[Tensor, "texts _"]], counts: Integer[Tensor, " texts"]
    ) -> Float[Tensor, "texts classes"]:
        """The logits from the sums and the number of features that each text has."""
        counts = counts.clamp(min=1)[:, None]
        return sum((part(each, counts) for part, each in zip(self.parts, sums, strict=True)), start=self.bias)


class AveragedVectors(nn.Module):
    """The average of vectors, through layers."""

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
        """What the network adds to the logits."""
        x = sums / counts
        for layer in self.layers:
            x = self.dropout(torch.tanh(layer(x)))
        return self.readout(x)


class Votes(nn.Module):
    """A number a feature and class, added up; of two classes, one number is for the second and against the first."""

    def __init__(self, config: AveragingConfig, size: int, classes: int):
        super().__init__()
        self.table = nn.Parameter(torch.zeros(size, 1 if classes == 2 else classes))
        self.kept = 1 - config.word_dropout

    def forward(
        self, sums: Float[Tensor, "texts votes"], counts: Integer[Tensor, "texts 1"]
    ) -> Float[Tensor, "texts classes"]:
        """What votes add to the logits."""
        votes = sums / counts.sqrt()
        if (
            self.training
        ):  # of n features, kept·n were added and counted: without this, votes would be weaker than later
            votes = votes / self.kept**0.5
        return torch.cat([-votes, votes], 1) / 2 if votes.shape[1] == 1 else votes


def bag_sums(ids: Ids, table: Float[Tensor, "rows dim"], offsets: Offsets) -> Float[Tensor, "bags dim"]:
    """The sum of a table's rows over each bag of ids."""
    return functional.embedding_bag(ids, table, offsets.to(ids.dtype), mode="sum", include_last_offset=True)
