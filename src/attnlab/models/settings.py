"""Settings from JSON or from words: a frozen class, its fields by name, and clear words for what does not fit."""

import dataclasses
from collections.abc import Mapping
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from attnlab.errors import ArgumentError

Settings = TypeVar("Settings")
WORDS = {"true": True, "yes": True, "": True, "false": False, "no": False}


def read_settings(settings: type[Settings], values: Mapping[str, Any], what: str) -> Settings:
    """The settings of a class from values by name; what is not given has its default."""
    known = choices(settings)
    for name, value in values.items():
        if name not in known:
            raise ArgumentError(name, f"expected an option of {what}: {', '.join(known) or 'it has none'}")
        _check(name, value, get_type_hints(settings)[name])
    return settings(**values)


def from_word(settings: Any, name: str, word: str, what: str) -> Any:
    """The value that a word on a command line stands for.

    >>> @dataclasses.dataclass
    ... class Box:
    ...     width: int = 1
    >>> from_word(Box, "width", "3", "a box")
    3
    """
    known = choices(settings)
    if name not in known:
        raise ArgumentError(name, f"expected an option of {what}: {', '.join(known) or 'it has none'}")
    kind = get_type_hints(settings)[name]
    try:
        if kind is bool:
            return WORDS[word.lower()]
        value = kind(word) if kind in (int, float) else word
    except (ValueError, KeyError):
        raise ArgumentError(name, f"expected {known[name]}, got {word!r}") from None
    _check(name, value, kind)
    return value


def choices(settings: Any) -> dict[str, str]:
    """The fields of a class that can be set, each with what it takes in words."""
    hints = get_type_hints(settings)
    return {field.name: _in_words(hints[field.name]) for field in dataclasses.fields(settings)}


def _in_words(kind: Any) -> str:
    if get_origin(kind) is Literal:
        return " or ".join(map(str, get_args(kind)))
    return {int: "a whole number", float: "a number", bool: "true or false"}.get(kind, "a word")


def _check(name: str, value: Any, kind: Any) -> None:
    if get_origin(kind) is Literal:
        right = isinstance(value, str) and value in get_args(kind)
    elif kind is float:
        right = isinstance(value, int | float) and not isinstance(value, bool)
    elif kind is int:
        right = isinstance(value, int) and not isinstance(value, bool)
    else:
        right = isinstance(value, kind)
    if not right:
        raise ArgumentError(name, f"expected {_in_words(kind)}, got {value!r}")
