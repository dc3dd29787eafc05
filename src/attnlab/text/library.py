"""The lab's tokenizers in the form of the library `tokenizers`, which gives every text the same ids."""

import json
import re
import sys
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from attnlab.errors import ArgumentError
from attnlab.text.byte_pairs import BytePairTokenizer, alphabet
from attnlab.text.bytes import ByteTokenizer
from attnlab.text.characters import CharacterTokenizer
from attnlab.text.normalisation import LINE_END, Normalisation
from attnlab.text.tokenizers import Tokenizer
from attnlab.text.words import UNKNOWN, WordTokenizer

if TYPE_CHECKING:
    from tokenizers import Tokenizer as Library


def as_library(tokenizer: Tokenizer) -> "Library":
    """A tokenizer of the lab as one of the library; a normalisation that the library does not have is refused."""
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
    """The files from which `transformers` opens a tokenizer, by name.

    No token is named as special, not even the unknown one: text that happens to spell it is read as any other.
    """
    settings = {"tokenizer_class": "PreTrainedTokenizerFast", "clean_up_tokenization_spaces": False}
    return {
        "tokenizer.json": as_library(tokenizer).to_str(pretty=True).encode(),
        "tokenizer_config.json": (json.dumps(settings, indent=2) + "\n").encode(),
    }


def _bytes(vocabulary: dict[str, int], merges: list[tuple[str, str]]) -> "Library":
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    library = Tokenizer(models.BPE(vocab=vocabulary, merges=merges))
    return _with(library, pre_tokenizer=pre_tokenizers.ByteLevel(add_prefix_space=False), decoder=decoders.ByteLevel())


def _words(tokenizer: WordTokenizer) -> "Library":
    rule = tokenizer.normalisation
    for name, needed in (("lower", False), ("numbers", False), ("form", "as-is")):
        if getattr(rule, name) != needed:
            words = f"tokenizers of elsewhere have no {name} as the lab has it: train with --tokens.{name}"
            raise ArgumentError(f"tokens.{name}", f"{words} {needed if needed else 'no'}")
    vocabulary = {UNKNOWN: 0} | _numbered(tokenizer.vocabulary, 1)
    if rule.lines and rule.split == "whitespace":  # where a text may spell the end of a line, too
        from tokenizers import normalizers

        return _with(_listed(vocabulary, _token(rule)), normalizer=normalizers.Replace("\n", f" {LINE_END} "))
    if rule.lines and LINE_END in vocabulary:
        vocabulary["\n"] = vocabulary.pop(LINE_END)
    return _listed(vocabulary, _token(rule))


def _listed(vocabulary: dict[str, int], token: str) -> "Library":
    """A list of tokens, looked up as they are; what is between those that match is skipped."""
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
    """What matches a token, with Python's classes of characters written out: the library's are of another Unicode."""
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
    """All characters that match, as a class of characters lists them."""
    everything = "".join(map(chr, (*range(0xD800), *range(0xE000, sys.maxunicode + 1))))
    return "".join(f"{found[0][0]}-{found[0][-1]}" for found in re.finditer(f"{one}+", everything))
