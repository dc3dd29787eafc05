"""Side information: the nats for the information that tokens lose of the raw text.

A model predicts only its tokens. Several texts may have the same tokens, so the rest is encoded beside them, until the
raw text can be restored: an unknown word is spelled out, and whatever normalisation removed (case, spaces, the digits
of a number) goes through an adaptive code. Tokens that lose nothing need no side information.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from attnlab.evaluation.coding.surface_code import SurfaceCode
from attnlab.evaluation.coding.token_readings import Reading, read
from attnlab.text import Encoding, Tokenizer


@dataclass(frozen=True)
class SideInformation:
    """Nats for each token, on top of its −ln p under the model."""

    spelling: Float[np.ndarray, " tokens"]
    """For spelling the unknown word; 0 for a known word."""
    surface: Float[np.ndarray, " tokens"]
    """For the case, spaces and everything else that normalisation removed."""
    untold: str = ""
    """Why the raw text cannot be restored; empty if it can."""


def charges(tokenizer: Tokenizer, text: str, encoding: Encoding, unknown: int | None = None) -> SideInformation:
    """The nats that must be added to the tokens so that the raw text can be restored.

    `unknown` is a foreign tokenizer's unknown token, if it has one.

    >>> from attnlab.text import train_tokenizer
    >>> tokens = train_tokenizer("characters", "abc")
    >>> charges(tokens, "cäb", tokens.encode("cäb")).spelling.round(2).tolist()
    [0.0, 13.92, 0.0]
    """
    return _charged(SurfaceCode(), read(tokenizer, text, encoding, unknown))


def stream_charges(
    tokenizer: Tokenizer, pieces: Iterable[str], unknown: int | None = None
) -> Iterator[tuple[str, Encoding, SideInformation]]:
    """Yields each piece of a text, its tokens and its side information; the result does not depend on the cuts.

    The pieces must be cut where the tokenizer allows a cut; pieces without tokens are skipped.
    """
    code, last = SurfaceCode(), None
    for piece in pieces:
        encoding = tokenizer.encode(piece)
        if not len(encoding):
            continue
        reading = read(tokenizer, piece, encoding, unknown)
        if last is not None:
            yield last[0], last[1], _charged(code, last[2], reading)
        last = piece, encoding, reading
    if last is not None:
        yield last[0], last[1], _charged(code, last[2])


def _charged(code: SurfaceCode, found: Reading, following: Reading | None = None) -> SideInformation:
    if not found.pieces:
        return SideInformation(found.spelling, np.zeros(len(found.spelling)), found.untold)
    ahead = [column[0] for column in following.pieces] if following and following.pieces else []
    return SideInformation(found.spelling, code.add(found.pieces, ahead))
