"""How well a model predicts a text: one pass over all of it, every token but the first predicted exactly once.

The text is cut into windows of the model's context, one behind the other: the first token of a window is predicted
from the last of the window before it alone, so no number depends on how windows are batched or where sampling fell.
"""

import math
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any, Protocol, runtime_checkable

import numpy as np
import torch
from jaxtyping import Float, Integer
from torch import Tensor
from torch.nn import functional

from attnlab.errors import ArgumentError
from attnlab.models.bigram import Bigram
from attnlab.models.kinds import Learner, Model
from attnlab.models.ngram import NGram

LOGITS_AT_ONCE = 1 << 25
"""How many logits are held at a time."""


@runtime_checkable
class Encoded(Protocol):
    """A text as tokens: an Encoding, or a file of tokens."""

    @property
    def ids(self) -> np.ndarray:
        """The tokens."""
        ...

    @property
    def raw_bytes(self) -> np.ndarray:
        """The bytes of the raw text that each covers."""
        ...


@dataclass(frozen=True)
class Score:
    """What a text cost a model: −ln p of all its tokens but the first, how many they are, and their bytes of raw text.

    >>> score = Score(nats=3 * math.log(2), tokens=3, raw_bytes=6)
    >>> round(score.perplexity, 6), round(score.bits_per_byte, 6)
    (2.0, 0.5)
    """

    nats: float
    tokens: int
    raw_bytes: int

    @property
    def nats_per_token(self) -> float:
        """The mean of −ln p; it compares models with the same tokens."""
        return self.nats / self.tokens

    @property
    def perplexity(self) -> float:
        """exp of that: among how many equally likely tokens the model is in doubt."""
        return math.exp(self.nats_per_token) if self.nats_per_token < 700 else math.inf

    @property
    def bits_per_byte(self) -> float:
        """The bits that a byte of the raw text costs; it compares models with different tokens, too."""
        return self.nats / math.log(2) / self.raw_bytes

    def as_json(self) -> dict[str, Any]:
        """The score, and what follows from it."""
        own = {name: getattr(self, name) for name in ("nats_per_token", "perplexity", "bits_per_byte")}
        return own | asdict(self)


def score(model: Model, text: Encoded, *, batch: int | None = None) -> Score:
    """The score of a model on a text. `batch`, how many windows go at once, changes nothing.

    >>> from attnlab.text import train_tokenizer
    >>> encoded = train_tokenizer("bytes", "").encode("abracadabra")
    >>> model = NGram.fit(encoded.ids, size=256, order=1)
    >>> score(model, encoded).tokens
    10
    """
    ids = text.ids
    if len(ids) < 2:
        raise ArgumentError("text", f"expected at least two tokens to score, got {len(ids)}")
    if isinstance(model, NGram):
        nats = float(model.nats(ids)[1:].sum())
    elif isinstance(model, Bigram):
        nats = float(model.nats(torch.from_numpy(np.asarray(ids, np.int64))).double().sum())
    else:
        nats = _windowed(model, ids, batch)
    return Score(nats, len(ids) - 1, int(np.asarray(text.raw_bytes[1:]).sum(dtype=np.int64)))


@torch.no_grad()
def _windowed(model: Learner, ids: Integer[np.ndarray, " tokens"], batch: int | None) -> float:
    was_training = model.training
    model.eval()
    context, device = model.config.context, next(model.parameters()).device
    whole = (len(ids) - 1) // context
    at_once = batch or max(1, min(LOGITS_AT_ONCE // (context * model.readout.out_features), 256))
    cuts = [*range(0, whole, at_once), whole]
    nats = torch.zeros((), dtype=torch.float64, device=device)
    for first, last in pairwise(cuts):
        nats += _nats(model, ids[first * context : last * context + 1], context, device) if last > first else 0
    if whole * context < len(ids) - 1:
        nats += _nats(model, ids[whole * context :], len(ids) - 1 - whole * context, device)
    model.train(was_training)
    return float(nats)


def _nats(model: Learner, ids: Integer[np.ndarray, " tokens"], context: int, device: torch.device) -> Float[Tensor, ""]:
    """−ln p of all tokens but the first, in windows of the context; they must fill the last one."""
    tokens = torch.from_numpy(np.asarray(ids, np.int64)).to(device)
    logits = model(tokens[:-1].view(-1, context)).flatten(0, 1).float()
    return functional.cross_entropy(logits, tokens[1:], reduction="none").double().sum()
