"""The ledger: all claims, family by family. Every file in `families/` belongs to it."""

import importlib
import pkgutil
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from functools import cache

from attnlab.claims import families
from attnlab.claims.claim import Claim, Family
from attnlab.errors import ArgumentError, either


@cache
def ledger() -> tuple[Family, ...]:
    """The families in their order."""
    found = [
        importlib.import_module(f"attnlab.claims.families.{module.name}").FAMILY
        for module in pkgutil.iter_modules(families.__path__)
    ]
    return tuple(sorted(found, key=lambda family: family.number))


def every_claim() -> Iterator[Claim]:
    """All claims of the ledger, in its order."""
    return (claim for family in ledger() for claim in family.claims)


def choose(names: Sequence[str], *, argument: str = "only") -> list[Claim]:
    """The claims with these names (ids or families), in the ledger's order; without names, all claims.

    `argument` is the option that an error names.
    """
    families, ids = [family.name for family in ledger()], [claim.id for claim in every_claim()]
    for name in names:
        if name not in ids and name not in families:
            raise ArgumentError(argument, f"expected a claim or a family, got {name!r}{_hint(name, [*ids, *families])}")
    return [claim for claim in every_claim() if not names or claim.id in names or claim.family in names]


def pick(names: Sequence[str], family: str = "", by: str = "") -> list[Claim]:
    """The claims with these names (ids or families); or those of a family, of a write-up, or of both."""
    for option, value in (("family", family), ("by", by)):
        if names and value:
            raise ArgumentError(option, "cannot be combined with an ID, which names the claims to run")
    claims = choose_family(family) if family else choose(names, argument="ID")
    return said_by(by, claims) if by else claims


def picking(family: str, by: str) -> dict[str, str]:
    """The options that pick claims."""
    return {name: value for name, value in (("family", family), ("by", by)) if value}


def choose_family(name: str) -> list[Claim]:
    """The claims of one family."""
    families = {family.name: list(family.claims) for family in ledger()}
    if name not in families:
        raise ArgumentError("family", f"expected a family, got {name!r}{_hint(name, list(families))}")
    return families[name]


def said_by(who: str, claims: Sequence[Claim]) -> list[Claim]:
    """The claims of one write-up, A to E, or the lab's own claims (`lab`)."""
    found = [claim for claim in claims if who in claim.said_by.replace(",", "").split()]
    if not found:
        known = sorted({name for claim in every_claim() for name in claim.said_by.split(", ") if len(name) == 1})
        raise ArgumentError("by", f"expected {either([*known, 'lab'])}; got {who!r}, who makes none of these claims")
    return found


def _hint(name: str, known: Sequence[str]) -> str:
    """The end of an error about an unknown name: the families that contain it, the nearest name, or all families."""
    within = [family.name for family in ledger() if name and name in family.name]
    close = within or get_close_matches(name, known, n=1)
    if not close:
        return f"; the families are {', '.join(family.name for family in ledger())}"
    return f"; did you mean {either(close)}?"
