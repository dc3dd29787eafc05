"""Tokenizers: their common interface, and how to train, save and load them."""

import hashlib
import inspect
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, ClassVar, Literal, Protocol, runtime_checkable

import numpy as np
from jaxtyping import Integer

from attnlab.errors import ArgumentError, FileError
from attnlab.files import read_json, write_whole
from attnlab.settings import read_file, settings, write
from attnlab.text.byte_pairs import BytePairTokenizer
from attnlab.text.bytes import ByteTokenizer
from attnlab.text.characters import CharacterTokenizer
from attnlab.text.encoding import Encoding
from attnlab.text.normalisation import LINE_END
from attnlab.text.words import WordTokenizer


@settings
class TokenizerFile:
    """What every file of a tokenizer says of itself."""

    format: Literal["attnlab tokenizer"] = "attnlab tokenizer"
    version: Literal[1] = 1


@runtime_checkable
class Tokenizer(Protocol):
    """Encodes text as ids below `size`, decodes ids, and knows how many bytes of the raw text each token covers."""

    kind: ClassVar[str]
    """characters, bytes, words or byte-pairs."""

    @property
    def size(self) -> int:
        """The number of ids."""
        ...

    def encode(self, text: str) -> Encoding:
        """The text as tokens."""
        ...

    def decode(self, ids: Sequence[int] | Integer[np.ndarray, " tokens"]) -> str:
        """The text of the tokens."""
        ...

    def cut(self, text: str) -> int:
        """The last place where cutting the text does not change its tokens; 0 if there is no such place.

        It does not depend on the text that follows, so a file can be encoded piece by piece.
        """
        ...

    def to_json(self) -> dict[str, Any]:
        """The tokenizer as JSON."""
        ...


KINDS = {each.kind: each for each in (CharacterTokenizer, ByteTokenizer, WordTokenizer, BytePairTokenizer)}


def train_tokenizer(kind: str, texts: str | Iterable[str], **options: Any) -> Tokenizer:
    """Train a tokenizer of a kind on a text or several texts.

    Options: for words, `vocabulary` (the most ids) and `normalisation`; for byte-pairs, `vocabulary`.

    >>> train_tokenizer("characters", "to be or not to be").size
    8
    >>> train_tokenizer("words", ["to be or not to be"], vocabulary=3).decode([1, 2, 0])
    'be to <unk>'
    """
    known = _tokenizer_class(kind)
    texts = [texts] if isinstance(texts, str) else texts
    allowed = [*inspect.signature(known.train).parameters][1:]
    for name in options:
        if name not in allowed:
            raise ArgumentError(name, f"{kind} has no such option; its options: {', '.join(allowed) or 'none'}")
    return known.train(texts, **options)


def save_tokenizer(tokenizer: Tokenizer, path: Path | str) -> None:
    """Write a tokenizer to a JSON file."""
    write_whole(Path(path), tokenizer_file(tokenizer))


def tokenizer_file(tokenizer: Tokenizer) -> bytes:
    """The content of a tokenizer's JSON file."""
    value = {**write(TokenizerFile()), **tokenizer.to_json()}
    return (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode()


def load_tokenizer(path: Path | str) -> Tokenizer:
    """The tokenizer in a JSON file that `save_tokenizer` wrote."""
    path, what = Path(path), "a tokenizer of the lab"
    read_file(TokenizerFile, path, what)
    try:
        return tokenizer_from_json(read_json(path, what))
    except ArgumentError as error:
        raise FileError(path, str(error)) from error


def tokenizer_from_json(value: dict[str, Any]) -> Tokenizer:
    """The tokenizer from its `to_json`.

    >>> tokenizer_from_json({"kind": "characters", "vocabulary": "abc"}).decode([3, 1, 2])
    'cab'
    """
    kind = value.get("kind")
    known = _tokenizer_class(kind)
    try:
        return known.from_json(value)
    except KeyError as error:
        raise ArgumentError("tokenizer", f"expected {error} in a tokenizer of {kind}; it is missing") from None
    except (ValueError, TypeError) as error:
        raise ArgumentError("tokenizer", str(error)) from None


def line_end(tokenizer: Tokenizer) -> int | None:
    """The token of the end of a line; None if the tokenizer has none.

    >>> line_end(train_tokenizer("bytes", "")), line_end(train_tokenizer("words", "no lines"))
    (10, None)
    """
    if isinstance(tokenizer, WordTokenizer):
        return tokenizer.ids.get(LINE_END) if tokenizer.normalisation.lines else None
    ids = tokenizer.encode("\n").ids.tolist()
    unknown = isinstance(tokenizer, CharacterTokenizer) and "\n" not in tokenizer.vocabulary
    return ids[0] if len(ids) == 1 and not unknown else None


def tokenizer_hash(tokenizer: Tokenizer) -> str:
    """The sha256 of a tokenizer: tokenizers with the same hash give every text the same ids."""
    return hashlib.sha256(json.dumps(tokenizer.to_json(), sort_keys=True).encode()).hexdigest()


def _tokenizer_class(kind: Any) -> type[CharacterTokenizer | ByteTokenizer | WordTokenizer | BytePairTokenizer]:
    if not isinstance(kind, str) or kind not in KINDS:
        raise ArgumentError.unknown("kind", kind, KINDS)
    return KINDS[kind]
