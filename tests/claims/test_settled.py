"""The verdict of a claim in which nothing is random is known beforehand, and is the truth."""

from dataclasses import replace

import pytest
from tests.claims.test_truth import EITHER, VERDICTS

from attnlab.claims.ledger import every_claim
from attnlab.claims.settled import settled_verdict

SETTLED = [claim for claim in every_claim() if not claim.stochastic]
COMMAND = "PYTHONPATH=src python benchmarks/claims.py --seeds 1 --settled src/attnlab/claims/settled.json"


@pytest.mark.parametrize("claim", SETTLED, ids=lambda claim: claim.id)
def test_a_claim_in_which_nothing_is_random_was_measured_with_its_present_words_and_code(claim):
    assert settled_verdict(claim) in EITHER.get(claim.id, {VERDICTS.get(claim.id)}), f"run: {COMMAND}"


def test_other_words_have_no_verdict_yet():
    claim = SETTLED[0]
    assert settled_verdict(claim)
    assert not settled_verdict(replace(claim, statement=f"{claim.statement} It is so."))
    assert not any(settled_verdict(each) for each in every_claim() if each.stochastic)
