"""Parsing: a command line becomes a command.

tyro reads the command's own options. The lab's reader reads the settings, whose defaults depend on those options. An
error is one clear line: tyro would draw a box of many lines, so a hook takes the error from it and words it anew.
"""

import dataclasses
import re
import shutil
import sys
import textwrap
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from typing import Annotated, Any, ClassVar, TypeVar

import tyro
from tyro import _errors as tyro_errors

from attnlab.errors import ArgumentError, AttnlabError

Command = TypeVar("Command")
Words = Mapping[str, Mapping[str, str]]
"""Settings as they were typed, by group: {"model": {"layers": "4"}, "": {"steps": "100"}}. Options of the group "" have
no dot."""
ANSWERS = ("yes", "no", "true", "false")
HELP = ("-h", "--help")
WIDE = 30
"""The width of the column of options in the help, in characters."""
BESIDE_RESUME = {"resume", "json", "html", "plot"}
"""Options that may be given together with --resume."""


class UsageError(AttnlabError):
    """A command line that cannot be read."""


@dataclass(frozen=True)
class WithSettings(ABC):
    """A command that takes settings beside its own options. The options decide which settings there are, and their
    defaults."""

    dotted: ClassVar[tuple[str, ...]] = ()
    """The groups of settings whose options have a dot."""

    words: Annotated[Words, tyro.conf.Suppress] = dataclasses.field(default_factory=dict)
    """The settings as they were typed."""

    @classmethod
    @abstractmethod
    def plain(cls) -> type:
        """The class of the settings whose options have no dot."""

    def defaults(self) -> dict[str, dict[str, Any]]:
        """The default settings: by group, and in each group by heading."""
        return {"": {"settings": self.plain()()}}

    def listed(self) -> dict[str, dict[str, str]]:
        """Further lists for the help, by heading: names with their descriptions."""
        return {}

    def check_alone(self) -> None:
        """Raise if other settings are given with --resume: a run continues with its own settings."""
        given = {each.name for each in dataclasses.fields(self) if getattr(self, each.name) != each.default}
        if given - BESIDE_RESUME - {"words"} or self.words:
            raise ArgumentError("resume", "takes no other settings: the run continues with its own")


def parse(command: type[Command], program: str, arguments: Sequence[str]) -> Command | None:
    """The command that the arguments describe. Returns None after printing the help."""
    if not issubclass(command, WithSettings):
        return _parsed(command, program, arguments)
    own, words = split_settings(command, arguments)
    typed = command(words=words)  # pyright: ignore[reportCallIssue] (every command of this kind is a dataclass)
    found = _parsed(command, program, own, default=typed)
    if found is None:
        rest = [each for each in own if each not in HELP]
        print("\n".join(explained(_parsed(command, program, rest, default=typed) or typed)))
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
    """The arguments of the command's own options, and the settings."""
    rest: list[str] = []
    flags = {each.name: each.type in (bool, "bool") for each in dataclasses.fields(command.plain())}
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
    """Whether a word is the value of the option before it. The only values of a flag are yes and no."""
    return word.lower() in ANSWERS if flag else not word.startswith("--")


def with_typed(group: str, settings: Any, words: Words) -> Any:
    """The settings of a group, changed by the typed words."""
    from attnlab.settings import with_words

    return with_words(settings, words.get(group, {}), group)


def explained(command: WithSettings) -> list[str]:
    """The lines of the help for a command's settings, with their defaults, and for its further lists."""
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
    """A line with a name and its description, folded to the width of the terminal."""
    line = f"  {name:{WIDE}}{about}"
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else len(line)
    return "\n".join(textwrap.wrap(line, max(width, WIDE + 30), subsequent_indent=" " * (WIDE + 2)))


def option_names(command: Any) -> list[str]:
    """The options of a command and of its settings, as they are typed."""
    names = []
    for field in dataclasses.fields(command):
        inner = field.default_factory
        within = isinstance(inner, type) and dataclasses.is_dataclass(inner)
        names += option_names(inner) if within else [f"--{field.name.replace('_', '-')}"]
    cls = command if isinstance(command, type) else type(command)
    if issubclass(cls, WithSettings):
        names += option_names(cls.plain())
    return names


def named_option(error: AttnlabError, command: Any) -> str:
    """The message of an error. If an option caused it, the option is named as it is typed."""
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
    """The known word that was probably meant: the only one that starts like this, or the most similar one."""
    # Compare without dashes: every option has them, so all options would look alike.
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
            missing = [each.arg for each in event.missing_arguments]
            expected = _explained(missing[0]) if len(missing) == 1 else ", ".join(map(_typed_name, missing))
            return f"{unknown}expected {expected}; {event.prog} --help explains"
        case tyro_errors.InvalidChoice():
            return f"{_typed_name(event.argument)}: expected {' or '.join(event.choices)}, got {event.value!r}"
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
    """A missing argument: its choices, or its name; a positional argument also has its description."""
    if not argument.is_positional():
        return argument.display_name()
    if argument.lowered.choices:
        return " or ".join(argument.lowered.choices)
    help_text = argument.field.helptext
    about = str((help_text() if callable(help_text) else help_text) or "").rstrip(".")
    return f"{_typed_name(argument)}: {about[:1].lower()}{about[1:]}" if about else _typed_name(argument)


def _unknown(tokens: Sequence[str], options: Sequence[str]) -> str:
    """The words that are not options, and the options that were probably meant."""
    meant = [nearest(token, options) for token in tokens if token.startswith("-")]
    guess = " and ".join(dict.fromkeys(each for each in meant if each is not None))
    return f"unknown {' '.join(tokens)}" + (f" (did you mean {guess}?)" if guess else "")


def _plain(message: str) -> str:
    """Python's messages about text that is not a number, in plain words."""
    for theirs, ours in (
        (r"(?s)no type matching .*- <class '\w+'>: ", ""),  # of an optional option, the type comes last
        (r"invalid literal for int\(\) with base 10: (.*)", r"expected a whole number, got \1"),
        (r"could not convert string to float: (.*)", r"expected a number, got \1"),
    ):
        message = re.sub(theirs, ours, message)
    return " ".join(message.split())
