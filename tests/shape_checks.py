"""Checks, at every call, the shapes that a signature of attnlab names (jaxtyping with beartype)."""

import inspect
import re
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import jaxtyping
from beartype import BeartypeConf, beartype

_every_signature = jaxtyping.jaxtyped


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
    return lambda made: _every_signature(made, typechecker=typechecker) if names_a_shape(made) else made


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
