"""What each token of a text costs a model: all that perplexities, bits per byte and explanations are made from."""

import math
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

import numpy as np
from jaxtyping import Bool, Float, UInt

from attnlab.errors import ArgumentError
from attnlab.evaluation.coding.side_information import SideInformation, stream_charges
from attnlab.evaluation.scoring.predictors import Predictor
from attnlab.evaluation.scoring.subjects import Subject
from attnlab.evaluation.scoring.windows import stream_nats
from attnlab.text import Encoding

MOST_CONTEXT = 4096
"""Tokens that are seen at most unless more are asked for."""


@dataclass(frozen=True)
class Policy:
    """How much of a text the model sees before each token: windows of `context` tokens, in steps of `stride`.

    Left out, the context is all that the model can see, and the stride is the context: disjoint windows.
    """

    context: int | None = None
    stride: int | None = None

    @classmethod
    def disjoint(cls, predictor: Predictor) -> "Policy":
        """Disjoint windows of all that a model can see, up to a limit: all logits of a window are held at once."""
        context = min(predictor.context, MOST_CONTEXT)
        return cls(context, context)


@dataclass(frozen=True)
class Costs:
    """A text as a model's tokens, and what each of them cost, the first one too.

    `nats` is −ln p of each token under the model; `charged` the nats of all that the tokens do not say of the raw text.
    """

    text: str
    encoding: Encoding
    nats: Float[np.ndarray, " tokens"]
    charged: SideInformation
    unknown: Bool[np.ndarray, " tokens"]

    @property
    def comparable(self) -> Float[np.ndarray, " tokens"]:
        """The nats of each token's part of the raw text: what compares across tokenizers."""
        return self.nats + self.charged.spelling + self.charged.surface


def costs(
    subject: Subject, text: str, policy: Policy | None = None, advance: Callable[[int], None] = lambda tokens: None
) -> Costs:
    """What each token of a text costs."""
    for found in stream_costs(subject, [text], policy, advance):
        return found
    raise ArgumentError("text", "expected at least one token, got none")


def stream_costs(
    subject: Subject,
    pieces: Iterable[str],
    policy: Policy | None = None,
    advance: Callable[[int], None] = lambda tokens: None,
) -> Iterator[Costs]:
    """The same piece by piece, in bounded memory; the model sees the text as a whole.

    The pieces must be cut where the tokenizer says; those without tokens are left out.
    """
    waiting: deque[tuple[str, Encoding, SideInformation]] = deque()

    def chunks() -> Iterator[UInt[np.ndarray, " _"]]:
        for each in stream_charges(subject.tokenizer, pieces, subject.unknown):
            waiting.append(each)
            yield each[1].ids

    nats = np.empty(0)
    for some in _stream(subject, chunks(), policy or Policy()):
        nats = np.concatenate([nats, some])
        advance(len(some))
        while waiting and len(nats) >= len(waiting[0][1]):
            text, encoding, charged = waiting.popleft()
            own, nats = nats[: len(encoding)], nats[len(encoding) :]
            unknown = encoding.ids == subject.unknown if subject.unknown is not None else np.zeros(len(own), bool)
            yield Costs(text, encoding, own, charged, unknown)


def text_nats(
    subject: Subject, encoding: Encoding, policy: Policy, advance: Callable[[int], None] = lambda tokens: None
) -> Float[np.ndarray, " tokens"]:
    """−ln p of each token of a text under the model."""
    found = []
    for some in _stream(subject, [encoding.ids], policy):
        advance(len(some))
        found.append(some)
    return np.concatenate(found)


def _stream(
    subject: Subject, chunks: Iterable[UInt[np.ndarray, " _"]], policy: Policy
) -> Iterator[Float[np.ndarray, " _"]]:
    """−ln p of each token under the model, in pieces.

    The first token is predicted from the model's token for the beginning where it has one; else every token is taken
    to be as likely as any other, so that no byte of the text goes uncounted.
    """
    chunks = iter(chunks)
    first = next(chunks, None)
    if first is None:
        return
    if subject.start is None:
        yield np.array([math.log(subject.predictor.size)])
        opened = [first]
    else:
        opened = [np.array([subject.start]), first]
    yield from stream_nats(subject.predictor, chain(opened, chunks), context=policy.context, stride=policy.stride)
