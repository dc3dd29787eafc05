"""From nats to the units that people read."""

import math

from attnlab.errors import ArgumentError

LN2 = math.log(2)


def perplexity(nats_per_token: float) -> float:
    """e to the nats per token: the model is as unsure as among this many equally likely tokens.

    >>> round(perplexity(math.log(6)), 9), perplexity(1e6)
    (6.0, inf)
    """
    return math.inf if nats_per_token >= 700 else math.exp(nats_per_token)


def check_perplexity(nats_per_token: float, given: float) -> None:
    """Raise unless a perplexity is e to the nats per token beside it, up to rounding: else one of them was changed.

    >>> check_perplexity(0.001, 7.84)
    Traceback (most recent call last):
    attnlab.errors.ArgumentError: perplexity: expected e to the nats per token (0.001), which is 1.001; got 7.84
    """
    expected = perplexity(nats_per_token)
    if not math.isclose(given, expected, rel_tol=1e-6):
        said = f"expected e to the nats per token ({nats_per_token:.6g}), which is {expected:.6g}; got {given:.6g}"
        raise ArgumentError("perplexity", said)


def bits(nats: float) -> float:
    """Nats in bits.

    >>> bits(math.log(8))
    3.0
    """
    return nats / LN2


def bits_per_byte(nats: float, raw_bytes: int) -> float:
    """The cost of a text in bits for each byte of the raw file.

    >>> bits_per_byte(8 * math.log(2), 4)
    2.0
    """
    return bits(nats) / raw_bytes


def finite(number: float | None) -> float | None:
    """The number for JSON; None stands for NaN and infinity.

    >>> finite(0.5), finite(math.inf), finite(None)
    (0.5, None, None)
    """
    return number if number is not None and math.isfinite(number) else None
