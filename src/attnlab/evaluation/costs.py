"""What each token of a text costs a model: all that perplexities, bits per byte and explanations are made from."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from attnlab.errors import ArgumentError
from attnlab.evaluation.charges import Charges, charges
from attnlab.evaluation.subjects import Subject
from attnlab.evaluation.windows import token_nats
from attnlab.text import Encoding


@dataclass(frozen=True)
class Policy:
    """How much of a text the model sees before each token: windows of `context` tokens, in steps of `stride`.

    Left out, the context is all that the model can see, and the stride is the context: disjoint windows.
    """

    context: int | None = None
    stride: int | None = None


@dataclass(frozen=True)
class Costs:
    """A text as a model's tokens, and what each of them cost, the first one too.

    `nats` is what the model charges; `charged` what must be told beside the tokens to have the raw text back.
    """

    text: str
    encoding: Encoding
    nats: Float[np.ndarray, " tokens"]
    charged: Charges
    unknown: Bool[np.ndarray, " tokens"]

    @property
    def comparable(self) -> Float[np.ndarray, " tokens"]:
        """The nats of each token's part of the raw text: what compares across tokenizers."""
        return self.nats + self.charged.spelling + self.charged.surface


def costs(
    subject: Subject, text: str, policy: Policy | None = None, advance: Callable[[int], None] = lambda tokens: None
) -> Costs:
    """What each token of a text costs."""
    encoding = subject.tokenizer.encode(text)
    if not len(encoding):
        raise ArgumentError("text", "expected at least one token, got none")
    ids = encoding.ids
    nats = text_nats(subject, encoding, policy or Policy(), advance)
    unknown = ids == subject.unknown if subject.unknown is not None else np.zeros(len(ids), bool)
    return Costs(text, encoding, nats, charges(subject.tokenizer, text, encoding, subject.unknown), unknown)


def text_nats(
    subject: Subject, encoding: Encoding, policy: Policy, advance: Callable[[int], None] = lambda tokens: None
) -> Float[np.ndarray, " tokens"]:
    """What the model charges for each token of a text.

    The first token is predicted from the model's token for the beginning where it has one; else every token is taken
    to be as likely as any other, so that no byte of the text goes uncounted.
    """
    ids = encoding.ids
    seen = ids if subject.start is None else np.concatenate([np.array([subject.start], ids.dtype), ids])
    nats = token_nats(subject.predictor, seen, context=policy.context, stride=policy.stride, advance=advance)
    return nats if subject.start is not None else np.concatenate([[math.log(subject.predictor.size)], nats])
