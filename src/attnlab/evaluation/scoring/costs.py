"""The cost of each token of a text: perplexity, bits per byte and explanations are computed from it."""

import math
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

import numpy as np
from jaxtyping import Bool, Float, UInt

from attnlab.errors import ArgumentError
from attnlab.evaluation.coding.side_information import SideInformation, with_side_information
from attnlab.evaluation.scoring.predictors import Predictor
from attnlab.evaluation.scoring.subjects import Subject
from attnlab.evaluation.scoring.windows import CHUNK, Share, alone, stream_nats
from attnlab.settings import Range
from attnlab.text import Encoding

MOST_CONTEXT = 4096
"""The default context is at most this many tokens."""


@dataclass(frozen=True)
class Policy:
    """How much of a text the model sees before each token: windows of `context` tokens, in steps of `stride`.

    By default the context is the model's own, and the stride is the context: disjoint windows.
    """

    context: int | None = None
    stride: int | None = None

    @classmethod
    def disjoint(cls, predictor: Predictor) -> "Policy":
        """Disjoint windows of the model's context, up to a limit, since memory holds all logits of a window."""
        context = min(predictor.context, MOST_CONTEXT)
        return cls(context, context)

    @classmethod
    def chosen(cls, predictor: Predictor, context: int | None = None, stride: int | None = None) -> "Policy":
        """Disjoint windows, unless a context or a stride is given. Raises if the model cannot see so much at once."""
        tokens = cls.disjoint(predictor).context if context is None else context
        assert tokens is not None  # disjoint windows have one
        Range(1).require("context", tokens)
        if tokens > predictor.context:
            raise ArgumentError("context", f"the model sees at most {predictor.context:,} tokens at once; got {tokens}")
        step = tokens if stride is None else stride
        Range(1).require("stride", step)
        if step > tokens:
            raise ArgumentError("stride", f"expected at most the {tokens:,} tokens of the context window; got {step}")
        return cls(tokens, step)


@dataclass(frozen=True)
class Costs:
    """A text as tokens, and the cost of each token, including the first.

    `nats` is −ln p of each token under the model; `charged` is the cost of everything that the tokens lose.
    """

    text: str
    encoding: Encoding
    nats: Float[np.ndarray, " tokens"]
    charged: SideInformation
    unknown: Bool[np.ndarray, " tokens"]

    @property
    def comparable(self) -> Float[np.ndarray, " tokens"]:
        """The nats of each token's part of the raw text; comparable across tokenizers."""
        return self.nats + self.charged.spelling + self.charged.case_and_spaces


def costs(
    subject: Subject, text: str, policy: Policy | None = None, advance: Callable[[int], None] = lambda tokens: None
) -> Costs:
    """The cost of each token of a text."""
    for found in stream_costs(subject, [text], policy, advance):
        return found
    raise ArgumentError("text", "expected at least one token, got no tokens")


def stream_costs(
    subject: Subject,
    pieces: Iterable[str],
    policy: Policy | None = None,
    advance: Callable[[int], None] = lambda tokens: None,
    share: Share = alone,
) -> Iterator[Costs]:
    """Yields the costs piece by piece, in bounded memory; the model sees the text as a whole. Processes may `share` the
    windows.

    The pieces must be cut where the tokenizer allows a cut; pieces without tokens are skipped.
    """
    waiting: deque[tuple[str, Encoding, SideInformation]] = deque()

    def chunks() -> Iterator[UInt[np.ndarray, " _"]]:
        for each in with_side_information(subject.tokenizer, pieces, subject.unknown):
            waiting.append(each)
            yield each[1].ids

    nats = np.empty(0)
    for some in _stream(subject, chunks(), policy or Policy(), share):
        nats = np.concatenate([nats, some])
        advance(len(some))
        while waiting and len(nats) >= len(waiting[0][1]):
            text, encoding, charged = waiting.popleft()
            own, nats = nats[: len(encoding)], nats[len(encoding) :]
            unknown = encoding.ids == subject.unknown if subject.unknown is not None else np.zeros(len(own), bool)
            yield Costs(text, encoding, own, charged, unknown)


def text_nats(
    subject: Subject,
    ids: UInt[np.ndarray, " tokens"],
    policy: Policy,
    advance: Callable[[int], None] = lambda tokens: None,
) -> Float[np.ndarray, " tokens"]:
    """−ln p of each token of a text under the model."""
    found, done = np.empty(len(ids)), 0
    for some in _stream(subject, (ids[first : first + CHUNK] for first in range(0, len(ids), CHUNK)), policy):
        advance(len(some))
        found[done : done + len(some)] = some
        done += len(some)
    return found


def _stream(
    subject: Subject, chunks: Iterable[UInt[np.ndarray, " _"]], policy: Policy, share: Share = alone
) -> Iterator[Float[np.ndarray, " _"]]:
    """Yields −ln p of each token under the model, in pieces.

    The first token is predicted from the model's start token. If there is no start token, every first token counts as
    equally likely, so that every byte of the text is counted.
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
    settings = {"context": policy.context, "stride": policy.stride, "share": share}
    yield from stream_nats(subject.predictor, chain(opened, chunks), **settings)
