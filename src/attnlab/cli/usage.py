"""Options from types, and a command line that cannot be read as one clear line.

tyro draws its messages in boxes of many lines; its hook hands over what was wrong, and the words are ours.
"""

import re
from collections.abc import Sequence
from typing import TypeVar

import tyro
from tyro import _errors as tyro_errors

from attnlab.errors import AttnlabError

Settings = TypeVar("Settings")


class UsageError(AttnlabError):
    """A command line that cannot be read."""


def parse(settings: type[Settings], program: str, arguments: Sequence[str]) -> Settings | None:
    """The settings that the arguments give, or none where they ask for help, which it then has printed."""
    style = (tyro.conf.FlagCreatePairsOff, tyro.conf.OmitArgPrefixes)
    with tyro_errors.on_parse_error(_refuse):
        try:
            return tyro.cli(settings, prog=program, args=arguments, config=style)
        except SystemExit as end:
            if end.code:
                raise
            return None


def _refuse(event: tyro_errors.ParseErrorEvent) -> None:
    words = _words(event)
    if words is not None:
        raise UsageError(words)


def _words(event: tyro_errors.ParseErrorEvent) -> str | None:
    match event:
        case tyro_errors.MissingArgs():
            unknown = f"unknown {' '.join(event.unrecognized_tokens)}; " if event.unrecognized_tokens else ""
            names = ", ".join(each.arg.display_name() for each in event.missing_arguments)
            return f"{unknown}expected {names}; {event.prog} --help explains"
        case tyro_errors.InvalidChoice():
            return f"{event.argument.display_name()}: expected {' or '.join(event.choices)}, got {event.value!r}"
        case tyro_errors.BadValue():
            return f"{event.argument.display_name()}: expected a value"
        case tyro_errors.UnrecognizedArgs():
            return f"unknown {' '.join(event.tokens)}; {event.prog} --help lists the options"
        case tyro_errors.InstantiationFailure():
            option = f"{event.argument.display_name()}: " if event.argument is not None else ""
            return option + _plain(event.message)
    return None


def _plain(message: str) -> str:
    """Python's words for text that is no number, said plainly."""
    for theirs, ours in (
        (r"(?s)no type matching .*- <class '\w+'>: ", ""),  # an option that may be left out: its type is the last
        (r"invalid literal for int\(\) with base 10: (.*)", r"expected a whole number, got \1"),
        (r"could not convert string to float: (.*)", r"expected a number, got \1"),
    ):
        message = re.sub(theirs, ours, message)
    return " ".join(message.split())
