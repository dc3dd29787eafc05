"""One run of the whole ledger for all tests of claims."""

import pytest

from attnlab.claims import Claim, Finding
from attnlab.claims.ledger import every_claim

Findings = dict[str, tuple[Claim, Finding]]


@pytest.fixture(scope="session")
def findings() -> Findings:
    return {claim.id: (claim, claim.run()) for claim in every_claim()}
