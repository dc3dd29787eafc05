"""One run of the whole ledger for all tests of claims, and what tests of records share."""

from collections.abc import Callable

import jaxtyping
import pytest
from tests.benches.conftest import watcher

from attnlab.claims import Claim, Finding
from attnlab.claims.ledger import every_claim

__all__ = ["watcher"]

Findings = dict[str, tuple[Claim, Finding]]
LONG = (
    "averaging-network",
    "misread-reviews",
    "reading-order",
    "knowledge-in",
    "made-up-answers",
    "induction",
    "trained-heads",
)
"""Families that train on thousands of reviews, or networks for many steps, far slower if every shape is checked on the
way; the shapes are checked where reviews, networks and training are tested."""


def run_claim(claim: Claim) -> Finding:
    """The finding of a claim, every shape checked but for those of the long families."""
    jaxtyping.config.update("jaxtyping_disable", claim.family in LONG)
    try:
        return claim.run()
    finally:
        jaxtyping.config.update("jaxtyping_disable", False)


@pytest.fixture(scope="session")
def findings() -> Findings:
    return {claim.id: (claim, run_claim(claim)) for claim in every_claim()}


@pytest.fixture
def once_more() -> Callable[[Claim], Finding]:
    """Runs a claim once more."""
    return run_claim
