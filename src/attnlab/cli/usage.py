"""Options from types, and a command line that cannot be read as one clear line.

tyro draws its messages in boxes of many lines; its hook hands over what was wrong, and the words are ours.
"""

import dataclasses
import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from difflib import get_close_matches
from functools import partial
from typing import Any, TypeVar

import tyro
from tyro import _errors as tyro_errors

from attnlab.errors import AttnlabError

Settings = TypeVar("Settings")


class UsageError(AttnlabError):
    """A command line that cannot be read."""


class Adaptive(ABC):
    """Settings whose defaults, or whose options, depend on what is typed."""

    @classmethod
    @abstractmethod
    def prepared(cls, arguments: Sequence[str]) -> tuple[list[str], "Adaptive"]:
        """The arguments that are left to be read, and the settings that hold where they say nothing."""

    @classmethod
    @abstractmethod
    def explained(cls, arguments: Sequence[str]) -> str:
        """What is to be said below the help, beside these arguments."""


def parse(settings: type[Settings], program: str, arguments: Sequence[str]) -> Settings | None:
    """The settings that the arguments give, or none where they ask for help, which it then has printed."""
    style = (tyro.conf.FlagCreatePairsOff, tyro.conf.OmitArgPrefixes)
    default: dict[str, Any] = {}
    typed = arguments
    if issubclass(settings, Adaptive):
        arguments, default["default"] = settings.prepared(arguments)
    with tyro_errors.on_parse_error(partial(_refuse, option_names(settings))):
        try:
            return tyro.cli(settings, prog=program, args=arguments, config=style, **default)
        except SystemExit as end:
            if end.code:
                raise
            if issubclass(settings, Adaptive):
                print(settings.explained(typed))
            return None


def option_names(settings: Any) -> list[str]:
    """The options of a settings class, those of settings within settings too, as they are typed."""
    names = []
    for field in dataclasses.fields(settings):
        inner = field.default_factory
        within = isinstance(inner, type) and dataclasses.is_dataclass(inner)
        names += option_names(inner) if within else [f"--{field.name.replace('_', '-')}"]
    return names


def nearest(typed: str, known: Sequence[str]) -> str | None:
    """The known word that was probably meant: the one that begins so, or the one spelt most like it."""
    # Without their dashes, which every option has: they would make all options look alike.
    plain = {word.strip("-"): word for word in known}
    wanted = typed.partition("=")[0].strip("-").lower().replace("_", "-")
    begun = [word for word in plain if len(wanted) > 2 and word.startswith(wanted)]
    close = begun if len(begun) == 1 else get_close_matches(wanted, plain, n=1)
    return plain[close[0]] if close else None


def _refuse(options: Sequence[str], event: tyro_errors.ParseErrorEvent) -> None:
    words = _words(event, options)
    if words is not None:
        raise UsageError(words)


def _words(event: tyro_errors.ParseErrorEvent, options: Sequence[str]) -> str | None:
    match event:
        case tyro_errors.MissingArgs():
            unknown = f"{_unknown(event.unrecognized_tokens, options)}; " if event.unrecognized_tokens else ""
            names = ", ".join(each.arg.display_name() for each in event.missing_arguments)
            return f"{unknown}expected {names}; {event.prog} --help explains"
        case tyro_errors.InvalidChoice():
            return f"{event.argument.display_name()}: expected {' or '.join(event.choices)}, got {event.value!r}"
        case tyro_errors.BadValue():
            return f"{event.argument.display_name()}: expected a value"
        case tyro_errors.UnrecognizedArgs():
            return f"{_unknown(event.tokens, options)}; {event.prog} --help lists the options"
        case tyro_errors.InstantiationFailure():
            option = f"{event.argument.display_name()}: " if event.argument is not None else ""
            return option + _plain(event.message)
    return None


def _unknown(tokens: Sequence[str], options: Sequence[str]) -> str:
    """The words that are no options, and the options that they may have been meant for."""
    meant = [nearest(token, options) for token in tokens if token.startswith("-")]
    guess = " and ".join(dict.fromkeys(each for each in meant if each is not None))
    return f"unknown {' '.join(tokens)}" + (f" (did you mean {guess}?)" if guess else "")


def _plain(message: str) -> str:
    """Python's words for text that is no number, said plainly."""
    for theirs, ours in (
        (r"(?s)no type matching .*- <class '\w+'>: ", ""),  # an option that may be left out: its type is the last
        (r"invalid literal for int\(\) with base 10: (.*)", r"expected a whole number, got \1"),
        (r"could not convert string to float: (.*)", r"expected a number, got \1"),
    ):
        message = re.sub(theirs, ours, message)
    return " ".join(message.split())
