"""What a model's tokens do not say of the raw text, and how many nats it takes to say it.

A model predicts its tokens alone. Where several texts have the same tokens, the rest is encoded beside them, so that
the raw text comes back: an unknown word is spelled out, and what normalisation removed (case, spaces, which number it
was) is encoded by a code that learns as it goes. For tokens that give the text back, this costs nothing.
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
    """Nats for each token on top of its −ln p under the model."""

    spelling: Float[np.ndarray, " tokens"]
    """Of spelling the unknown word that it stands for; 0 for a known one."""
    surface: Float[np.ndarray, " tokens"]
    """Of the case, spaces and whatever else normalisation removed from what it stands for."""
    untold: str = ""
    """Why these nats do not give the raw text back, in words; empty where they do."""


def charges(tokenizer: Tokenizer, text: str, encoding: Encoding, unknown: int | None = None) -> SideInformation:
    """What must be added to the tokens so that the raw text comes back from them.

    `unknown` is the token for whatever a tokenizer from elsewhere does not know, where it has one.

    >>> from attnlab.text import train_tokenizer
    >>> tokens = train_tokenizer("characters", "abc")
    >>> charges(tokens, "cäb", tokens.encode("cäb")).spelling.round(2).tolist()
    [0.0, 13.92, 0.0]
    """
    return _charged(SurfaceCode(), read(tokenizer, text, encoding, unknown))


def stream_charges(
    tokenizer: Tokenizer, pieces: Iterable[str], unknown: int | None = None
) -> Iterator[tuple[str, Encoding, SideInformation]]:
    """Each piece of a text, its tokens and what is charged beside them: the same wherever the text was cut.

    The pieces must be cut where the tokenizer says; those without tokens are left out.
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
