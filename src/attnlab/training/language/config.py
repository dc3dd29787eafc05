"""All that a run is asked, in one value: the text, its tokens, the model and its training; config.json holds it."""

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from attnlab.errors import ArgumentError
from attnlab.models.kinds import Shape, shape_as_json, shape_from_json
from attnlab.models.settings import read_settings
from attnlab.models.transformer import TransformerConfig
from attnlab.text import Normalisation, Tokenizer, train_tokenizer
from attnlab.training.settings import Training

VERSION = 1


@dataclass(frozen=True)
class Plain:
    """Tokens of which nothing can be set."""


@dataclass(frozen=True)
class Words(Normalisation):
    """What can be set of words as tokens: which of them there are, and which count as the same."""

    vocabulary: int = 0
    """How many ids at most; 0: one for every word."""


@dataclass(frozen=True)
class BytePairs:
    """What can be set of byte pairs."""

    vocabulary: int = 4096
    """How many ids at most."""


TokenOptions = Plain | Words | BytePairs
TOKENS: dict[str, type[TokenOptions]] = {
    "characters": Plain,
    "bytes": Plain,
    "words": Words,
    "byte-pairs": BytePairs,
}


@dataclass(frozen=True)
class Tokens:
    """How text becomes tokens: the kind of tokenizer, and its options."""

    kind: str = "characters"
    options: TokenOptions = field(default_factory=Plain)

    def train(self, texts: Iterable[str]) -> Tokenizer:
        """The tokenizer for some texts.

        >>> Tokens("words", Words(vocabulary=3, lower=True)).train(["The end of the beginning"]).decode([1, 2, 0])
        'the beginning <unk>'
        """
        values = dataclasses.asdict(self.options)
        if isinstance(self.options, Words):
            vocabulary = values.pop("vocabulary") or None
            return train_tokenizer(self.kind, texts, vocabulary=vocabulary, normalisation=Normalisation(**values))
        return train_tokenizer(self.kind, texts, **values)


@dataclass(frozen=True)
class Config:
    """A complete configuration of a run."""

    text: str
    tokens: Tokens = field(default_factory=Tokens)
    model: Shape = field(default_factory=TransformerConfig)
    training: Training = field(default_factory=Training)

    def as_json(self) -> dict[str, Any]:
        """The configuration as JSON.

        >>> config = Config("topics", Tokens("byte-pairs", BytePairs(300)))
        >>> config.as_json()["tokens"], Config.from_json(config.as_json()) == config
        ({'kind': 'byte-pairs', 'vocabulary': 300}, True)
        """
        return {
            "version": VERSION,
            "text": self.text,
            "tokens": {"kind": self.tokens.kind, **dataclasses.asdict(self.tokens.options)},
            "model": shape_as_json(self.model),
            "training": dataclasses.asdict(self.training),
        }

    @staticmethod
    def from_json(value: Mapping[str, Any]) -> "Config":
        """The configuration that `as_json` wrote."""
        if value.get("version") != VERSION:
            raise ArgumentError("version", f"expected {VERSION}, got {value.get('version')!r}")
        for name, kind in (("text", str), ("tokens", dict), ("model", dict), ("training", dict)):
            if not isinstance(value.get(name), kind):
                raise ArgumentError(name, "expected it in the configuration of a run")
        return Config(
            value["text"],
            tokens_from_json(value["tokens"]),
            shape_from_json(value["model"]),
            read_settings(Training, value["training"], "training"),
        )


def tokens_from_json(value: Mapping[str, Any]) -> Tokens:
    """The tokens of a configuration in JSON."""
    kind = value.get("kind")
    if not isinstance(kind, str) or kind not in TOKENS:
        raise ArgumentError("tokens", f"expected {', '.join(TOKENS)}, got {kind!r}")
    rest = {name: each for name, each in value.items() if name != "kind"}
    return Tokens(kind, read_settings(TOKENS[kind], rest, f"tokens {kind}"))
