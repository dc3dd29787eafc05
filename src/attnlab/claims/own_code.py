"""The code of a claim's own: its family's file and the files of `claims/` that it imports, such as those that train its
models. Its hash tells whether the claim was changed since its seeds were run.

The code below `claims/` is left out: it changes with nearly every version, and every table of seeds would be stale at
once. Tests hold each claim to its verdict instead.
"""

import ast
import hashlib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files

from attnlab.claims.claim import Claim

PACKAGE = "attnlab.claims."
FRAME = {f"{PACKAGE}claim"}
"""What says what a claim is, and decides no verdict."""


def code_hash(claim: Claim) -> str:
    """A short hash of the claim's own code, without docstrings, comments and empty lines."""
    found, new = dict[str, str](), {claim.experiment.__module__}
    while new:
        found |= {name: _code(name) for name in new}
        new = {other for name in new for other in _imported(name)} - found.keys()
    text = "\n".join(f"{name}\n{found[name]}" for name in sorted(found))
    return hashlib.sha256(text.encode()).hexdigest()[:12]


@cache
def _source(module: str) -> str:
    *folders, name = module.removeprefix(PACKAGE).split(".")
    return files("attnlab.claims").joinpath(*folders, f"{name}.py").read_text(encoding="utf-8")


@cache
def _code(module: str) -> str:
    """The lines of a module that run. They are cut from the text, because syntax trees differ between Pythons."""
    text = _source(module)
    strings = [each for each in ast.walk(ast.parse(text)) if isinstance(each, ast.Expr) and _is_text(each.value)]
    left_out = {line for each in strings for line in range(each.lineno, (each.end_lineno or each.lineno) + 1)}
    lines = [line.rstrip() for number, line in enumerate(text.splitlines(), start=1) if number not in left_out]
    return "\n".join(line for line in lines if line and not line.lstrip().startswith("#"))


def _is_text(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


@cache
def _imported(module: str) -> set[str]:
    """The modules of `claims/` that a module imports."""
    return set(_claims_modules(ast.parse(_source(module)))) - FRAME


def _claims_modules(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and f"{node.module}.".startswith(PACKAGE):
            named = node.module != PACKAGE.rstrip(".")  # else: from attnlab.claims import seeds
            yield from [str(node.module)] if named else [f"{PACKAGE}{each.name}" for each in node.names]
