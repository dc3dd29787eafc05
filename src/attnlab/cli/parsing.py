"""Parsing: a command line becomes a command.

tyro reads the command's own options. The lab's reader reads the settings, whose defaults depend on those options. An
error is one clear line: tyro would draw a box of many lines, so a hook takes the error from it and words it anew.
"""

import dataclasses
import re
import shutil
import sys
import textwrap
from collections.abc import Sequence
from functools import partial
from typing import Any, TypeVar, get_type_hints

import tyro
from tyro import _errors as tyro_errors

from attnlab.cli.command import Command, WithSettings
from attnlab.errors import ArgumentError, AttnlabError, UsageError, either, nearest
from attnlab.settings import Option, Word, as_typed, options

Words = dict[str, dict[str, Word]]
Parsed = TypeVar("Parsed", bound=Command)
ANSWERS = ("yes", "no", "true", "false")
HELP = ("-h", "--help")
POSITIONAL = tyro.conf.Positional[str].__metadata__[0]  # pyright: ignore[reportAttributeAccessIssue] (an Annotated)
"""tyro's mark of an argument without dashes."""
WIDE = 30
"""The width of the column of options in the help, in characters."""


def parse(command: type[Command], program: str, arguments: Sequence[str]) -> Command | None:
    """The command that the arguments describe. Returns None after printing the help."""
    if not issubclass(command, WithSettings):
        return _parsed(command, program, arguments)
    own, words = split_settings(command, arguments)
    asked = any(each in HELP for each in own)
    found = _parsed(command, f"{program} [SETTINGS]" if asked else program, own)
    if found is not None:
        return dataclasses.replace(found, words=words)
    try:
        typed = _parsed(command, program, [each for each in own if each not in HELP])
    except UsageError:  # an option is missing or wrong: the help lists the defaults
        typed = object.__new__(command)
    print("\n".join(explained(typed or object.__new__(command))))
    return None


def _parsed(command: type[Parsed], program: str, arguments: Sequence[str]) -> Parsed | None:
    style = (tyro.conf.FlagCreatePairsOff, tyro.conf.OmitArgPrefixes)
    with tyro_errors.on_parse_error(partial(_refuse, command)):
        try:
            return tyro.cli(command, prog=program, args=arguments, config=style)
        except SystemExit as end:
            if end.code:
                raise
            return None


def split_settings(command: type[WithSettings], arguments: Sequence[str]) -> tuple[list[str], Words]:
    """The arguments of the command's own options, and the settings."""
    rest: list[str] = []
    flags = {each.name: each.type in (bool, "bool") for each in dataclasses.fields(command.plain())}
    found: Words = {}
    words = list(arguments)
    while words:
        word = words.pop(0)
        option, equals, value = word.removeprefix("--").partition("=")
        group, dot, name = option.partition(".") if "." in option else ("", "", option)
        name = name.replace("-", "_")
        if not word.startswith("--") or (group not in command.dotted if dot else name not in flags):
            rest.append(word)
            continue
        if not equals and words and _is_value(words[0], flags.get(name, False) and not dot):
            value = words.pop(0)
        elif not equals and not dot and not flags[name]:
            raise UsageError(f"{word}: expected a value")
        found.setdefault(group, {})[name] = Word(value)
    return rest, found


def _is_value(word: str, flag: bool) -> bool:
    """Whether a word is the value of the option before it. The only values of a flag are yes and no."""
    return word.lower() in ANSWERS if flag else not word.startswith("--")


def explained(command: WithSettings) -> list[str]:
    """The lines of the help for a command's settings, with their defaults, and for its further lists."""

    def line(prefix: str, each: Option) -> str:
        told = each.default is None or "(default: " in each.about
        default = "" if told else f" (default: {as_typed(each.default) or 'none'})"
        about = f"{each.about.rstrip('.')}. " if each.about else ""
        return _entry(prefix + each.name.replace("_", "-"), f"{about}Takes {each.takes}{default}")

    lines: list[str] = []
    for group, kinds in command.defaults().items():
        for kind, values in kinds.items():
            listed = [each for each in options(values) if f"{group}.{each.name}" not in command.hidden]
            lines += [f"\n{kind}:"] if listed else []
            lines += [line(f"--{group}." if group else "--", each) for each in listed]
    for heading, entries in command.listed().items():
        lines += [f"\n{heading}:", *(_entry(name, about) for name, about in entries.items())]
    return lines


def _entry(name: str, about: str) -> str:
    """A line with a name and its description, folded to the width of the terminal."""
    line = f"  {name:{WIDE}}{about}"
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else len(line)
    return "\n".join(textwrap.wrap(line, max(width, WIDE + 30), subsequent_indent=" " * (WIDE + 2)))


def option_names(command: Any) -> list[str]:
    """The options of a command and of its settings, as they are typed."""
    names = [f"--{field.name.replace('_', '-')}" for field in dataclasses.fields(command)]
    cls = command if isinstance(command, type) else type(command)
    if issubclass(cls, WithSettings):
        names += option_names(cls.plain())
    return names


def _dotted_names(command: type[Command]) -> list[str]:
    """The options of a command that have a dot, as they are typed: those of each kind of model and tokenizer."""
    if not issubclass(command, WithSettings):
        return []
    return [
        f"--{group}.{each.name.replace('_', '-')}"
        for group, kinds in object.__new__(command).defaults().items()
        for values in kinds.values()
        for each in options(values)
        if group and f"{group}.{each.name}" not in command.hidden
    ]


def positional_names(command: Any) -> dict[str, str]:
    """The arguments of a command that have no dashes: their fields, and the names that the help shows."""
    cls = command if isinstance(command, type) else type(command)
    found = {}
    for name, hint in get_type_hints(cls, include_extras=True).items():
        notes = getattr(hint, "__metadata__", ())
        shown = next((note.metavar for note in notes if getattr(note, "metavar", None)), name.upper())
        if POSITIONAL in notes:
            found[name] = shown.strip("[]").removesuffix(" ...")
    return found


def named_option(error: AttnlabError, command: Any) -> str:
    """The message of an error. If an option caused it, the option is named as it is typed."""
    if not isinstance(error, ArgumentError):
        return str(error)
    if error.argument in (positional := positional_names(command)):
        return f"{positional[error.argument]}: {error.message}"
    option = f"--{error.argument.replace('_', '-')}"
    if option in option_names(command) or ("." in option and isinstance(command, WithSettings)):
        return f"{option}: {error.message}"
    if isinstance(command, WithSettings):
        for group, kinds in command.defaults().items():
            if any(error.argument in vars(values) for values in kinds.values()):
                return f"--{group}.{option[2:]}: {error.message}" if group else f"{option}: {error.message}"
    return str(error)


def _refuse(command: type[Command], event: tyro_errors.ParseErrorEvent) -> None:
    words = _words(event, [*_dotted_names(command), *option_names(command)])
    if words is not None:
        raise UsageError(words)


def _words(event: tyro_errors.ParseErrorEvent, options: Sequence[str]) -> str | None:
    match event:
        case tyro_errors.MissingArgs():
            unknown = f"{_unknown(event.unrecognized_tokens, options)}; " if event.unrecognized_tokens else ""
            missing = [each.arg for each in event.missing_arguments]
            expected = _explained(missing[0]) if len(missing) == 1 else ", ".join(map(_typed_name, missing))
            return f"{unknown}expected {expected}; {event.prog} --help explains"
        case tyro_errors.InvalidChoice():
            error = ArgumentError.unknown(_typed_name(event.argument), event.value, event.choices)
            # the help shows an argument without dashes by its choices, so it has no name to be called by
            return error.message if event.argument.is_positional() else str(error)
        case tyro_errors.BadValue():
            return f"{_typed_name(event.argument)}: expected a value"
        case tyro_errors.UnrecognizedArgs():
            return f"{_unknown(event.tokens, options)}; {event.prog} --help lists the options"
        case tyro_errors.InstantiationFailure():
            option = f"{_typed_name(event.argument)}: " if event.argument is not None else ""
            return option + _plain(event.message)
    return None


def _typed_name(argument: Any) -> str:
    """The name of an option as it is typed, or the name of a positional argument as the help shows it: MODEL."""
    metavar = argument.lowered.metavar or ""
    shown = argument.is_positional() and metavar and not metavar.startswith("{")
    return metavar if shown else argument.display_name()


def _explained(argument: Any) -> str:
    """A missing argument: an option with what it takes; the choices, or the name and description of another."""
    if not argument.is_positional():
        return f"{argument.display_name()} {argument.lowered.metavar or ''}".strip()
    if argument.lowered.choices:
        return either(argument.lowered.choices)
    help_text = argument.field.helptext
    about = str((help_text() if callable(help_text) else help_text) or "").rstrip(".")
    return f"{_typed_name(argument)}: {about[:1].lower()}{about[1:]}" if about else _typed_name(argument)


def _unknown(tokens: Sequence[str], options: Sequence[str]) -> str:
    """The words that are not options, and the options that were probably meant; or the argument that is too much."""
    if not any(token.startswith("-") for token in tokens):
        return f"expected no further argument, got {' '.join(tokens)!r}"
    meant = [nearest(token, options) for token in tokens if token.startswith("-")]
    guess = " and ".join(dict.fromkeys(each for each in meant if each is not None and each not in tokens))
    return f"unknown option {' '.join(tokens)}" + (f" (did you mean {guess}?)" if guess else "")


def _plain(message: str) -> str:
    """Python's messages about text that is not a number, in plain words."""
    for theirs, ours in (
        (r"(?s)no type matching .*- <class '\w+'>: ", ""),  # of an optional option, the type comes last
        (r"invalid literal for int\(\) with base 10: (.*)", r"expected a whole number, got \1"),
        (r"could not convert string to float: (.*)", r"expected a number, got \1"),
    ):
        message = re.sub(theirs, ours, message)
    return " ".join(message.split())
