"""The verdict of a random claim is that of most seeds, not of one."""

import pytest
from tests.claims.test_truth import EITHER, VERDICTS

from attnlab.claims import ClaimResult
from attnlab.claims.ledger import choose, every_claim
from attnlab.claims.steadiness import measured, seeds_of

RANDOM = [claim for claim in every_claim() if claim.stochastic]
MOST = 0.95


@pytest.mark.parametrize("claim", RANDOM, ids=lambda claim: claim.id)
def test_a_random_claim_was_measured_with_its_present_words_and_most_seeds_agree(claim):
    counted = seeds_of(claim)
    assert counted.total() == measured()["seeds"] == 20
    verdict, times = counted.most_common(1)[0]
    assert times >= MOST * counted.total()
    assert verdict in EITHER.get(claim.id, {VERDICTS.get(claim.id)})


def test_nothing_is_noted_of_claims_that_are_not_random_or_not_there():
    assert measured()["claims"].keys() == {claim.id for claim in RANDOM}


@pytest.mark.parametrize(("name", "seeds"), [("copying-mask", {"holds": 20}), ("two-heads-scaled", {})])
def test_a_finding_tells_the_share_of_seeds(name, seeds):
    (claim,) = choose([name])
    assert ClaimResult(claim, claim.run(), 0.0).to_dict()["seeds"] == seeds
