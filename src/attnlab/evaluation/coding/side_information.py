"""Side information: the nats for the information that tokens lose of the raw text.

A model predicts only its tokens. Several texts may have the same tokens, so the rest is encoded beside them, until the
raw text can be restored: an unknown word is spelled out, and whatever normalisation removed (case, spaces, the digits
of a number) is told by a fixed code (text/case_and_spaces/code.py). It is learnt from the training text, so that the
price of a piece does not depend on the length of the text that is measured. Tokens that lose nothing need no side
information.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from jaxtyping import Float

from attnlab.evaluation.coding.token_readings import TokenReading, read
from attnlab.text import Encoding, Tokenizer
from attnlab.text.case_and_spaces.code import CaseAndSpacesCode, CaseAndSpacesTeller
from attnlab.text.case_and_spaces.learning import USUAL
from attnlab.text.external import ExternalTokenizer
from attnlab.text.words import WordTokenizer


@dataclass(frozen=True)
class SideInformation:
    """Nats for each token, on top of its −ln p under the model."""

    spelling: Float[np.ndarray, " tokens"]
    """For spelling the unknown word; 0 for a known word."""
    case_and_spaces: Float[np.ndarray, " tokens"]
    """For the case, spaces and everything else that normalisation removed."""
    untold: str = ""
    """Why the raw text cannot be restored; empty if it can."""


def with_side_information(
    tokenizer: Tokenizer, pieces: Iterable[str], unknown: int | None = None
) -> Iterator[tuple[str, Encoding, SideInformation]]:
    """Yields each piece of a text, its tokens, and the nats that must be added to them so that the raw text can be
    restored; the result does not depend on the cuts. `unknown` is an external tokenizer's unknown token, if it has one.

    The pieces must be cut where the tokenizer allows a cut; pieces without tokens are skipped.

    >>> from attnlab.text import train_tokenizer
    >>> ((_, _, found),) = with_side_information(train_tokenizer("characters", "abc"), ["cäb"])
    >>> found.spelling.round(2).tolist()
    [0.0, 13.92, 0.0]
    """
    teller, last = None, None
    for piece in pieces:
        encoding = tokenizer.encode(piece)
        if not len(encoding):
            continue
        reading = read(tokenizer, piece, encoding, unknown)
        teller = teller or _teller(tokenizer, reading, unknown)
        if last is not None:
            yield last[0], last[1], _charged(teller, last[2], reading)
        last = piece, encoding, reading
    if last is not None:
        yield last[0], last[1], _charged(teller, last[2])


def _teller(tokenizer: Tokenizer, found: TokenReading, unknown: int | None) -> CaseAndSpacesTeller | None:
    """Tells what the tokens of a text lose; None if this text loses nothing, or if it cannot be recovered."""
    return CaseAndSpacesTeller(case_and_spaces_code(tokenizer, unknown)) if found.pieces else None


def case_and_spaces_code(tokenizer: Tokenizer, unknown: int | None = None) -> CaseAndSpacesCode:
    """The code that a tokenizer has learnt; if it has learnt none, the code of a short English text in its tokens."""
    if isinstance(tokenizer, WordTokenizer | ExternalTokenizer) and tokenizer.case_and_spaces is not None:
        return tokenizer.case_and_spaces
    return _usual_code(tokenizer, unknown)


@lru_cache(maxsize=4)
def _usual_code(tokenizer: Tokenizer, unknown: int | None) -> CaseAndSpacesCode:
    usual = read(tokenizer, USUAL, tokenizer.encode(USUAL), unknown).pieces
    return CaseAndSpacesCode.learn(*([usual] if usual else []))


def _charged(
    teller: CaseAndSpacesTeller | None, found: TokenReading, following: TokenReading | None = None
) -> SideInformation:
    if teller is None or not found.pieces:
        return SideInformation(found.spelling, np.zeros(len(found.spelling)), found.untold)
    ahead = following.pieces[0] if following and following.pieces else None
    return SideInformation(found.spelling, teller.add(found.pieces, ahead))
