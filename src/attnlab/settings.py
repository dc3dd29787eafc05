"""Settings: frozen dataclasses that check their values when they are created, and one reader for all of them.

The same class serves the command line (words), a run's config.json (JSON) and later HTTP. The type of a field gives the
allowed values, and the string below it is its description:

    @settings
    class Box:
        width: Annotated[int, Range(1, 64)] = 8
        \"\"\"The number of columns.\"\"\"

A field `kind` chooses one of several classes. pydantic checks the types. It is imported when the first settings are
created, because the import takes a tenth of a second.
"""

import ast
import dataclasses
import inspect
import json
import os
import re
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from pathlib import Path
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    TypeVar,
    Union,
    dataclass_transform,
    get_args,
    get_origin,
    get_type_hints,
    overload,
)

from attnlab.errors import ArgumentError, FileError, either, meant, shortened
from attnlab.files import read_json
from attnlab.ranges import NOUNS, Range

Class = TypeVar("Class", bound=type)
Settings = TypeVar("Settings")

DEEPEST = 3
"""Settings are nested less deep: model.mixer.kind."""
TAGS: set[str] = set()
"""All values of the fields `kind`."""


Count = Annotated[int, Range(1)]
Layers = Annotated[int, Range(1, 10_000)]
"""The number of layers of a model: each takes time and memory to make, however narrow it is."""
Seed = Annotated[int, Range(0, 2**31)]
Fraction = Annotated[float, Range(0, 1)]
Device = Literal["auto", "cpu", "cuda"]
"""Where a model runs; auto: on a GPU if there is one."""
Precision = Literal["float32", "bfloat16"]
"""The precision of matrix products."""


class ByKind:
    """Part of the type of a union: the field `kind` chooses the class."""

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        """How pydantic chooses."""
        from pydantic import Discriminator

        return Discriminator("kind").__get_pydantic_core_schema__(source, handler)


def tag(*, default: str, kw_only: Literal[True] = True) -> Any:
    """The field `kind`, which chooses one of several classes; it is never a positional argument."""
    TAGS.add(default)
    return field(default=default, kw_only=kw_only)


def only_with(*, default: Any, **others: tuple[Any, ...]) -> Any:
    """A setting that has an effect only if other settings have one of these values.

    >>> @settings
    ... class Box:
    ...     lid: Literal["none", "hinged"] = "none"
    ...     hinges: Count = only_with(default=2, lid=("hinged",))
    >>> unused(Box()), write_used(Box("hinged"))
    (['hinges'], {'lid': 'hinged', 'hinges': 2})
    """
    return field(default=default, metadata=others)


def unused(value: Any) -> list[str]:
    """The names of the settings that have no effect, because of the values of others."""
    return [each.name for each in dataclasses.fields(value) if _against(value, each)]


def _check_used(value: Any, given: Mapping[str, Any], where: str = "") -> None:
    """Raise if a setting was given that has no effect, because of the values of others."""
    for each in dataclasses.fields(value):
        if each.name in given and (name := _against(value, each)):
            kept, allowed = as_typed(getattr(value, name)), either(map(as_typed, each.metadata[name]))
            shown = name.replace("_", "-")
            message = f"this option is not used with {shown} {kept}; use it with {shown} {allowed}"
            raise ArgumentError(_below(where, each.name), message)


def _against(value: Any, setting: "dataclasses.Field[Any]") -> str:
    """The other setting whose value leaves this one without effect; empty if there is none."""
    return next((name for name, allowed in setting.metadata.items() if getattr(value, name) not in allowed), "")


@dataclass_transform(frozen_default=True, field_specifiers=(field, tag, only_with))
def settings(cls: Class) -> Class:
    """Turn a class into settings: a frozen dataclass that checks each value, then runs its own `__post_init__`."""
    if "__post_init__" in cls.__dict__ or not hasattr(cls, "__post_init__"):  # else it inherits the checks
        together = cls.__dict__.get("__post_init__")

        def check(self: Any) -> None:
            _checked(type(self), vars(self))
            if together:
                together(self)

        cls.__post_init__ = check
    cls.__pydantic_config__ = {"extra": "forbid"}
    return dataclass(frozen=True)(cls)


@overload
def read(cls: type[Settings], value: Any, where: str = "") -> Settings: ...
@overload
def read(cls: Any, value: Any, where: str = "") -> Any: ...
def read(cls: Any, value: Any, where: str = "") -> Any:
    """Settings from a JSON value. Missing settings have their defaults. An error names the setting, with `where` before
    it.

    >>> @settings
    ... class Box:
    ...     width: Annotated[int, Range(1, 64)] = 8
    >>> read(Box, {"width": 3}).width
    3
    >>> read(Box, {"width": 65})
    Traceback (most recent call last):
    attnlab.errors.ArgumentError: width: expected a whole number from 1 to 64, got 65; try 64
    """
    text = _json(value, where)
    return _translated(lambda: _adapter(cls).validate_json(text, strict=True), cls, where)


def _json(value: Any, where: str) -> str:
    """A value as JSON text. A NumPy number is a plain number, and a path is a string."""

    def plain(each: Any) -> Any:
        if isinstance(each, os.PathLike):
            return os.fspath(each)
        return each.item()

    try:
        return json.dumps(value, default=plain)
    except (TypeError, ValueError, AttributeError, RuntimeError) as error:
        if isinstance(value, Mapping) and where.count(".") < DEEPEST:
            for name, each in value.items():
                _json(each, _below(where, str(name)))  # raises, and names the setting
        expected = f"expected numbers, texts and lists of them, got {shortened(value)}"
        raise ArgumentError(where or "settings", expected) from error


def check_complete(found: Any, value: Mapping[str, Any], where: str = "") -> None:
    """Raise if the JSON value that settings were read from lacks a setting. One that is None, or that has no effect,
    may be missing.

    >>> @settings
    ... class Box:
    ...     width: int = 8
    >>> check_complete(read(Box, {}), {}, "box")
    Traceback (most recent call last):
    attnlab.errors.ArgumentError: box.width: the value is missing
    """
    without_effect = unused(found)
    for each in dataclasses.fields(found):
        part, name = getattr(found, each.name), _below(where, each.name)
        if each.name not in value and part is not None and each.name not in ("kind", *without_effect):
            raise ArgumentError(name, "the value is missing")
        if dataclasses.is_dataclass(part):
            check_complete(part, value[each.name], name)


def read_file(cls: type[Settings], path: Path, what: str) -> Settings:
    """Settings from a JSON file. Other entries are ignored, and no setting may be missing. `what` names the expected
    content in an error."""
    value = read_json(path, what)
    try:
        given = {name: value[name] for name in _hints(cls) if name in value}
        found = read(cls, given)
        check_complete(found, given)
        return found
    except ArgumentError as error:
        raise FileError(path, f"expected {what}: {error}") from error


class Word(str):
    """The value of a setting as it was typed: `changed` reads it as the type of the setting."""


def changed(usual: Settings, changes: Mapping[str, Any] | None, where: str = "") -> Settings:
    """The settings with some changes. Raises if a change has no effect, because of other settings. An error names the
    setting, with `where` before it."""
    given = changes or {}
    words = {name: value for name, value in given.items() if isinstance(value, Word)}
    others = {name: value for name, value in given.items() if name not in words}
    made = with_words(usual, words, where) if words else usual
    made = read(type(made), write(made) | others, where) if others else made
    _check_used(made, given, where)
    return made


def changed_values(usual: Any, changes: Mapping[str, Any] | None, where: str = "") -> dict[str, Any]:
    """Changes of settings by name, with the types of the settings."""
    made = changed(usual, changes, where)
    return {name: getattr(made, name) for name in changes or ()}


def write(value: Any) -> dict[str, Any]:
    """Settings as a JSON value that `read` can read."""
    return json.loads(json.dumps(dataclasses.asdict(value)))


def write_used(value: Any) -> dict[str, Any]:
    """Settings as a JSON value that `read` can read, without those that have no effect."""
    return json.loads(json.dumps(_used(value)))


def _used(value: Any) -> Any:
    """The settings in a value that have an effect, by name."""
    if dataclasses.is_dataclass(value):
        left = [each.name for each in dataclasses.fields(value) if not _against(value, each)]
        return {name: _used(getattr(value, name)) for name in left}
    if isinstance(value, Mapping):
        return {name: _used(each) for name, each in value.items()}
    return [_used(each) for each in value] if isinstance(value, list | tuple) else value


def with_words(value: Settings, words: Mapping[str, str], where: str = "") -> Settings:
    """The settings with changes that were typed. An error names the setting, with `where` before it.

    >>> @settings
    ... class Box:
    ...     width: Annotated[int, Range(1, 64)] = 8
    ...     sides: tuple[float, ...] = ()
    >>> with_words(Box(), {"width": "3", "sides": "0.5,2"})
    Box(width=3, sides=(0.5, 2.0))
    """
    cls: Any = type(value)
    hints, known = _hints(cls), option_names(cls)
    typed = {}
    for name, word in words.items():
        if name not in known:
            raise ArgumentError(_below(where, name), _unknown(name, known))
        given: Any = word
        if get_origin(_plain(hints[name])) is tuple:
            given = [part.strip() for part in word.split(",") if part.strip()]
            if word.strip() and not given:
                raise ArgumentError(_below(where, name), f"expected {_takes(hints[name])}; got {word!r}")
        elif _plain(hints[name]) is bool and not word:
            given = True
        check = _adapter(hints[name]).validate_python
        typed[name] = _translated(lambda check=check, given=given: check(given), cls, _below(where, name))
    return _translated(lambda: dataclasses.replace(value, **typed), cls, where)  # pyright: ignore[reportArgumentType]


@dataclass(frozen=True)
class Option:
    """A setting in the help: its name, the values that it takes, its description and its default."""

    name: str
    takes: str
    about: str
    default: Any


def options(value: Any) -> list[Option]:
    """The options for the settings of a class; `value` gives the defaults.

    >>> from attnlab.models.recurrent import RecurrentConfig
    >>> options(RecurrentConfig())[1].takes
    'a whole number from 1 to 10,000'
    """
    cls = type(value)
    hints, abouts = _hints(cls), _abouts(cls)
    return [Option(name, _takes(hints[name]), abouts.get(name, ""), getattr(value, name)) for name in option_names(cls)]


def option_names(cls: type) -> list[str]:
    """The names of the settings of a class, without `kind`."""
    return [each.name for each in dataclasses.fields(cls) if each.name != "kind"]


def option_types(*classes: type) -> dict[str, Any]:
    """The types of all settings of some classes, by name."""
    return {name: _hints(cls)[name] for cls in classes for name in option_names(cls)}


def changes(value: Any, usual: Any) -> dict[str, Any]:
    """The settings that differ from the usual settings of the same class, by name.

    >>> @settings
    ... class Box:
    ...     is_open: bool = False
    ...     width: int = 8
    >>> changes(Box(True), Box())
    {'is_open': True}
    """
    given = {name: getattr(value, name) for name in option_names(type(value))}
    return {name: each for name, each in given.items() if each != getattr(usual, name)}


def as_typed(value: Any) -> str:
    """A value as it is typed: yes or no for a bool, several values with commas between them."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)


@cache
def _adapter(hint: Any) -> Any:
    """pydantic's validator of a type."""
    from pydantic import TypeAdapter

    return TypeAdapter(hint)


@cache
def _fields_adapter(cls: type) -> Any:
    """pydantic's validator of the fields of a class of settings."""
    from pydantic import TypeAdapter
    from typing_extensions import TypedDict

    values = TypedDict(cls.__name__, _hints(cls))  # pyright: ignore[reportArgumentType] (its fields are not written out)
    return TypeAdapter(values)


def _checked(cls: type, values: Mapping[str, Any]) -> None:
    _translated(lambda: _fields_adapter(cls).validate_python(dict(values), strict=True), cls)


def _translated(make: Any, cls: Any, where: str = "") -> Any:
    """Call `make`; replace an error of pydantic by an ArgumentError in the lab's words."""
    try:
        return make()
    except ArgumentError as error:
        raise ArgumentError(_below(where, error.argument), error.message) from error.__cause__
    except ValueError as error:
        if not hasattr(error, "errors"):
            raise
        first = error.errors()[0]  # pyright: ignore[reportAttributeAccessIssue] (pydantic's)
        path = [str(part) for part in first["loc"] if part not in TAGS and isinstance(part, str)]
        inside = "" if where.rpartition(".")[2] in path[:1] else ".".join(path)
        raise ArgumentError(_below(where, inside) or "settings", _words(first, cls)) from None


def _words(error: Mapping[str, Any], cls: Any) -> str:
    """The message of an error: what was expected, and what was given."""
    value, context = error["input"], error.get("ctx", {})
    got = f", got {shortened(value)}"
    match error["type"]:
        case "value_error":
            limits, number, whole = context["error"].args
            return limits.refusal(number, whole, value)
        case "literal_error":
            return ArgumentError.unknown("", value, _choices(context["expected"])).message
        case "missing":
            return "the value is missing"
        case "extra_forbidden" | "unexpected_keyword_argument":
            own = len(error["loc"]) == 1 and isinstance(cls, type)
            return _unknown(str(error["loc"][0]), option_names(cls)) if own else "there is no such setting"
        case "union_tag_invalid":
            return ArgumentError.unknown("", context["tag"], _choices(context["expected_tags"])).message
        case "union_tag_not_found":
            return f"expected settings with a kind{got}"
        case "dataclass_type" | "dataclass_exact_type" | "model_type" | "dict_type" | "model_attributes_type":
            return f"expected settings by name{got}"
    kinds = {"int": "a whole number", "float": "a number", "finite": "a finite number", "bool": "true or false"}
    kinds |= {"string": "a text", "tuple": "a list", "list": "a list", "path": "a path", "none": "nothing"}
    expected = kinds.get(error["type"].partition("_")[0], error["msg"])
    return f"expected {expected}{got}"


def _choices(expected: str) -> list[str]:
    """The words in pydantic's list of them: 'red', 'green' or 'blue'."""
    return re.split(", | or ", expected.replace("'", ""))


def _unknown(name: str, known: list[str]) -> str:
    return "there is no such setting" + (f"; expected {', '.join(known)}{meant(name, known)}" if known else "")


def _below(where: str, name: str) -> str:
    return ".".join(part for part in (where, name) if part)


@cache
def _hints(cls: type) -> dict[str, Any]:
    return get_type_hints(cls, include_extras=True)


def _plain(hint: Any) -> Any:
    """A type without its range, and without `| None`."""
    if get_origin(hint) is Annotated:
        return _plain(get_args(hint)[0])
    if get_origin(hint) in (Union, UnionType):
        left = [each for each in get_args(hint) if each is not NoneType]
        return _plain(left[0]) if len(left) == 1 else hint
    return hint


def _takes(hint: Any) -> str:
    """The values that a setting takes, in words."""
    if get_origin(hint) in (Union, UnionType):
        return _takes(next(each for each in get_args(hint) if each is not NoneType))
    within = next((f" {each}" for each in get_args(hint) if isinstance(each, Range)), "")
    plain = _plain(hint)
    if get_origin(plain) is Literal:
        return either(map(str, get_args(plain)))
    if get_origin(plain) is tuple:
        return f"{_takes(get_args(plain)[0])}, or several with commas between them"
    return NOUNS.get(plain, "a word") + within


@cache
def _abouts(cls: type) -> dict[str, str]:
    """The strings below the fields of a class and of its base classes."""
    found: dict[str, str] = {}
    for each in reversed(cls.__mro__):
        if dataclasses.is_dataclass(each):
            found |= dict(_strings_below(each))
    return found


def _strings_below(cls: type) -> Iterator[tuple[str, str]]:
    (node,) = ast.parse(textwrap.dedent(inspect.getsource(cls))).body
    assert isinstance(node, ast.ClassDef)
    for one, other in pairwise(node.body):
        match one, other:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                yield name, " ".join(text.split())
