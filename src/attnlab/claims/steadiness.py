"""How steady a verdict is: with how many of many seeds a random claim has each verdict, measured beforehand; and how
long the claim takes.

benchmarks/claims.py measures it and writes steadiness.json. A row of this table is of one claim: the hashes of its
statement and code, its processor seconds, and its runs. Each run is on other data, such as the documentation of another
version of Python: how many seeds gave each verdict, and the versions and the data that they were run with.
"""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from attnlab.claims.claim import Claim
from attnlab.claims.own_code import code_hash
from attnlab.claims.sources import Source, source

FILE = "steadiness.json"
Row = Mapping[str, Any]


def seeds_of(claim: Claim) -> Counter[str]:
    """How many seeds gave each verdict, on all data together; empty if nothing in the claim is random, or if its
    statement or its code has changed since it was measured."""
    return sum((Counter(run["verdicts"]) for run in current_runs(claim, row_of(claim))), Counter[str]())


def seeds_on(claim: Claim, data: Sequence[Source]) -> Counter[str]:
    """The same on these data alone; empty if no seeds were run on them."""
    runs = (run for run in current_runs(claim, row_of(claim)) if same_data(run, data))
    return Counter(next((run["verdicts"] for run in runs), {}))


def row_of(claim: Claim) -> Row:
    """The claim's row of steadiness.json; empty if it has none."""
    return measured()["claims"].get(claim.id, {})


def current_runs(claim: Claim, row: Row) -> list[dict[str, Any]]:
    """The runs of a row, or no runs if its hashes are not those of the claim as it is now."""
    current = bool(row) and all(row.get(name) == value for name, value in hashes(claim).items())
    return list(row["runs"]) if current else []


def same_data(run: Row, data: Sequence[Source]) -> bool:
    """Whether a run was on these data. A source that each seed draws anew is known by its name, any other source by its
    hash."""
    noted = [Source(*each) for each in run["data"]]
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


def with_run(
    row: Row, claim: Claim, verdicts: Mapping[str, int], data: Sequence[Source], seconds: float, made_with: str
) -> Row:
    """The row of a claim after a run. It keeps current runs on other data, and drops those of an earlier statement or
    code."""
    kept = [run for run in current_runs(claim, row) if not same_data(run, data)]
    run = {
        "verdicts": dict(verdicts),
        "data": [[each.name, each.sha256] for each in data],
        "made_with": made_with,
    }
    return {**hashes(claim), "seconds": seconds, "runs": sorted([*kept, run], key=lambda each: each["made_with"])}


def expected_seconds(claim: Claim) -> float:
    """The processor seconds that the claim took when that was last measured; 0 if it was not measured."""
    return row_of(claim).get("seconds", 0.0)


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
