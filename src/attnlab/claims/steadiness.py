"""How steady a verdict is: with how many of many seeds a random claim has each verdict, measured beforehand; and how
long the claim takes.

benchmarks/claims.py measures it and writes steadiness.json, which notes the versions and the data that it was measured
with.
"""

import json
from collections import Counter
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from attnlab.claims.claim import Claim
from attnlab.claims.own_code import code_hash
from attnlab.claims.sources import Source, source

FILE = "steadiness.json"


def seeds_of(claim: Claim) -> Counter[str]:
    """How many seeds gave each verdict, on the data that `on_the_same_data` compares; empty if nothing in the claim is
    random, or if its statement or its code has changed since it was measured."""
    noted = measured()["claims"].get(claim.id, {})
    if not noted or any(noted.get(name, value) != value for name, value in hashes(claim).items()):
        return Counter()  # (a row of an earlier table has no hash of the code)
    return Counter(noted["verdicts"])


def on_the_same_data(claim: Claim, data: Sequence[Source]) -> bool:
    """Whether the seeds of `seeds_of` were run on these data. A source that each seed draws anew is known by its
    name, any other source by its hash."""
    noted = [Source(*each) for each in measured()["claims"].get(claim.id, {}).get("data", ())]
    return len(noted) == len(data) and all(
        each.sha256 == here.sha256 if each.sha256 else each.name == here.name
        for each, here in zip(noted, data, strict=True)
    )


def data_of_seeds(data: Sequence[Sequence[Source]]) -> list[Source]:
    """The data of a claim, given those of each seed: without the hash of a source that each seed draws anew.

    >>> text = Source("a text", "12ab")
    >>> data_of_seeds([(text, Source("a part", "34cd")), (text, Source("a part", "56ef"))])
    [Source(name='a text', sha256='12ab'), Source(name='a part', sha256='')]
    """
    return [each[0] if len(set(each)) == 1 else Source(each[0].name, "") for each in zip(*data, strict=True)]


def expected_seconds(claim: Claim) -> float:
    """The processor seconds that the claim took when that was last measured; 0 if it was not measured."""
    return measured()["claims"].get(claim.id, {}).get("seconds", 0.0)


def hashes(claim: Claim) -> dict[str, str]:
    """What a row of the table must be of: the words of the claim, and its own code."""
    return {"statement": statement_hash(claim), "code": code_hash(claim)}


def statement_hash(claim: Claim) -> str:
    """A short hash of the statement: a verdict is about these words."""
    return source(claim.id, claim.statement).sha256[:12]


@cache
def measured() -> dict[str, Any]:
    """The content of steadiness.json."""
    return json.loads((files("attnlab.claims") / FILE).read_text(encoding="utf-8"))
