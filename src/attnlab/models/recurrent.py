"""A recurrent language model: a memory vector that each token updates.

h_t = cell(E[id_t], h_{t−1})    logits_t = W h_t

The cell is a GRU (Cho et al. 2014) or an LSTM (Hochreiter & Schmidhuber 1997), from torch.
"""

from dataclasses import dataclass
from typing import Annotated, Literal

from jaxtyping import Float, Int
from torch import Tensor, nn

from attnlab.settings import Count, Layers, Range, settings, tag


@settings
class RecurrentConfig:
    """The shape of a recurrent model."""

    kind: Literal["recurrent"] = tag(default="recurrent")
    cell: Literal["gru", "lstm"] = "gru"
    """gru: gated recurrent unit; lstm: long short-term memory, with one more gate and a second memory vector."""
    layers: Layers = 1
    """The number of cells, one on top of the other."""
    width: Count = 256
    """The width of the embeddings and of the memory."""
    context: Count = 128
    """The tokens per training sequence; the model can read longer texts."""
    dropout: Annotated[float, Range(0, 1, below=True)] = 0.0
    """The share of coordinates that dropout sets to 0 in training."""
    train_vectors: bool = True
    """Train the vectors of the tokens, too."""


@dataclass
class Memory:
    """The memory of a recurrent model between tokens; empty before the first token."""

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
        self.embedding.weight.requires_grad_(config.train_vectors)

    def forward(
        self, ids: Int[Tensor, "batch positions"], cache: Memory | None = None
    ) -> Float[Tensor, "batch positions vocab"]:
        """The logits. With a cache, `ids` are the tokens after the cached ones, and the cache is updated."""
        return self.readout(self.hidden(ids, cache))

    def hidden(
        self, ids: Int[Tensor, "batch positions"], cache: Memory | None = None
    ) -> Float[Tensor, "batch positions width"]:
        """The vectors before the read-out."""
        x, state = self.cell(self.dropout(self.embedding(ids)), cache.state if cache is not None else None)
        if cache is not None:
            cache.state, cache.length = state, cache.length + ids.shape[1]
        return self.dropout(x)
