"""Conversion of the lab's tokenizers to the library `tokenizers`, with the same ids for every text."""

import json
import re
import sys
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from attnlab.errors import ArgumentError
from attnlab.text.byte_pairs import BytePairTokenizer, alphabet, byte_pair_library
from attnlab.text.bytes import ByteTokenizer
from attnlab.text.characters import CharacterTokenizer
from attnlab.text.normalisation import LINE_END, Normalisation
from attnlab.text.tokenizers import Tokenizer
from attnlab.text.words import UNKNOWN, WordTokenizer

if TYPE_CHECKING:
    from tokenizers import Tokenizer as Library

CASE_AND_SPACES = "attnlab_case_and_spaces.json"
"""The file with the code of what words do not tell; only the lab reads it."""
OLDER = "attnlab_surface.json"
"""The name of that file in older exports."""


def as_library(tokenizer: Tokenizer) -> "Library":
    """The library's version of a tokenizer; raises on a normalisation that the library does not have."""
    if isinstance(tokenizer, BytePairTokenizer):
        return _bytes(_numbered(tokenizer.vocabulary), list(tokenizer.merges))
    if isinstance(tokenizer, ByteTokenizer):
        return _bytes(alphabet(), [])
    if isinstance(tokenizer, CharacterTokenizer):
        from tokenizers import decoders

        library = _listed({UNKNOWN: 0} | _numbered(tokenizer.vocabulary, 1), r"[\s\S]")
        return _with(library, decoder=decoders.Fuse())
    if isinstance(tokenizer, WordTokenizer):
        return _words(tokenizer)
    raise ArgumentError("tokenizer", f"expected characters, bytes, words or byte-pairs, got {tokenizer.kind}")


def library_files(tokenizer: Tokenizer) -> dict[str, bytes]:
    """The content of the files from which `transformers` opens a tokenizer, by file name.

    No token is special, not even the unknown token: a text that spells it out is encoded as any other text.
    """
    settings = {"tokenizer_class": "PreTrainedTokenizerFast", "clean_up_tokenization_spaces": False}
    files = {
        "tokenizer.json": as_library(tokenizer).to_str(pretty=True).encode(),
        "tokenizer_config.json": (json.dumps(settings, indent=2) + "\n").encode(),
    }
    if isinstance(tokenizer, WordTokenizer) and tokenizer.case_and_spaces is not None:
        files[CASE_AND_SPACES] = (json.dumps(tokenizer.case_and_spaces.to_json(), ensure_ascii=False) + "\n").encode()
    return files


def _bytes(vocabulary: dict[str, int], merges: list[tuple[str, str]]) -> "Library":
    from tokenizers import decoders

    return _with(byte_pair_library(vocabulary, merges), decoder=decoders.ByteLevel())


def _words(tokenizer: WordTokenizer) -> "Library":
    rule = tokenizer.normalisation
    for name, needed in (("lower", False), ("numbers", False), ("form", "as-is")):
        if getattr(rule, name) != needed:
            message = f"the library `tokenizers` has no such setting; train with --tokens.{name} {needed or 'no'}"
            raise ArgumentError(f"tokens.{name}", message)
    vocabulary = {UNKNOWN: 0} | _numbered(tokenizer.vocabulary, 1)
    if rule.lines and rule.split == "whitespace":  # a text may also spell out <eol>
        from tokenizers import normalizers

        return _with(_listed(vocabulary, _token(rule)), normalizer=normalizers.Replace("\n", f" {LINE_END} "))
    if rule.lines and LINE_END in vocabulary:
        vocabulary["\n"] = vocabulary.pop(LINE_END)
    return _listed(vocabulary, _token(rule))


def _listed(vocabulary: dict[str, int], token: str) -> "Library":
    """A tokenizer that looks up whatever matches the pattern `token`, and skips the text between."""
    from tokenizers import Regex, Tokenizer, models, pre_tokenizers

    library = Tokenizer(models.WordLevel(vocab=vocabulary, unk_token=UNKNOWN))
    return _with(library, pre_tokenizer=pre_tokenizers.Split(Regex(token), "removed", invert=True))


def _with(library: "Library", **parts: Any) -> "Library":
    for name, part in parts.items():
        setattr(library, name, part)
    return library


def _numbered(tokens: tuple[str, ...] | str, first: int = 0) -> dict[str, int]:
    return {token: id for id, token in enumerate(tokens, first)}


def _token(rule: Normalisation) -> str:
    """The pattern of a token with Python's character classes written out: the library has another Unicode version."""
    letter, digit, space = _ranges(r"\w"), _ranges(r"\d"), _ranges(r"\s")
    pattern = rule.token.pattern
    for python, written in {
        r"[^\w\s]": f"[^{letter}{space}]",
        r"[\w": f"[{letter}",
        r"\d": f"[{digit}]",
        r"\S": f"[^{space}]",
    }.items():
        pattern = pattern.replace(python, written)
    return pattern


@lru_cache
def _ranges(one: str) -> str:
    """The ranges of all characters that match, for a character class."""
    everything = "".join(map(chr, (*range(0xD800), *range(0xE000, sys.maxunicode + 1))))
    return "".join(f"{found[0][0]}-{found[0][-1]}" for found in re.finditer(f"{one}+", everything))
