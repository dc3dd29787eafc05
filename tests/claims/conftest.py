"""One run of the whole ledger for all tests of claims."""

import jaxtyping
import pytest

from attnlab.claims import Claim, Finding
from attnlab.claims.ledger import every_claim

Findings = dict[str, tuple[Claim, Finding]]


@pytest.fixture(scope="package", autouse=True)
def _unchecked():
    """Claims are whole experiments: shapes are checked where their parts are tested, and ten times slower."""
    jaxtyping.config.update("jaxtyping_disable", True)
    yield
    jaxtyping.config.update("jaxtyping_disable", False)


@pytest.fixture(scope="package")
def findings(_unchecked: None) -> Findings:
    return {claim.id: (claim, claim.run()) for claim in every_claim()}
