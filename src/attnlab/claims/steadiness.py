"""How steady a verdict is: with how many of many seeds a random claim has each verdict, measured beforehand; and how
long the claim takes.

benchmarks/claims.py measures it and writes verdicts.json, which notes the versions that it was measured with.
"""

import json
from collections import Counter
from functools import cache
from importlib.resources import files
from typing import Any

from attnlab.claims.claim import Claim
from attnlab.claims.sources import source

FILE = "verdicts.json"


def seeds_of(claim: Claim) -> Counter[str]:
    """How many seeds gave each verdict; empty if nothing in the claim is random, or if its statement has changed since
    it was measured."""
    noted = measured()["claims"].get(claim.id, {})
    return Counter(noted["verdicts"]) if noted.get("statement") == statement_hash(claim) else Counter()


def expected_seconds(claim: Claim) -> float:
    """The processor seconds that the claim took when that was last measured; 0 if it was not measured."""
    return measured()["claims"].get(claim.id, {}).get("seconds", 0.0)


def statement_hash(claim: Claim) -> str:
    """A short hash of the statement: a verdict is about these words."""
    return source(claim.id, claim.statement).sha256[:12]


@cache
def measured() -> dict[str, Any]:
    """The content of verdicts.json."""
    return json.loads((files("attnlab.claims") / FILE).read_text(encoding="utf-8"))
