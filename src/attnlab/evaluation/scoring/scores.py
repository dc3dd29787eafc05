"""How well a model predicts a text: one pass over all of it, every token but the first predicted exactly once.

The text is cut into disjoint windows of the model's context: the first token of a window is predicted from the last of
the window before it alone, so no number depends on how windows are batched or where sampling fell.
"""

from dataclasses import asdict, dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from torch import nn

from attnlab.errors import ArgumentError
from attnlab.evaluation.scoring.predictors import predictor_of
from attnlab.evaluation.scoring.units import bits, perplexity
from attnlab.evaluation.scoring.windows import token_nats
from attnlab.models.kinds import Model


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

    >>> import math
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
        return perplexity(self.nats_per_token)

    @property
    def bits_per_byte(self) -> float:
        """The bits that a byte of the raw text costs; it compares models with different tokens, too."""
        return bits(self.nats) / self.raw_bytes

    def as_json(self) -> dict[str, Any]:
        """The score, and what follows from it."""
        own = {name: getattr(self, name) for name in ("nats_per_token", "perplexity", "bits_per_byte")}
        return own | asdict(self)


def score(model: Model, text: Encoded, *, batch: int | None = None) -> Score:
    """The score of a model on a text. `batch`, how many windows go at once, changes nothing.

    >>> from attnlab.text import train_tokenizer
    >>> encoded = train_tokenizer("bytes", "").encode("abracadabra")
    >>> from attnlab.models.ngram import NGram
    >>> model = NGram.fit(encoded.ids, size=256, order=1)
    >>> score(model, encoded).tokens
    10
    """
    if len(text.ids) < 2:
        raise ArgumentError("text", f"expected at least two tokens to score, got {len(text.ids)}")
    was_training = isinstance(model, nn.Module) and model.training
    nats = float(token_nats(predictor_of(model), text.ids, batch=batch).sum())
    if isinstance(model, nn.Module):
        model.train(was_training)
    return Score(nats, len(text.ids) - 1, int(np.asarray(text.raw_bytes[1:]).sum(dtype=np.int64)))
