"""A recurrent language model: one vector of memory, updated token by token.

h_t = cell(E[id_t], h_{t−1})    logits_t = W h_t

The cell is a GRU (Cho et al. 2014) or an LSTM (Hochreiter & Schmidhuber 1997), as torch has them.
"""

from dataclasses import dataclass
from typing import Annotated, Literal

from jaxtyping import Float, Int
from torch import Tensor, nn

from attnlab.settings import Count, Range, settings, tag


@settings
class RecurrentConfig:
    """The shape of a recurrent model."""

    kind: Literal["recurrent"] = tag(default="recurrent")
    cell: Literal["gru", "lstm"] = "gru"
    """A gated recurrent unit, or a long short-term memory, which has one more gate and a second vector of memory."""
    layers: Count = 1
    """How many cells, one on top of the other."""
    width: Count = 256
    """The width of the embeddings and of the memory."""
    context: Count = 128
    """How many tokens it is trained on at once; it can go on for longer."""
    dropout: Annotated[float, Range(0, 1, below=True)] = 0.0
    """The share of coordinates that are left out in training."""


@dataclass
class Memory:
    """What a recurrent model carries from token to token; empty before the first."""

    length: int = 0
    state: Tensor | tuple[Tensor, Tensor] | None = None


class Recurrent(nn.Module):
    """Logits for the next token at every position, from the tokens up to it.

    >>> import torch
    >>> model = Recurrent(RecurrentConfig(width=8), size=5)
    >>> model(torch.tensor([[1, 2, 3]])).shape
    torch.Size([1, 3, 5])
    """

    def __init__(self, config: RecurrentConfig, size: int):
        super().__init__()
        self.config = config
        cell = {"gru": nn.GRU, "lstm": nn.LSTM}[config.cell]
        between = config.dropout if config.layers > 1 else 0.0
        self.embedding = nn.Embedding(size, config.width)
        self.cell = cell(config.width, config.width, config.layers, batch_first=True, dropout=between)
        self.dropout = nn.Dropout(config.dropout)
        self.readout = nn.Linear(config.width, size)
        nn.init.normal_(self.embedding.weight, std=config.width**-0.5)

    def forward(
        self, ids: Int[Tensor, "batch positions"], cache: Memory | None = None
    ) -> Float[Tensor, "batch positions vocab"]:
        """The logits. With a memory, `ids` are the tokens after those that it has seen, and it sees them too."""
        return self.readout(self.hidden(ids, cache))

    def hidden(
        self, ids: Int[Tensor, "batch positions"], cache: Memory | None = None
    ) -> Float[Tensor, "batch positions width"]:
        """What the read-out reads."""
        x, state = self.cell(self.dropout(self.embedding(ids)), cache.state if cache is not None else None)
        if cache is not None:
            cache.state, cache.length = state, cache.length + ids.shape[1]
        return self.dropout(x)
