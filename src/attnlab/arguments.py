"""Arguments of public functions: their types are checked when a person calls them, with an error of one line."""

import inspect
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, wraps
from inspect import Parameter
from numbers import Integral, Real
from pathlib import Path
from types import NoneType, SimpleNamespace, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    ParamSpec,
    TypeVar,
    Union,
    Unpack,
    get_args,
    get_origin,
    get_type_hints,
)

from attnlab.errors import ArgumentError, FileError, either, shortened
from attnlab.files import is_utf8

Parameters = ParamSpec("Parameters")
Found = TypeVar("Found")

WORDS = {int: "a whole number", float: "a number", bool: "true or false", str: "a text", Path: "a path"}
WORDS |= {NoneType: "None", Mapping: "a dict", Sequence: "a list", Iterable: "a list"}
ACCEPTED: dict[Any, Any] = {int: Integral, float: Real, Path: os.PathLike}
"""The classes whose objects are taken for a type: those of NumPy are numbers, too."""
LONGEST = 60


def checked(function: Callable[Parameters, Found]) -> Callable[Parameters, Found]:
    """The function, which raises an ArgumentError if an argument has a wrong type, or names a file as no file can be
    named; and a FileError for an error of the system about a file.

    >>> @checked
    ... def repeat(text: str, times: int | None = None): ...
    >>> repeat("a", times=0.5)
    Traceback (most recent call last):
    attnlab.errors.ArgumentError: times: expected a whole number or None, got 0.5
    """

    @wraps(function)
    def call(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Found:
        _check(function, args, kwargs)
        try:
            return function(*args, **kwargs)
        except OSError as error:
            if not isinstance(error.filename, str | bytes):
                raise
            raise FileError.of(error) from error

    # inspect reads this attribute of a function, which typeshed does not know
    call.__signature__ = _spelled_out(inspect.signature(function))  # pyright: ignore[reportAttributeAccessIssue]
    return call


def _spelled_out(signature: inspect.Signature) -> inspect.Signature:
    """The signature with each name of `**options: Unpack[…]`, so that help and notebooks list the names."""
    own = [each for each in signature.parameters.values() if get_origin(each.annotation) is not Unpack]
    listed = [get_args(each.annotation)[0] for each in signature.parameters.values() if each not in own]
    hints = {name: hint for each in listed for name, hint in get_type_hints(each).items()}
    options = [Parameter(name, Parameter.KEYWORD_ONLY, default=..., annotation=hints[name]) for name in hints]
    return signature.replace(parameters=[*own, *options])


def _check(function: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
    signature, hints = _types(function)
    try:
        given = signature.bind(*args, **kwargs).arguments
    except TypeError:  # an argument is missing or unknown; too many of them are Python's own error
        _check_names(signature, hints, args, kwargs)
        return
    for name, value in given.items():
        kind = signature.parameters[name].kind
        if name not in hints or kind is Parameter.VAR_KEYWORD:  # the reader of settings checks those
            continue
        for each in value if kind is Parameter.VAR_POSITIONAL else (value,):
            if not _fits(each, hints[name]):
                raise ArgumentError(name, f"expected {_type_in_words(hints[name])}, got {_shown(each)}")
            _check_paths(name, each, hints[name])


def _check_paths(name: str, value: Any, hint: Any) -> None:
    """Raise if a path, or one of several, has characters that no name of a file can have. A string is a path where
    both may be given."""
    kinds = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    if Path in kinds and (isinstance(value, os.PathLike) or (isinstance(value, str) and str in kinds)):
        path = os.fsdecode(value)
        if "\0" in path:
            raise ArgumentError(name, f"expected a path without a null character, got {shortened(path)}")
        if not is_utf8(path):
            expected = "expected a file name in UTF-8; rename the file or folder"
            raise ArgumentError(name, f"{expected}; got {shortened(path)}")
    for each in kinds:
        inner = get_args(each)
        if isinstance(value, list | tuple) and get_origin(each) in (Sequence, Iterable) and _may_be_path(inner[0]):
            for one in value:
                _check_paths(name, one, inner[0])


def _may_be_path(hint: Any) -> bool:
    return hint is Path or any(map(_may_be_path, get_args(hint)))


def _check_names(
    signature: inspect.Signature, hints: Mapping[str, Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> None:
    """Raise if a named argument is unknown, or if one that is needed is missing."""
    kinds = {name: each.kind for name, each in signature.parameters.items()}
    named = [name for name, kind in kinds.items() if kind not in (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)]
    if Parameter.VAR_KEYWORD not in kinds.values():
        for name in kwargs:
            if name not in named:
                raise ArgumentError(name, f"there is no such argument; expected {either(filter(hints.get, named))}")
    given = {*[name for name in named if kinds[name] is not Parameter.KEYWORD_ONLY][: len(args)], *kwargs}
    for name in named:
        if signature.parameters[name].default is Parameter.empty and name not in given:
            raise ArgumentError(name, f"expected {_type_in_words(hints[name])}, got no value")


@cache
def _types(function: Callable[..., Any]) -> tuple[inspect.Signature, dict[str, Any]]:
    # What it returns is not checked, and may be named only for type checkers.
    taken = {name: hint for name, hint in inspect.get_annotations(function).items() if name != "return"}
    return inspect.signature(function), get_type_hints(SimpleNamespace(__annotations__=taken), _globals(function))


def _globals(function: Callable[..., Any]) -> dict[str, Any]:
    return getattr(inspect.unwrap(function), "__globals__", {})


def _fits(value: Any, hint: Any) -> bool:
    """Whether a value has a type. Types that this function does not know take every value."""
    kind, inner = get_origin(hint) or hint, get_args(hint)
    if kind is Annotated:
        return _fits(value, inner[0])
    if kind in (Union, UnionType):
        return any(_fits(value, each) for each in inner)
    if kind is Literal:
        return isinstance(value, str | int) and value in inner
    if isinstance(value, bool) and kind in (int, float):
        return False
    if not isinstance(kind, type):
        return True
    return isinstance(value, ACCEPTED.get(kind, kind))


def _type_in_words(hint: Any) -> str:
    """A type as an error says it: a number, or the words that are allowed."""
    kind, inner = get_origin(hint) or hint, get_args(hint)
    if kind is Annotated:
        return _type_in_words(inner[0])
    if kind is Literal:
        return either(map(str, inner))
    if kind in (Union, UnionType):
        return either(dict.fromkeys(map(_type_in_words, inner)))
    return WORDS.get(kind) or f"a {getattr(kind, '__name__', kind)}"


def _shown(value: Any) -> str:
    """A short value as Python writes it; of any other only its class, because it may be long."""
    plain = value is None or isinstance(value, str | int | float)
    return repr(value) if plain and len(repr(value)) <= LONGEST else f"a {type(value).__name__}"
