"""Running claims: the value that `findings.json` holds, and that the report is made from."""

import json
import platform
import time
from collections.abc import Callable, Sequence
from importlib.metadata import version
from typing import Any

from attnlab import __version__
from attnlab.claims.claim import Claim
from attnlab.claims.ledger import ledger


def run_claims(
    claims: Sequence[Claim],
    *,
    seed: int = 0,
    only: Sequence[str] = (),
    progress: Callable[[str], None] = lambda _: None,
) -> dict[str, Any]:
    """What the claims find, as one JSON value: version, seed, what was asked for, the families, and the findings.

    Only the `seconds` of a finding differ between two runs with one seed. `progress` is told the id of each claim that
    is about to run.
    """
    findings = []
    for claim in claims:
        progress(claim.id)
        findings.append(_found(claim, seed))
    families = [
        {"name": family.name, "title": family.title, "question": family.question}
        for family in ledger()
        if any(claim.family == family.name for claim in claims)
    ]
    return {
        "version": __version__,
        "made_with": {
            "python": platform.python_version(),
            **{name: version(name) for name in ("torch", "numpy", "scipy")},
        },
        "seed": seed,
        "only": list(only),
        "families": families,
        "findings": findings,
    }


def _found(claim: Claim, seed: int) -> dict[str, Any]:
    """The claim and what it finds, as it is read back from JSON. What goes wrong in it is a bug of ours."""
    start = time.perf_counter()
    try:
        value = json.loads(json.dumps(claim.as_json(claim.run(seed)), allow_nan=False))
    except Exception as error:
        raise RuntimeError(f"the claim {claim.id} cannot be run: {error}") from error
    return value | {"seconds": round(time.perf_counter() - start, 3)}
