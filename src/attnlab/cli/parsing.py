"""A command line becomes a command: its own options by tyro, and settings, which depend on what else was chosen, by the
lab's one reader of them. What cannot be read is one clear line: tyro draws its messages in boxes of many lines, so its
hook hands over what was wrong, and the words are ours.
"""

import dataclasses
import re
import shutil
import sys
import textwrap
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from functools import partial
from typing import Any, ClassVar, TypeVar

import tyro
from tyro import _errors as tyro_errors

from attnlab.errors import ArgumentError, AttnlabError

Command = TypeVar("Command")
Words = Mapping[str, Mapping[str, str]]
"""Settings as they were typed, group by group: {"model": {"layers": "4"}, "": {"steps": "100"}}. The options of the
group "" have no dot."""
ANSWERS = ("yes", "no", "true", "false")
HELP = ("-h", "--help")
WIDE = 30
"""Characters that an option takes in the help."""


class UsageError(AttnlabError):
    """A command line that cannot be read."""


class WithSettings(ABC):
    """A command with settings beside its own options: which ones there are, and their defaults, depends on the others.

    A field `words` holds what was typed of them.
    """

    dotted: ClassVar[tuple[str, ...]]
    """The groups of settings whose options have a dot."""

    @classmethod
    @abstractmethod
    def plain(cls) -> type | None:
        """The class of the settings whose options have no dot."""

    @abstractmethod
    def defaults(self) -> dict[str, dict[str, Any]]:
        """The settings that hold where nothing else is typed: by group, and in it by a heading for each kind."""

    def listed(self) -> dict[str, dict[str, str]]:
        """What else the help lists, by heading: names, and what each is about."""
        return {}


def parse(command: type[Command], program: str, arguments: Sequence[str]) -> Command | None:
    """The command that the arguments give. Returns None after printing the help."""
    if not issubclass(command, WithSettings):
        return _parsed(command, program, arguments)
    own, words = split_settings(command, arguments)
    found = _parsed(command, program, own, default=command(words=words))  # pyright: ignore[reportCallIssue]
    if found is None:
        rest = [each for each in own if each not in HELP]
        chosen = _parsed(command, program, rest, default=command(words=words))  # pyright: ignore[reportCallIssue]
        print("\n".join(explained(chosen or command())))
    return found


def _parsed(command: type[Command], program: str, arguments: Sequence[str], **default: Any) -> Command | None:
    style = (tyro.conf.FlagCreatePairsOff, tyro.conf.OmitArgPrefixes)
    with tyro_errors.on_parse_error(partial(_refuse, option_names(command))):
        try:
            return tyro.cli(command, prog=program, args=arguments, config=style, **default)
        except SystemExit as end:
            if end.code:
                raise
            return None


def split_settings(command: type[WithSettings], arguments: Sequence[str]) -> tuple[list[str], dict[str, Any]]:
    """The arguments without those that give settings, and these."""
    rest: list[str] = []
    plain = command.plain()
    flags = {each.name: each.type in (bool, "bool") for each in dataclasses.fields(plain)} if plain else {}
    found: dict[str, dict[str, str]] = {}
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
        found.setdefault(group, {})[name] = value
    return rest, found


def _is_value(word: str, flag: bool) -> bool:
    """Whether a word is the value of the option before it; a flag takes none but yes or no."""
    return word.lower() in ANSWERS if flag else not word.startswith("--")


def with_typed(group: str, settings: Any, words: Words) -> Any:
    """The settings of a group with what was typed."""
    from attnlab.settings import with_words

    return with_words(settings, words.get(group, {}), group)


def explained(command: WithSettings) -> list[str]:
    """The settings of a command in lines, with their defaults, and whatever else it lists."""
    from attnlab.settings import Option, as_typed, options

    def line(prefix: str, each: Option) -> str:
        default = as_typed(each.default) or "none"
        about = f"{each.about.rstrip('.')}. " if each.about else ""
        return _entry(prefix + each.name.replace("_", "-"), f"{about}Takes {each.takes} (default: {default})")

    lines: list[str] = []
    for group, kinds in command.defaults().items():
        for kind, values in kinds.items():
            listed = options(values)
            lines += [f"\n{kind}:"] if listed else []
            lines += [line(f"--{group}." if group else "--", each) for each in listed]
    for heading, entries in command.listed().items():
        lines += [f"\n{heading}:", *(_entry(name, about) for name, about in entries.items())]
    return lines


def _entry(name: str, about: str) -> str:
    """A name, and behind it what it is about, folded where there is a window."""
    line = f"  {name:{WIDE}}{about}"
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else len(line)
    return "\n".join(textwrap.wrap(line, max(width, WIDE + 30), subsequent_indent=" " * (WIDE + 2)))


def option_names(command: Any) -> list[str]:
    """The options of a command, those of settings within it too, as they are typed."""
    names = []
    for field in dataclasses.fields(command):
        inner = field.default_factory
        within = isinstance(inner, type) and dataclasses.is_dataclass(inner)
        names += option_names(inner) if within else [f"--{field.name.replace('_', '-')}"]
    cls = command if isinstance(command, type) else type(command)
    if issubclass(cls, WithSettings) and cls.plain():
        names += option_names(cls.plain())
    return names


def named_option(error: AttnlabError, command: Any) -> str:
    """An error's words, with the option as it is typed where an option is to blame."""
    if not isinstance(error, ArgumentError):
        return str(error)
    option = f"--{error.argument.replace('_', '-')}"
    if option in option_names(command) or ("." in option and isinstance(command, WithSettings)):
        return f"{option}: {error.message}"
    if isinstance(command, WithSettings):
        for group, kinds in command.defaults().items():
            if any(error.argument in vars(values) for values in kinds.values()):
                return f"--{group}.{option[2:]}: {error.message}" if group else f"{option}: {error.message}"
    return str(error)


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
