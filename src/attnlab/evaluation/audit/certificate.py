"""The audit of a measurement: every check there is, in one certificate."""

from attnlab.errors import ArgumentError
from attnlab.evaluation.audit.accounts import every_byte, first_token
from attnlab.evaluation.audit.causal import causal
from attnlab.evaluation.audit.normalised import normalised
from attnlab.evaluation.audit.records import Certificate
from attnlab.evaluation.audit.repeated import batch_invariant, deterministic
from attnlab.evaluation.audit.trials import Trial
from attnlab.evaluation.costs import Costs
from attnlab.evaluation.ledger import Ledger, ledger
from attnlab.evaluation.subjects import Subject

HARD_TEXT = (
    "\ufeffIt was the 3rd of May, and the café on the corner had sold 1,250 cups.\r\n"
    "\tEverybody said: “It’s naïve — isn't it?”  “Ja,” said Σωκράτης, “e\u0301 vero!” 東京は雨。\r\n\r\n"
    "👩‍👩‍👧 and 🇨🇭 went home; a \ufffd stayed, <unk> and <|endoftext|> too.\n\n"
    "The rest of it was quiet, and nothing at all was said of the price, which nobody knew. \n"
)
"""What is easily miscounted: a byte-order mark, CRLF, characters of 1 to 4 bytes, names of special tokens, spaces."""


def audit(
    subject: Subject,
    text: str = HARD_TEXT,
    *,
    raw: bytes | None = None,
    measured: Costs | None = None,
    counted: Ledger | None = None,
    seed: int = 0,
) -> Certificate:
    """The certificate of a model on a text.

    `raw` is the file that the text was read from, by default the text in UTF-8; `measured` what was found for it, so
    that the measurement itself is checked; `counted` the ledger, where that has been made already, as of a text too
    large to be held at once.
    """
    tokenizer, predictor = subject.tokenizer, subject.predictor
    if predictor.size < tokenizer.size:
        expected = f"expected a model that predicts the tokenizer's {tokenizer.size:,} tokens"
        raise ArgumentError("model", f"{expected}, got one that predicts {predictor.size:,}")
    encoding = measured.encoding if measured is not None else tokenizer.encode(text)
    if not len(encoding):
        raise ArgumentError("text", "expected at least one token, got none")
    found = counted or ledger(tokenizer, text, encoding, raw=raw, unknown=subject.unknown)
    trial = Trial.of(predictor, encoding.ids, tokenizer.size, seed)
    checks = (
        causal(trial),
        normalised(trial),
        every_byte(found),
        first_token(subject, encoding, measured),
        batch_invariant(trial),
        deterministic(trial),
    )
    return Certificate(subject.name, checks, found)
