"""Byte pairs as tokens: the 256 bytes, and repeated merges of two tokens that are often neighbours."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from jaxtyping import Int, Integer, UInt

from attnlab.errors import ArgumentError
from attnlab.text.encoding import Encoding, before_last_space, checked_ids, empty_encoding, id_dtype, utf8

if TYPE_CHECKING:
    from tokenizers import Tokenizer as Library

# Roughly a word and the space before it: the text between two places where it may be cut.
PIECE = re.compile(r"\s*+\S++(?:[^\S \n]\s*+\S*+)*+|\s++")
MOST_IDS = 10**7
"""The library reserves memory for all ids, and ends the program if there is too little."""
LONGEST = 1_000
"""The length in characters of the pieces into which words are cut for training: its time grows by the square of it."""


@dataclass(frozen=True)
class BytePairTokenizer:
    """Byte-level byte pairs as in GPT-2: no text is unknown, and decoding gives back the exact text.

    The vocabulary is written in GPT-2's alphabet, one visible character for each byte (Ġ for the space). So the number
    of bytes of a token is the length of its name, even if it ends inside a character of the text.

    >>> tokens = BytePairTokenizer.train(["low lower lowest"], vocabulary=259)
    >>> tokens.vocabulary[256:]
    ('lo', 'low', 'Ġlow')
    >>> encoding = tokens.encode("low lowé")
    >>> encoding.ids.tolist()[:2], encoding.raw_bytes.tolist(), tokens.decode(encoding.ids)
    ([257, 258], [3, 4, 1, 1], 'low lowé')
    """

    vocabulary: tuple[str, ...]
    merges: tuple[tuple[str, str], ...]
    kind: ClassVar[str] = "byte-pairs"

    @classmethod
    def train(cls, texts: Iterable[str], vocabulary: int = 4096) -> "BytePairTokenizer":
        """The tokenizer with at most `vocabulary` ids; fewer if no further pair occurs twice in the texts."""
        from tokenizers import trainers

        if vocabulary < 256:
            raise ArgumentError("vocabulary", f"expected at least 256 tokens, one for each byte; got {vocabulary}")
        if vocabulary > MOST_IDS:
            raise ArgumentError("vocabulary", f"expected at most {MOST_IDS:,} tokens, got {vocabulary}")
        library = byte_pair_library({}, [])
        trainer = trainers.BpeTrainer(
            vocab_size=vocabulary,
            min_frequency=2,
            initial_alphabet=sorted(alphabet()),
            show_progress=False,
        )
        library.train_from_iterator(_words(texts), trainer)
        ids = library.get_vocab()
        saved = _merges(library)
        return cls(tuple(sorted(ids, key=ids.__getitem__)), saved)

    @property
    def size(self) -> int:
        """The number of ids."""
        return len(self.vocabulary)

    def encode(self, text: str) -> Encoding:
        """The text as tokens."""
        utf8(text)
        if not text:
            return empty_encoding(self.size)
        return encode_pieces(self._encoder, text, self._lengths)

    def decode(self, ids: Sequence[int] | Integer[np.ndarray, " tokens"]) -> str:
        """The text of the tokens; bytes that are not UTF-8, such as a part of a character, become �."""
        text = "".join(map(self.vocabulary.__getitem__, checked_ids(ids, self.size).tolist()))
        return bytes(map(alphabet().__getitem__, text)).decode("utf-8", errors="replace")

    def cut(self, text: str) -> int:
        """The last place where cutting the text does not change its tokens; 0 if there is no such place.

        It is before a space or an end of line that follows a visible character: no token goes across it.
        """
        return before_last_space(text)

    def to_json(self) -> dict[str, Any]:
        """The tokenizer as JSON."""
        return {"kind": self.kind, "vocabulary": list(self.vocabulary), "merges": [list(pair) for pair in self.merges]}

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> "BytePairTokenizer":
        """The tokenizer from its `to_json`."""
        tokens, merges = value["vocabulary"], value["merges"]
        if not isinstance(tokens, list) or not all(isinstance(token, str) and token for token in tokens):
            raise ValueError("expected a vocabulary of tokens")
        known = set(tokens)
        if len(known) != len(tokens) or not set(alphabet()) <= known or not set("".join(tokens)) <= set(alphabet()):
            raise ValueError("expected a vocabulary with every byte in it, each token once, in GPT-2's alphabet")
        for pair in merges:
            if not (isinstance(pair, list) and len(pair) == 2 and {*pair, "".join(pair)} <= known):
                raise ValueError(f"expected merges of two tokens into one of the vocabulary, got {pair!r}")
        return cls(tuple(tokens), tuple((first, second) for first, second in merges))

    @cached_property
    def _encoder(self) -> "Library":
        return byte_pair_library({token: id for id, token in enumerate(self.vocabulary)}, list(self.merges))

    @cached_property
    def _lengths(self) -> UInt[np.ndarray, " vocab"]:
        return np.array([len(token) for token in self.vocabulary], np.uint32)


def encode_pieces(library: "Library", text: str, lengths: UInt[np.ndarray, " vocab"]) -> Encoding:
    """Encode a text, which must not be empty, with a tokenizer of the library that cuts words as GPT-2 does.

    Most pieces of a text occur many times; each is encoded once. `lengths` has the number of bytes of each token.
    """
    pieces = PIECE.findall(text)
    places = {piece: place for place, piece in enumerate(dict.fromkeys(pieces))}
    found = [each.ids for each in library.encode_batch_fast([*places], add_special_tokens=False)]
    counts = np.fromiter(map(len, found), np.int64, len(found))
    flat = np.fromiter(chain.from_iterable(found), id_dtype(len(lengths)), int(counts.sum()))
    order = np.fromiter(map(places.__getitem__, pieces), np.int64, len(pieces))
    ids = flat[_runs((counts.cumsum() - counts)[order], counts[order])]
    return Encoding(ids, lengths[ids])


def byte_pair_library(vocabulary: dict[str, int], merges: list[tuple[str, str]]) -> "Library":
    """The library's tokenizer with this vocabulary, which cuts words as GPT-2 does."""
    from tokenizers import Tokenizer, models, pre_tokenizers

    library = Tokenizer(models.BPE(vocab=vocabulary, merges=merges))
    # the library's stub has no setter for it
    library.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)  # pyright: ignore[reportAttributeAccessIssue]
    return library


def _merges(library: "Library") -> tuple[tuple[str, str], ...]:
    """The merges of a trained tokenizer of the library, first to last."""
    import json

    return tuple((first, second) for first, second in json.loads(library.to_str())["model"]["merges"])


def _words(texts: Iterable[str]) -> Iterator[str]:
    """The pieces of texts to train on, with those of DNA or base64, which have no spaces, cut into short ones."""
    for text in texts:
        utf8(text)
        for found in PIECE.finditer(text):
            piece = found[0]
            yield from (piece[place : place + LONGEST] for place in range(0, len(piece), LONGEST))


def _runs(starts: Int[np.ndarray, " runs"], lengths: Int[np.ndarray, " runs"]) -> Int[np.ndarray, " numbers"]:
    """The numbers start, start + 1, … of runs of these lengths, one run after the other."""
    behind = lengths.cumsum()
    return np.arange(behind[-1]) + np.repeat(starts - (behind - lengths), lengths)


@lru_cache(maxsize=1)
def alphabet() -> dict[str, int]:
    """The byte of each character of GPT-2's alphabet. Visible bytes stand for themselves; others start at 256."""
    visible = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    others = [byte for byte in range(256) if byte not in visible]
    return {chr(byte): byte for byte in visible} | {chr(256 + place): byte for place, byte in enumerate(others)}
