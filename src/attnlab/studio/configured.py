"""The training that a page asks for: a recipe, changed by what the user typed, as on the command line."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from attnlab.errors import ArgumentError
from attnlab.settings import Word, options
from attnlab.studio.lab import shown_path
from attnlab.studio.places import Places

if TYPE_CHECKING:
    from attnlab.training.language.config import Config

LARGEST = {
    "layers": 12,
    "heads": 64,
    "width": 768,
    "context": 1024,
    "latents": 1024,
    "feed": 4096,
    "dim": 1024,
    "hidden": 1024,
    "order": 8,
    "vocabulary": 20_000,
    "batch": 512,
}
"""Larger models are for the command line: here, the estimate would take all of the memory."""
MOST_OPTIONS = 40
LONGEST_WORD = 100
OFFERED = {
    "model.": ("layers", "heads", "width", "context", "qk_norm", "order", "dim", "hidden"),
    "tokens.": ("vocabulary",),
    "": ("minutes", "steps", "seed", "validate_every", "sample_every", "keep_every"),
}
"""The options that the page shows, of those that the model, its tokens and its training have."""
FIRST = ("minutes", "steps")
"""What a training costs stands before them."""


@dataclass(frozen=True)
class TrainingRequest:
    """A training as the page asks for it; empty fields take the recipe's values."""

    text: str = ""
    recipe: str = ""
    model: str = ""
    tokens: str = ""
    options: dict[str, str] = field(default_factory=dict)
    """Options as they are typed, by name: model.layers, tokens.vocabulary, minutes."""


@dataclass(frozen=True)
class Field:
    """An option that the page shows, with its value and its description."""

    name: str
    value: bool | int | float
    about: str


def config_of(asked: TrainingRequest, places: Places) -> "Config":
    """The configuration, checked. By default, a model that is trained on batches writes a sample at each validation,
    and a Transformer keeps a checkpoint then, at which its heads can be scored."""
    from attnlab.benches.language.configuring import configure

    groups = _grouped(asked.options)
    text = _text(asked.text, places)
    kinds = ({**groups["model"], "kind": asked.model}, {**groups["tokens"], "kind": asked.tokens})
    config = configure(text, asked.recipe, *kinds, groups[""])
    training: Any = config.training
    if training.kind == "batches":
        often = ("sample_every", "keep_every") if config.model.kind == "transformer" else ("sample_every",)
        usual = {
            name: training.validate_every for name in often if name not in groups[""] and not getattr(training, name)
        }
        config = replace(config, training=replace(training, **usual))
    _check_size(config)
    return config


def fields(config: "Config") -> list[Field]:
    """The options that the page shows."""
    parts = {"model.": config.model, "tokens.": config.tokens, "": config.training}
    found = [
        Field(prefix + each.name, each.default, each.about)
        for prefix, part in parts.items()
        for each in sorted(options(part), key=lambda each: _place(prefix, each.name))
        if each.name in OFFERED[prefix] and each.default is not None
    ]
    return sorted(found, key=lambda each: each.name not in FIRST)


def _grouped(typed: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """The options of the model, of the tokens, and of training, as words that were typed."""
    groups: dict[str, dict[str, Any]] = {"model": {}, "tokens": {}, "": {}}
    if len(typed) > MOST_OPTIONS:
        raise ArgumentError("options", f"expected at most {MOST_OPTIONS} options, got {len(typed)}")
    for name, value in typed.items():
        group, _, last = name.rpartition(".")
        if group not in groups or last == "kind":
            raise ArgumentError("options", f"expected an option such as model.layers or minutes, got {name[:60]!r}")
        if len(value) > LONGEST_WORD:
            raise ArgumentError(name, f"expected at most {LONGEST_WORD} characters, got {len(value)}")
        groups[group][last] = Word(value.strip())
    return groups


def _text(given: str, places: Places) -> str:
    """A name of a text as it is, or the path of a file or folder that the studio may read."""
    from attnlab.data.texts.loading import TEXTS

    return given if not given or given in TEXTS else shown_path(places.text(given), places.root)


def fits(config: "Config") -> bool:
    """Whether a configuration is small enough for the page."""
    return not _too_large(config)


def _check_size(config: "Config") -> None:
    for name, value, most in _too_large(config):
        wanted = f"expected a number of at most {most:,} on this page, got {value:,}"
        raise ArgumentError(name, f"{wanted}; the command line trains larger models")


def _too_large(config: "Config") -> list[tuple[str, int, int]]:
    """The options that are too large: their names, their values and the largest values."""
    parts = {"model.": config.model, "tokens.": config.tokens, "": config.training}
    return [
        (prefix + each.name, each.default, LARGEST[each.name])
        for prefix, part in parts.items()
        for each in options(part)
        if each.name in LARGEST and each.default is not None and each.default > LARGEST[each.name]
    ]


def _place(prefix: str, name: str) -> int:
    return OFFERED[prefix].index(name) if name in OFFERED[prefix] else len(OFFERED[prefix])
