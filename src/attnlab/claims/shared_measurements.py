"""Measurements that one process makes and another one uses, so that processes can share the models of claims."""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, ParamSpec, TypeVar

Arguments = ParamSpec("Arguments")
Value = TypeVar("Value")
Measurements = Mapping[tuple[str, tuple[Any, ...]], Any]
"""The values of calls, by the function's name and the arguments."""

_known: dict[tuple[str, tuple[Any, ...]], Any] = {}


def kept(function: Callable[Arguments, Value]) -> Callable[Arguments, Value]:
    """A cache, as functools.cache, whose content can be sent to another process. Arguments are given by position, and
    the value must be the same in every process."""

    @wraps(function)
    def call(*args: Arguments.args, **named: Arguments.kwargs) -> Value:
        assert not named
        key = (f"{function.__module__}.{function.__qualname__}", args)
        if key not in _known:
            _known[key] = function(*args, **named)
        return _known[key]

    return call


def known() -> Measurements:
    """Everything that this process has measured, or was told."""
    return dict(_known)


def learn(measurements: Measurements) -> None:
    """Use what another process has measured."""
    _known.update(measurements)
