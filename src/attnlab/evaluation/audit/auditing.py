"""The audit of a measurement: all checks, in one certificate."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import UInt

from attnlab.errors import ArgumentError
from attnlab.evaluation.audit.accounts import every_byte, first_token
from attnlab.evaluation.audit.byte_ledger import ByteLedger, byte_ledger
from attnlab.evaluation.audit.causal import causal
from attnlab.evaluation.audit.certificate import Certificate
from attnlab.evaluation.audit.normalised import normalised
from attnlab.evaluation.audit.probes import Probe, parameters
from attnlab.evaluation.audit.recount import recounted
from attnlab.evaluation.audit.repeated import batch_invariant, deterministic
from attnlab.evaluation.audit.witness import Witness
from attnlab.evaluation.scoring.costs import Costs, Policy, text_nats
from attnlab.evaluation.scoring.predictors import Predictor
from attnlab.evaluation.scoring.subjects import Subject

MOST_TOKENS = 1 << 14
"""An audit measures at most this many tokens …"""
MOST_WORK = 10_000_000_000
"""… and at most this many tokens times parameters: a large model gets smaller windows."""
HARD_TEXT = (
    "\ufeffIt was the 3rd of May, and the café on the corner had sold 1,250 cups.\r\n"
    "\tEverybody said: “It’s naïve — isn't it?”  “Ja,” said Σωκράτης, “e\u0301 vero!” 東京は雨。\r\n\r\n"
    "👩‍👩‍👧 and 🇨🇭 went home; a \ufffd stayed, <unk> and <|endoftext|> too.\n\n"
    "The rest of it was quiet, and nothing at all was said of the price, which nobody knew. \n"
)
"""A text that is easily miscounted: byte-order mark, CRLF, characters of 1 to 4 bytes, special tokens, spaces."""


def audit(
    subject: Subject,
    text: str = HARD_TEXT,
    *,
    raw: bytes | None = None,
    measured: Costs | None = None,
    counted: ByteLedger | None = None,
    policies: Sequence[Policy] = (Policy(),),
    seed: int = 0,
) -> Certificate:
    """Returns the certificate of a model on a text.

    `raw` is the file that the text was read from (default: the text in UTF-8). `measured` is the measurement to check.
    `counted` is the byte ledger if there is one already, for example for a text too large to hold at once. The
    beginning of the text is measured and recounted under each of the `policies`; without any, the caller recounts.
    """
    tokenizer, predictor = subject.tokenizer, subject.predictor
    if predictor.size < tokenizer.size:
        got = f"got one that predicts {predictor.size:,}; use the tokenizer that it was trained with"
        raise ArgumentError("model", f"expected a model that predicts the tokenizer's {tokenizer.size:,} tokens, {got}")
    encoding = measured.encoding if measured is not None else tokenizer.encode(text)
    if not len(encoding):
        raise ArgumentError("text", "expected at least one token, got no tokens")
    found = counted or byte_ledger(tokenizer, text, encoding, raw=raw, unknown=subject.unknown)
    probe = Probe.of(predictor, encoding.ids, tokenizer.size, seed)
    checks = (
        causal(probe),
        normalised(probe),
        every_byte(found),
        first_token(subject, encoding, measured),
        batch_invariant(probe),
        deterministic(probe),
    )
    certificate = Certificate(subject.name, checks, found)
    if not policies or not checks[3].passed:  # without a valid first token nothing can be measured
        return certificate
    witnesses = [_witness(subject, encoding.ids, each, measured, seed) for each in policies]
    return recounted(certificate, witnesses, seed=seed)


def _witness(
    subject: Subject, ids: UInt[np.ndarray, " tokens"], policy: Policy, measured: Costs | None, seed: int
) -> Witness:
    """The witness of the measurement, or of the beginning of the text, measured now and padded with random tokens.

    The random tokens fill the windows, and find a leak that depends on a token that the text does not contain.
    """
    if measured is not None:
        witness = Witness(subject, policy, len(ids), seed)
        witness.add(ids, measured.nats)
        return witness
    context = policy.context or subject.predictor.context
    quick = max(min(MOST_TOKENS, MOST_WORK // parameters(subject.predictor)), 64)
    # With small steps a token is seen often, so fewer tokens are affordable.
    most = max(quick * (policy.stride or context) // context, min(quick, 2 * context))
    policy = _fitting(subject.predictor, policy, most)
    more = max(min(most, len(ids) + 3 * subject.tokenizer.size) - len(ids), 0)
    others = np.resize(np.random.default_rng(seed).permutation(subject.tokenizer.size), more).astype(ids.dtype)
    some = np.concatenate([ids[:most], others])
    witness = Witness(subject, policy, len(some), seed)
    witness.add(some, text_nats(subject, some, policy))
    return witness


def _fitting(predictor: Predictor, policy: Policy, tokens: int) -> Policy:
    """The policy, or one with smaller windows, so that this many tokens fill more than one window."""
    context = policy.context or predictor.context
    stride = policy.stride or context
    smaller = min(context, max(2 * tokens // 3, 1))
    if smaller == context:
        return policy
    return Policy(smaller, max(stride * smaller // context, 1))
