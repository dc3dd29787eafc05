"""The score of a model on a held-out text: one pass over it that counts every token and every byte once.

It equals `measure` in disjoint windows, without intervals: a model has the same bits per byte in training and under
`attnlab perplexity`. A text is tokenized once and scored at every validation."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from jaxtyping import UInt
from torch import nn

from attnlab.data.tokens.files import cut_again
from attnlab.errors import ArgumentError
from attnlab.evaluation.coding.side_information import with_side_information
from attnlab.evaluation.scoring.costs import Policy, text_nats
from attnlab.evaluation.scoring.nats_to_units import bits_per_byte, check_perplexity, perplexity
from attnlab.evaluation.scoring.subjects import subject_of, unknown_token
from attnlab.models.kinds import Model
from attnlab.settings import settings
from attnlab.text import Tokenizer


@settings
class Score:
    """The score of a model on a text, as result.json holds it."""

    nats_per_token: float
    """The mean of −ln p over all tokens; compares only models with the same tokens."""
    perplexity: float
    """e to the nats per token: among how many equally likely tokens the model is in doubt."""
    bits_per_byte: float
    """The bits per byte of raw text, with unknown words spelled out; compares models with any tokens."""
    unknown: float
    """The share of tokens that are unknown."""

    def __post_init__(self):
        check_perplexity(self.nats_per_token, self.perplexity)

    def to_dict(self) -> dict[str, Any]:
        """The score as JSON."""
        return asdict(self)


@dataclass(frozen=True)
class HeldOut:
    """A tokenized text, ready to be scored.

    >>> from attnlab.text import train_tokenizer
    >>> text = HeldOut.of(train_tokenizer("bytes", ""), ["abracadabra"])
    >>> from attnlab.models.ngrams.ngram import NGram
    >>> round(text.score(NGram.fit(text.ids, size=256, order=1)).bits_per_byte, 3)
    2.897
    """

    tokenizer: Tokenizer
    ids: UInt[np.ndarray, " tokens"]
    raw_bytes: int
    """The size of the raw text."""
    charged: float
    """The nats of everything that the tokens lose: unknown words, case and spaces."""

    @classmethod
    def of(cls, tokenizer: Tokenizer, pieces: Iterable[str]) -> "HeldOut":
        """Tokenizes the pieces of a text."""
        ids, raw_bytes, charged = [], 0, 0.0
        for _, encoding, beside in with_side_information(
            tokenizer, cut_again(tokenizer, pieces), unknown_token(tokenizer)
        ):
            ids.append(encoding.ids)
            raw_bytes += int(encoding.raw_bytes.sum(dtype=np.int64))
            charged += float(beside.spelling.sum() + beside.case_and_spaces.sum())
        if not ids:
            raise ArgumentError("text", "expected at least one token to score, got no tokens")
        return cls(tokenizer, np.concatenate(ids), raw_bytes, charged)

    def __len__(self) -> int:
        """The number of tokens."""
        return len(self.ids)

    def score(self, model: Model, policy: Policy | None = None) -> Score:
        """Scores a model; a model in training mode stays in training mode."""
        was_training = isinstance(model, nn.Module) and model.training
        subject = subject_of("", model, self.tokenizer)
        nats = float(text_nats(subject, self.ids, policy or Policy.disjoint(subject.predictor)).sum())
        if isinstance(model, nn.Module):
            model.train(was_training)
        unknown = float((self.ids == subject.unknown).mean()) if subject.unknown is not None else 0.0
        per_token = nats / len(self)
        return Score(per_token, perplexity(per_token), bits_per_byte(nats + self.charged, self.raw_bytes), unknown)
