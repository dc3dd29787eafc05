"""Packages that are verbs of the front door, too: `al.claims(…)` runs claims.

Python gives a package the name of its folder, whatever else has that name. So the package itself can be called, and
calls the verb. It does not know where the verbs are: the front door tells `verbs_from` when it is imported.
"""

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

_found_by: list[Callable[[str], Callable[..., Any]]] = []


class _Verb(ModuleType):
    """A package that calls the verb of the same name."""

    def __call__(self, *given: Any, **named: Any) -> Any:
        return _found_by[0](self.__name__.rpartition(".")[2])(*given, **named)


def is_a_verb(package: str) -> None:
    """Let a package be called."""
    sys.modules[package].__class__ = _Verb


def verbs_from(find: Callable[[str], Callable[..., Any]]) -> None:
    """Set the function that gives the verb of a name."""
    _found_by[:] = [find]
