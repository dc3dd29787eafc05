"""What a model's tokens do not tell of the raw text, and what telling it costs.

A model pays for its tokens alone. Where they are fewer than the texts that they could stand for, the rest is told
beside them, so that the raw text could be had back: an unknown word is spelled, and what normalisation took (case,
spaces, which number it was) is told by a code that learns as it goes. Tokens that give the text back are charged 0.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from jaxtyping import Float

from attnlab.evaluation.spelling import spelled_character, spelled_words
from attnlab.evaluation.surface import surface_nats
from attnlab.text import Encoding, Tokenizer
from attnlab.text.characters import CharacterTokenizer
from attnlab.text.normalisation import LINE_END
from attnlab.text.words import WordTokenizer

LOSSLESS = ("bytes", "byte-pairs")


@dataclass(frozen=True)
class Charges:
    """Nats for each token on top of what the model charges for it."""

    spelling: Float[np.ndarray, " tokens"]
    """Of spelling the unknown word that it stands for; 0 for a known one."""
    surface: Float[np.ndarray, " tokens"]
    """Of the case, spaces and whatever else normalisation took from what it stands for."""
    untold: str = ""
    """Why something is lost that is not charged for, in words; empty where the charges give the raw text back."""


def charges(tokenizer: Tokenizer, text: str, encoding: Encoding, unknown: int | None = None) -> Charges:
    """What must be told beside the tokens so that the raw text can be had back from them.

    `unknown` is the token for whatever a tokenizer from elsewhere does not know, where it has one.

    >>> from attnlab.text import train_tokenizer
    >>> tokens = train_tokenizer("characters", "abc")
    >>> charges(tokens, "cäb", tokens.encode("cäb")).spelling.round(2).tolist()
    [0.0, 13.92, 0.0]
    """
    nothing = np.zeros(len(encoding))
    if tokenizer.kind in LOSSLESS or not len(encoding):
        return Charges(nothing, nothing)
    if isinstance(tokenizer, CharacterTokenizer):
        return Charges(np.where(encoding.ids == 0, spelled_character(tokenizer.vocabulary), 0.0), nothing)
    if isinstance(tokenizer, WordTokenizer):
        return _of_words(tokenizer, text, encoding)
    if tokenizer.decode(encoding.ids) == text:
        return Charges(nothing, nothing)
    return _of_pieces(tokenizer, text, encoding, unknown)


def _of_words(tokenizer: WordTokenizer, text: str, encoding: Encoding) -> Charges:
    """An unknown word is spelled in the form that words are looked up in; its case is told like any other's."""
    seen, raw = word_pieces(tokenizer, text)
    unknown = np.flatnonzero(encoding.ids == 0)
    different = sorted({seen[place] for place in unknown})
    # WikiText writes <unk> for its own unknown words: a word like any other here, and one that is not in a vocabulary.
    costs = dict(zip(different, spelled_words(different, (*tokenizer.vocabulary, "<unk>")).tolist(), strict=True))
    spelling = np.zeros(len(encoding))
    spelling[unknown] = [costs[seen[place]] for place in unknown]
    return Charges(spelling, surface_nats(seen, raw))


def word_pieces(tokenizer: WordTokenizer, text: str) -> tuple[list[str], list[str]]:
    """The word that each token stands for, known or spelled, and the raw text that it covers."""
    rule = tokenizer.normalisation
    raw = rule.parts(text)
    words = {part: rule.word(part) for part in set(raw)}
    seen = ["\n" if words[part] == LINE_END and rule.lines else words[part] for part in raw]
    raw[0] = text[: len(text) - sum(map(len, raw[1:]))]  # what stands before the first word is its, too
    return seen, raw


def _of_pieces(tokenizer: Tokenizer, text: str, encoding: Encoding, unknown: int | None) -> Charges:
    """Each token's bytes of raw text, told to one who has seen what the token reads as."""
    nothing, covered, there = np.zeros(len(encoding)), int(encoding.raw_bytes.sum()), len(text.encode())
    if covered != there:
        why = f"its tokens cover {covered} of the text's {there} bytes, and do not give the text back"
        return Charges(nothing, nothing, why)
    told = surface_nats(*token_pieces(tokenizer, text, encoding, unknown))
    spelled = encoding.ids == unknown if unknown is not None else np.zeros(len(encoding), bool)
    return Charges(np.where(spelled, told, 0.0), np.where(spelled, 0.0, told))


def token_pieces(
    tokenizer: Tokenizer, text: str, encoding: Encoding, unknown: int | None = None
) -> tuple[list[str], list[str], list[str]]:
    """What each token reads as, the raw text that it covers, and whether it is joined to the token before it."""
    whole, ends = text.encode(), np.cumsum(encoding.raw_bytes, dtype=np.int64).tolist()
    # A token may end inside a character; surrogateescape keeps such bytes as they are.
    raw = [whole[start:stop].decode("utf-8", "surrogateescape") for start, stop in pairwise([0, *ends])]
    # By itself a token may read otherwise than after another: its space is gone, or a mark is there that it goes on.
    readings = {
        id: tokenizer.decode([id, id])[len(tokenizer.decode([id])) :] for id in np.unique(encoding.ids).tolist()
    }
    if unknown is not None:
        readings[unknown] = " "
    after = [readings[id] for id in encoding.ids.tolist()]
    return [each.strip() for each in after], raw, ["apart" if each[:1].isspace() else "joined" for each in after]
