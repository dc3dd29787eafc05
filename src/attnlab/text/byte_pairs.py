"""Byte pairs as tokens: the 256 bytes, and pairs of tokens that are often neighbours, merged again and again."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from jaxtyping import Int, Integer, UInt

from attnlab.errors import ArgumentError
from attnlab.text.cutting import before_last_space
from attnlab.text.encoding import Encoding, checked_ids, empty_encoding, id_dtype, utf8

if TYPE_CHECKING:
    from tokenizers import Tokenizer as Library

# About a word and the space before it: what stands between the places where a text may be cut.
PIECE = re.compile(r"\s*+\S++(?:[^\S \n]\s*+\S*+)*+|\s++")


@dataclass(frozen=True)
class BytePairTokenizer:
    """Byte-level byte pairs, as GPT-2 has them: nothing is unknown, and the text comes back exactly.

    The vocabulary is written in GPT-2's alphabet, one visible character a byte (Ġ for the space), so the bytes that a
    token covers are the characters of its name, also where it ends inside a character of the text.

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
        """The tokenizer of at most `vocabulary` ids; fewer where the texts have no more pairs that occur twice."""
        from tokenizers import trainers

        if vocabulary < 256:
            raise ArgumentError("vocabulary", f"expected at least 256, one for each byte, got {vocabulary}")
        library = _library({}, [])
        trainer = trainers.BpeTrainer(
            vocab_size=vocabulary, min_frequency=2, initial_alphabet=sorted(alphabet()), show_progress=False
        )
        library.train_from_iterator((piece[0] for text in texts for piece in PIECE.finditer(_checked(text))), trainer)
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
        """The text of the tokens; bytes that are no UTF-8, such as a part of a character, become �."""
        text = "".join(map(self.vocabulary.__getitem__, checked_ids(ids, self.size).tolist()))
        return bytes(map(alphabet().__getitem__, text)).decode("utf-8", errors="replace")

    def cut(self, text: str) -> int:
        """The last place where the text can be cut so that its parts encode as the whole does; 0 where there is none.

        It is before a space or an end of line that follows something else: no token goes beyond it.
        """
        return before_last_space(text)

    def to_json(self) -> dict[str, Any]:
        """The tokenizer as JSON."""
        return {"kind": self.kind, "vocabulary": list(self.vocabulary), "merges": [list(pair) for pair in self.merges]}

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> "BytePairTokenizer":
        """The tokenizer that `to_json` saved."""
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
        return _library({token: id for id, token in enumerate(self.vocabulary)}, list(self.merges))

    @cached_property
    def _lengths(self) -> UInt[np.ndarray, " vocab"]:
        return np.array([len(token) for token in self.vocabulary], np.uint32)


def encode_pieces(library: "Library", text: str, lengths: UInt[np.ndarray, " vocab"]) -> Encoding:
    """A text that is not empty as the library's tokenizer, which cuts words as GPT-2 does, encodes it.

    Most pieces of a text come many times, and are encoded once. `lengths` has the bytes of each token.
    """
    pieces = PIECE.findall(text)
    places = {piece: place for place, piece in enumerate(dict.fromkeys(pieces))}
    found = [each.ids for each in library.encode_batch_fast([*places], add_special_tokens=False)]
    counts = np.fromiter(map(len, found), np.int64, len(found))
    flat = np.fromiter(chain.from_iterable(found), id_dtype(len(lengths)), int(counts.sum()))
    order = np.fromiter(map(places.__getitem__, pieces), np.int64, len(pieces))
    ids = flat[_runs((counts.cumsum() - counts)[order], counts[order])]
    return Encoding(ids, lengths[ids])


def _library(vocabulary: dict[str, int], merges: list[tuple[str, str]]) -> "Library":
    """The library's tokenizer with this vocabulary, which cuts words as GPT-2 does."""
    from tokenizers import Tokenizer, models, pre_tokenizers

    library = Tokenizer(models.BPE(vocab=vocabulary, merges=merges))
    # the library's stub has no setter for it
    library.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)  # pyright: ignore[reportAttributeAccessIssue]
    return library


def _merges(library: "Library") -> tuple[tuple[str, str], ...]:
    """The merges that the library has learnt, first to last."""
    import json

    return tuple((first, second) for first, second in json.loads(library.to_str())["model"]["merges"])


def _checked(text: str) -> str:
    utf8(text)
    return text


def _runs(starts: Int[np.ndarray, " runs"], lengths: Int[np.ndarray, " runs"]) -> Int[np.ndarray, " numbers"]:
    """The numbers start, start + 1, … of runs of given lengths, one run behind the other."""
    behind = lengths.cumsum()
    return np.arange(behind[-1]) + np.repeat(starts - (behind - lengths), lengths)


@lru_cache(maxsize=1)
def alphabet() -> dict[str, int]:
    """The byte that each character of GPT-2's alphabet stands for: itself if visible, else the next one from 256 on."""
    visible = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    others = [byte for byte in range(256) if byte not in visible]
    return {chr(byte): byte for byte in visible} | {chr(256 + place): byte for place, byte in enumerate(others)}
