"""A tokenizer of the library `tokenizers`, with the number of raw bytes that each token covers."""

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from jaxtyping import Int, Integer, UInt

from attnlab.errors import ArgumentError
from attnlab.text.byte_pairs import encode_pieces
from attnlab.text.case_and_spaces.code import CaseAndSpacesCode
from attnlab.text.encoding import (
    Encoding,
    before_last_space,
    byte_lengths,
    checked_ids,
    code_points,
    empty_encoding,
    id_dtype,
    utf8,
)

if TYPE_CHECKING:
    from tokenizers import Tokenizer as Library


@dataclass(frozen=True)
class ExternalTokenizer:
    """Any tokenizer of the library. It adds no special tokens to a text, but encodes those that the text spells out.

    Each byte of a text is counted once, whatever was normalised: a token covers its characters and all others up to the
    next token; the first token also covers what precedes it. A token without characters covers no bytes.
    """

    library: "Library"
    case_and_spaces: CaseAndSpacesCode | None = field(default=None, repr=False, compare=False)
    """The code of what its tokens do not tell; None if it was not learnt."""
    kind: ClassVar[str] = "external"

    def __post_init__(self) -> None:
        if getattr(self.library.model, "dropout", None) is not None:
            self.library.model.dropout = None  # would choose merges at random
        self.library.no_truncation()
        self.library.no_padding()

    @property
    def size(self) -> int:
        """The number of ids."""
        return len(self._lengths)

    def encode(self, text: str) -> Encoding:
        """The text as tokens."""
        total = len(utf8(text))
        if not text:
            return empty_encoding(self.size)
        if self.plain and not any(added in text for added in self._added):
            return encode_pieces(self.library, text, self._lengths)
        found = _encoded(self.library, text)
        if not found.ids:
            raise ArgumentError("text", f"expected at least one token, got {len(text)} characters and no token")
        ids = np.array(found.ids, id_dtype(self.size))
        if self._byte_level:
            lengths = self._lengths[ids]
            if lengths.sum() == total:  # else the tokenizer normalised, added or dropped something
                return Encoding(ids, lengths)
        return Encoding(ids, covered_bytes(text, np.array(found.offsets, np.int64)))

    def decode(self, ids: Sequence[int] | Integer[np.ndarray, " tokens"]) -> str:
        """The text of the tokens."""
        return self.library.decode(checked_ids(ids, self.size).tolist(), skip_special_tokens=False)

    def cut(self, text: str) -> int:
        """The last place where cutting the text does not change its tokens; 0 if no place is certain."""
        return before_last_space(text) if self.plain and self._added_stay_in_words else 0

    def to_json(self) -> dict[str, Any]:
        """The tokenizer as JSON."""
        return {"kind": self.kind, "library": self._parts}

    @cached_property
    def unknown(self) -> int | None:
        """The id of the unknown token, or None."""
        model = self._parts["model"]
        if model["type"] == "Unigram":
            return model.get("unk_id")
        name = model.get("unk_token")
        return None if name is None else self.library.token_to_id(name)

    @cached_property
    def plain(self) -> bool:
        """Whether the tokenizer cuts words as GPT-2 does, and normalises nothing."""
        before = self._parts["pre_tokenizer"] or {}
        return self._byte_level and before.get("use_regex", False) and not before.get("add_prefix_space", True)

    @cached_property
    def _byte_level(self) -> bool:
        """Whether tokens are written in GPT-2's alphabet, one character for each byte."""
        before = self._parts["pre_tokenizer"] or {}
        last = (before.get("pretokenizers") or [before])[-1]
        whole = self._parts["normalizer"] is None and self._parts["model"]["type"] == "BPE"
        return whole and last.get("type") == "ByteLevel" and not self._parts["model"].get("dropout")

    @cached_property
    def _parts(self) -> dict[str, Any]:
        return json.loads(self.library.to_str())

    @cached_property
    def _added(self) -> tuple[str, ...]:
        """The added tokens, which are tokens wherever a text contains them."""
        return tuple(each["content"] for each in self._parts["added_tokens"])

    @cached_property
    def _added_stay_in_words(self) -> bool:
        """Whether no added token contains or takes in a space."""
        added = self._parts["added_tokens"]
        return not any(
            each["lstrip"] or each["rstrip"] or each["content"].split() != [each["content"]] for each in added
        )

    @cached_property
    def _lengths(self) -> UInt[np.ndarray, " vocab"]:
        """The number of bytes of each token, if the tokenizer is byte-level."""
        ids = self.library.get_vocab(with_added_tokens=True)
        lengths = np.zeros(max(ids.values(), default=-1) + 1, np.uint32)
        for token, id in ids.items():
            lengths[id] = len(token)
        for each in self._parts["added_tokens"]:
            lengths[each["id"]] = len(each["content"].encode())
        return lengths


def _encoded(library: "Library", text: str) -> Any:
    """What the library makes of a text."""
    with no_panic("its pattern fails on this text"):
        try:
            return library.encode(text, add_special_tokens=False)
        except Exception as error:  # the library raises nothing narrower
            raise ArgumentError("tokenizer", f"fails on this text: {str(error)[:120]}") from error


@contextmanager
def no_panic(what: str) -> Iterator[None]:
    """Turn a panic of the library into one line. Hostile files end in one; it prints its own words, and is no
    Exception."""
    errors, quiet = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(quiet, 2)
        yield
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise ArgumentError("tokenizer", f"{what}: {str(error)[:120]}") from None
    finally:
        os.dup2(errors, 2)
        os.close(errors)
        os.close(quiet)


def covered_bytes(text: str, offsets: Int[np.ndarray, "tokens 2"]) -> UInt[np.ndarray, " tokens"]:
    """The number of bytes of a text that each token covers, from the characters where tokens begin and end.

    If several tokens begin at one character, each covers one of its bytes and the last covers the rest. If there are
    more tokens than bytes, the first of them (for example an added mark) cover no byte.

    >>> covered_bytes("a é b", np.array([[0, 1], [0, 1], [2, 3], [2, 3], [3, 3], [4, 5]])).tolist()
    [0, 2, 1, 2, 0, 1]
    """
    lengths = byte_lengths(code_points(text)).astype(np.int64)
    places = np.concatenate([[0], lengths.cumsum()])
    covering = np.flatnonzero(offsets[:, 1] > offsets[:, 0])
    if not len(covering):
        covering = np.zeros(1, np.int64)  # some token must cover the bytes
    begins = np.maximum.accumulate(offsets[covering, 0])
    shared, first, run, count = np.unique(begins, return_index=True, return_inverse=True, return_counts=True)
    more = np.maximum(count - np.append(lengths, 0)[shared], 0)
    starts = places[begins] + np.maximum(np.arange(len(begins)) - (first + more)[run], 0)
    starts[0] = 0
    found = np.zeros(len(offsets), np.uint32)
    found[covering] = np.diff(starts, append=places[-1])
    return found
