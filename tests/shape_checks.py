"""Checks the shapes that a signature of attnlab names (jaxtyping with beartype): in every test, at the first calls of
each function. A check takes longer than most functions, and a loop that goes right five times seldom fails later."""

import functools
import inspect
import re
import sys
from collections import Counter
from collections.abc import Callable
from types import CodeType, ModuleType
from typing import Any

import jaxtyping
from beartype import BeartypeConf, beartype

_every_signature = jaxtyping.jaxtyped
FIRST = 5
"""How many calls of a function are checked in a test."""
_calls = Counter[CodeType]()


def begin_test() -> None:
    """Check the first calls of every function again."""
    _calls.clear()


def install() -> None:
    """From now on, modules of attnlab are imported with their shapes checked."""
    # jaxtyping takes its checker by name. Ours lets an int stand for a float, as Python does.
    checker = ModuleType("attnlab_shape_checker")
    checker.check = beartype(conf=BeartypeConf(is_pep484_tower=True))  # pyright: ignore[reportAttributeAccessIssue]
    sys.modules[checker.__name__] = checker
    jaxtyping.install_import_hook("attnlab", f"{checker.__name__}.check")
    # jaxtyping wraps every function, at a cost for every call. Most name no shape, and pyright checks their types.
    jaxtyping.jaxtyped = jaxtyped_if_shaped  # pyright: ignore[reportAttributeAccessIssue]


def jaxtyped_if_shaped(*, typechecker: Any) -> Callable[[Any], Any]:
    """As jaxtyping.jaxtyped, for functions and classes that name a shape; others stay as they are."""

    def decorate(made: Any) -> Any:
        if not names_a_shape(made):
            return made
        check = functools.partial(_every_signature, typechecker=typechecker)
        return check(made) if inspect.isclass(made) else _at_first(check, made)

    return decorate


def _at_first(check: Callable[[Any], Callable[..., Any]], made: Any) -> Callable[..., Any]:
    """The checked function at the first calls of a test, then the function itself.

    Calls are counted by the code: a function inside another one is made anew by each call of that one. And beartype
    takes milliseconds to make a check, so only a call that is checked makes it."""
    code = made.__code__
    checked = functools.cache(lambda: check(made))

    @functools.wraps(made)
    def call(*args: Any, **named: Any) -> Any:
        if _calls[code] >= FIRST or jaxtyping.config.jaxtyping_disable:
            return made(*args, **named)
        _calls[code] += 1
        return checked()(*args, **named)

    return call


def names_a_shape(made: Any) -> bool:
    """Whether the signature of a function, or a field of a class or of its bases, names a shape."""
    return any(
        _is_shape(annotation, vars(sys.modules[part.__module__]))
        for part in (inspect.getmro(made) if inspect.isclass(made) else (made,))
        for annotation in getattr(part, "__annotations__", {}).values()
    )


def _is_shape(annotation: Any, names: dict[str, Any]) -> bool:
    """Whether a shape is in an annotation, which `from __future__ import annotations` leaves as text."""
    if isinstance(annotation, str):
        return any("jaxtyping." in repr(names[word]) for word in re.findall(r"\w+", annotation) if word in names)
    return "jaxtyping." in repr(annotation)
