"""Options with a dot, such as --model.layers 4: which ones there are depends on the model that was chosen."""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

from attnlab.cli.usage import UsageError
from attnlab.errors import ArgumentError

Dotted = Mapping[str, Mapping[str, str]]
"""What was typed, as words: {"model": {"layers": "4"}}."""


def take_dotted(arguments: Sequence[str], groups: Sequence[str]) -> tuple[list[str], dict[str, dict[str, str]]]:
    """The arguments without the dotted options of some groups, and these.

    >>> take_dotted(["text", "--model.layers", "4", "--tokens.lower", "--json"], ["model", "tokens"])
    (['text', '--json'], {'model': {'layers': '4'}, 'tokens': {'lower': ''}})
    """
    rest: list[str] = []
    taken: dict[str, dict[str, str]] = {group: {} for group in groups}
    words = list(arguments)
    while words:
        word = words.pop(0)
        group, dot, name = word.removeprefix("--").partition(".")
        if not (word.startswith("--") and dot and group in taken):
            rest.append(word)
            continue
        name, equals, value = name.partition("=")
        if not equals and words and not words[0].startswith("--"):
            value = words.pop(0)
        taken[group][name.replace("-", "_")] = value
    return rest, taken


def typed_value(arguments: Sequence[str], option: str) -> str:
    """What was typed for an option, or nothing.

    >>> typed_value(["--recipe", "quick"], "--recipe"), typed_value(["--recipe=quick"], "--recipe")
    ('quick', 'quick')
    """
    for word, after in pairwise([*arguments, ""]):
        if word == option:
            return after
        if word.startswith(f"{option}="):
            return word.partition("=")[2]
    return ""


def with_dotted(settings: Any, typed: Mapping[str, str], group: str, kind: str) -> Any:
    """The settings with what was typed; whatever is wrong with it names the option."""
    from attnlab.models.settings import from_word

    try:
        values = {name: from_word(type(settings), name, word, f"{group} {kind}") for name, word in typed.items()}
        return dataclasses.replace(settings, **values)
    except ArgumentError as error:
        raise UsageError(f"--{group}.{error.argument.replace('_', '-')}: {error.message}") from error


@contextmanager
def named_options(**groups: Any) -> Iterator[None]:
    """Whatever turns out to be wrong with the settings of a group within the block, by the option that sets it."""
    try:
        yield
    except ArgumentError as error:
        for group, settings in groups.items():
            if error.argument in {field.name for field in dataclasses.fields(settings)}:
                raise UsageError(f"--{group}.{error.argument.replace('_', '-')}: {error.message}") from error
        raise


def explain_dotted(group: str, kinds: Mapping[str, Any]) -> Iterator[str]:
    """The dotted options of each kind, in lines, with the defaults of its settings."""
    from attnlab.models.settings import choices

    for kind, defaults in kinds.items():
        takes = choices(type(defaults))
        if takes:
            yield f"options of --{group} {kind}:"
        for name, words in takes.items():
            option = f"--{group}.{name.replace('_', '-')}"
            yield f"  {option:24} {words} (default: {getattr(defaults, name)})"
