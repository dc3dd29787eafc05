"""A model measured on a text: perplexity and bits per byte, with confidence intervals.

Token perplexity is exp(nats per token). It compares only models with the same tokens. Bits per byte of the raw file,
bits per character and word perplexity compare across tokenizers, because they count all of the raw text: unknown words
are spelled out, and everything that normalisation removed is encoded (coding/side_information.py).
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from attnlab.errors import ArgumentError
from attnlab.evaluation.scoring.costs import Costs, Policy, stream_costs
from attnlab.evaluation.scoring.intervals import Estimate, Sums, estimated, spread
from attnlab.evaluation.scoring.nats_to_units import LN2, bits, finite, perplexity
from attnlab.evaluation.scoring.subjects import Subject
from attnlab.evaluation.scoring.tallies import Tally
from attnlab.evaluation.scoring.windows import Share, alone


@dataclass(frozen=True)
class Measure:
    """The cost of a text under one policy, in every unit."""

    context: int
    stride: int
    windowed: bool
    """Whether the windows make a difference; they make none for a model with a tiny context."""
    tokens: int
    raw_bytes: int
    characters: int
    words: int
    unknown: float
    """The share of tokens that are unknown."""
    nats_per_token: Estimate
    """Of the tokens alone, without spelling unknown words out."""
    known_nats_per_token: Estimate | None
    """Over known words only; None if no word is known."""
    spelled_nats_per_token: Estimate
    """With unknown words spelled out and everything that normalisation removed added; comparable across tokenizers."""
    bits_per_byte: Estimate
    bits_per_character: Estimate
    nats_per_word: Estimate | None
    """None if the text has no words."""
    spelling_bits_per_byte: float
    """The part of `bits_per_byte` that spells unknown words out."""
    case_and_spaces_bits_per_byte: float
    """The part of `bits_per_byte` that encodes capitals, spaces and the like."""
    untold: str
    """Why the comparable units are lower bounds; empty if they are not."""
    interval_from: str
    """What the intervals are made from; empty if there are none."""
    no_interval_because: str
    """Why there are no intervals; empty if there are."""
    parts: tuple[Sums, Sums] = field(repr=False, compare=False)
    """The comparable bits and the bytes of each part of the text, for intervals of differences."""

    @property
    def finite(self) -> bool:
        """Whether bits per byte is a finite number."""
        return math.isfinite(self.bits_per_byte.value)

    @property
    def perplexity(self) -> Estimate:
        """exp(nats per token)."""
        return self.nats_per_token.map(perplexity)

    @property
    def known_perplexity(self) -> Estimate | None:
        """The perplexity over known words only."""
        return self.known_nats_per_token and self.known_nats_per_token.map(perplexity)

    @property
    def spelled_perplexity(self) -> Estimate:
        """The perplexity with unknown words spelled out."""
        return self.spelled_nats_per_token.map(perplexity)

    @property
    def word_perplexity(self) -> Estimate | None:
        """The perplexity per word; counts all of the raw text. None if it is too large for a number: a text without
        spaces is one word."""
        found = self.nats_per_word and self.nats_per_word.map(perplexity)
        too_large = self.finite and found is not None and math.inf in (found.value, found.high)
        return None if too_large else found

    def to_dict(self) -> dict[str, Any]:
        """All fields, and the perplexities with base e and base 2."""
        perplexities = {
            "perplexity": self.perplexity,
            "perplexity_base_2": self.nats_per_token.map(lambda nats: 2.0 ** min(bits(nats), 1023.0)),
            "perplexity_known": self.known_perplexity,
            "perplexity_spelled": self.spelled_perplexity,
            "word_perplexity": self.word_perplexity,
        }
        own = {each.name: getattr(self, each.name) for each in fields(self) if each.name != "parts"}
        values = {name: _finite(each) if isinstance(each, Estimate) else each for name, each in own.items()}
        return values | {name: each and _finite(each) for name, each in perplexities.items()}


def difference(first: Measure, second: Measure) -> Estimate:
    """How many more bits per byte the first model costs than the second on the same text, with an interval.

    Both models are measured on the same parts of the text, so the interval is that of the difference of each part.
    """
    value = first.bits_per_byte.value - second.bits_per_byte.value
    return estimated(value, spread(first.parts, second.parts))


def measure(
    subject: Subject,
    pieces: str | Iterable[str],
    policy: Policy | None = None,
    advance: Callable[[int], None] = lambda tokens: None,
    witness: Callable[[Costs], None] = lambda found: None,
    share: Share = alone,
) -> Measure:
    """Measures a model on a text, or on pieces of a text, cut where the tokenizer allows a cut
    (data.tokens.cut_again). The witness (audit.Witness) sees every piece. Processes may `share` the windows."""
    pieces, policy = [pieces] if isinstance(pieces, str) else pieces, policy or Policy()
    tally, untold = Tally(), ""
    for found in stream_costs(subject, pieces, policy, advance, share):
        tally.add(found)
        witness(found)
        untold = untold or found.charged.untold
    if not tally.total("tokens"):
        raise ArgumentError("text", "expected at least one token, got no tokens")
    nats, spelled, per_byte, per_character = (
        _given(tally.ratio(top, bottom))
        for top, bottom in (
            ("nats", "tokens"),
            ("comparable", "tokens"),
            ("comparable", "bytes"),
            ("comparable", "characters"),
        )
    )
    raw_bytes, tokens = tally.total("bytes"), tally.total("tokens")
    context = policy.context or subject.predictor.context
    return Measure(
        context,
        policy.stride or context,
        subject.predictor.windowed,
        *(round(tally.total(name)) for name in ("tokens", "bytes", "characters", "words")),
        unknown=1 - tally.total("known") / tokens,
        nats_per_token=nats,
        known_nats_per_token=tally.ratio("known_nats", "known"),
        spelled_nats_per_token=spelled,
        bits_per_byte=per_byte.map(bits),
        bits_per_character=per_character.map(bits),
        nats_per_word=tally.ratio("comparable", "words"),
        spelling_bits_per_byte=bits(tally.total("spelling") / raw_bytes),
        case_and_spaces_bits_per_byte=bits(tally.total("case_and_spaces") / raw_bytes),
        untold=untold,
        interval_from=tally.interval_from(),
        no_interval_because=tally.no_interval_because(),
        parts=(tally.parts.column("comparable") / LN2, tally.parts.column("bytes")),
    )


def _given(found: Estimate | None) -> Estimate:
    assert found is not None  # there are tokens, and tokens cover bytes
    return found


def _finite(found: Estimate) -> dict[str, float | None]:
    """An estimate as JSON; NaN and infinities become null."""
    return {name: finite(each) for name, each in asdict(found).items()}
