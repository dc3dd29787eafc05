"""The text that each token decodes to, beside the raw text that it covers, and the cost of spelling unknown words."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from jaxtyping import Bool, Float

from attnlab.evaluation.coding.spelling import spelled_character, spelled_words
from attnlab.text import Encoding, Tokenizer
from attnlab.text.case_and_spaces.code import APART, JOINED, Pieces
from attnlab.text.case_and_spaces.learning import word_pieces
from attnlab.text.characters import CharacterTokenizer
from attnlab.text.external import ExternalTokenizer
from attnlab.text.normalisation import LINE_END
from attnlab.text.words import UNKNOWN, WordTokenizer

LOSSLESS = ("bytes", "byte-pairs")


@dataclass(frozen=True)
class TokenReading:
    """The text of tokens, and the information that they lose."""

    spelling: Float[np.ndarray, " tokens"]
    """The nats for spelling each unknown word; 0 for a known word."""
    pieces: Pieces | None = None
    """What was lost; None if nothing was lost, or if it cannot be recovered."""
    untold: str = ""
    """Why it cannot be recovered."""


def read(tokenizer: Tokenizer, text: str, encoding: Encoding, unknown: int | None = None) -> TokenReading:
    """Reads the tokens of a text; `unknown` is an external tokenizer's unknown token."""
    nothing = np.zeros(len(encoding))
    if tokenizer.kind in LOSSLESS or not len(encoding):
        return TokenReading(nothing)
    if isinstance(tokenizer, CharacterTokenizer):
        return TokenReading(np.where(encoding.ids == 0, spelled_character(tokenizer.vocabulary), 0.0))
    if isinstance(tokenizer, WordTokenizer):
        pieces = word_pieces(text, tokenizer.normalisation)
        # WikiText writes <unk> for its own unknown words: a word like any other here, but not in a vocabulary.
        strange = encoding.ids == 0
        words = [pieces.different[number][0] for number in pieces.numbers[strange].tolist()]
        return TokenReading(_spelled(words, strange, (*tokenizer.vocabulary, UNKNOWN)), pieces)
    covered, there = int(encoding.raw_bytes.sum()), len(text.encode())
    strange = encoding.ids == unknown if unknown is not None else np.zeros(len(encoding), bool)
    if not (strange.any() or _spaces_are_guessed(tokenizer)) and tokenizer.decode(encoding.ids) == text:
        return TokenReading(nothing)
    if covered != there:
        why = f"its tokens cover {covered} of the text's {there} bytes, so the text cannot be restored"
        return TokenReading(nothing, untold=why)
    return _of_pieces(tokenizer, text, encoding, strange)


def _of_pieces(
    tokenizer: Tokenizer, text: str, encoding: Encoding, strange: Bool[np.ndarray, " tokens"]
) -> TokenReading:
    """The reading of an external tokenizer's tokens; `strange` marks the unknown tokens."""
    raw, after = raw_pieces(text, encoding), readings(tokenizer, encoding.ids.tolist())
    known = np.flatnonzero(~strange).tolist()
    vocabulary = _vocabulary(tokenizer, set(encoding.ids[strange].tolist())) if strange.any() else []
    first = tokenizer.decode(encoding.ids[:1])
    exact = all(raw[place] == (after[place] if place else first) for place in known)
    if exact and not _spaces_are_guessed(tokenizer):
        unknown = [raw[place] for place in np.flatnonzero(strange)]
        if all(len(each) == 1 for each in (*vocabulary, *unknown)):
            return TokenReading(np.where(strange, spelled_character("".join(vocabulary)), 0.0))
        return TokenReading(_spelled(unknown, strange, _words(vocabulary)))
    seen = [_bare(each) for each in after]
    for place in np.flatnonzero(strange):
        seen[place], after[place] = _unknown_word(tokenizer, raw[place]), " "
    sorts = [APART if each[:1].isspace() else JOINED for each in after]
    unknown = [seen[place] for place in np.flatnonzero(strange)]
    return TokenReading(
        _spelled(unknown, strange, _words(vocabulary)), Pieces.of([*zip(seen, raw, sorts, strict=True)])
    )


def raw_pieces(text: str, encoding: Encoding) -> list[str]:
    """The raw text of each token. A token may end inside a character: surrogateescape keeps its bytes."""
    whole, ends = text.encode(), np.cumsum(encoding.raw_bytes, dtype=np.int64).tolist()
    return [whole[start:stop].decode("utf-8", "surrogateescape") for start, stop in pairwise([0, *ends])]


def readings(tokenizer: Tokenizer, ids: Sequence[int]) -> list[str]:
    """The text of each token after another token: decoded alone, it may lose its space or show a continuation mark."""
    found = {id: tokenizer.decode([id, id])[len(tokenizer.decode([id])) :] for id in set(ids)}
    return [found[id] for id in ids]


def _bare(reading: str) -> str:
    """A reading without the space before it."""
    bare = reading.strip() or reading.removeprefix(" ")
    return "\n" if bare == LINE_END else bare


def _vocabulary(tokenizer: Tokenizer, unknown: set[int]) -> list[str]:
    """The distinct texts of all tokens but the unknown ones."""
    found = readings(tokenizer, [id for id in range(tokenizer.size) if id not in unknown])
    return [each for each in dict.fromkeys(found) if each]


def _words(vocabulary: list[str]) -> tuple[str, ...]:
    """The words that the speller is fitted on, as the lab's own tokenizer would write them."""
    bare = (LINE_END if each == "\n" else each for each in map(_bare, vocabulary))
    return tuple(dict.fromkeys((*filter(None, bare), UNKNOWN)))


def _spaces_are_guessed(tokenizer: Tokenizer) -> bool:
    """Whether decoding puts a space between any two tokens: the library does so if there is no decoder."""
    return isinstance(tokenizer, ExternalTokenizer) and tokenizer.library.decoder is None


def _unknown_word(tokenizer: Tokenizer, raw: str) -> str:
    """The word in the raw text of one unknown token."""
    if isinstance(tokenizer, ExternalTokenizer) and not any("\ud800" <= sign <= "\udfff" for sign in raw):
        found = tokenizer.library.encode(raw, add_special_tokens=False)
        if len(found.ids) == 1:
            start, stop = found.offsets[0]
            rule = tokenizer.library.normalizer
            return rule.normalize_str(raw[start:stop]) if rule else raw[start:stop]
    return raw.strip()


def _spelled(
    words: list[str], strange: Bool[np.ndarray, " tokens"], vocabulary: tuple[str, ...]
) -> Float[np.ndarray, " tokens"]:
    """The nats for spelling the strange tokens, which are these words, by the words of a vocabulary."""
    different = sorted(set(words))
    nats = dict(zip(different, spelled_words(different, vocabulary).tolist(), strict=True))
    found = np.zeros(len(strange))
    found[strange] = [nats[word] for word in words]
    return found
