"""The verdicts of claims in which nothing is random, measured beforehand.

benchmarks/claims.py measures them and writes settled.json. A test runs each of these claims again.
"""

import json
from functools import cache
from importlib.resources import files

from attnlab.claims.claim import Claim
from attnlab.claims.steadiness import hashes

FILE = "settled.json"


def settled_verdict(claim: Claim) -> str:
    """The verdict of a claim in which nothing is random; empty if its statement or its code has changed since it was
    measured."""
    noted = dict(_measured().get(claim.id, {}))
    verdict = noted.pop("verdict", "")
    return verdict if verdict and noted == hashes(claim) else ""


@cache
def _measured() -> dict[str, dict[str, str]]:
    return json.loads((files("attnlab.claims") / FILE).read_text(encoding="utf-8"))
