"""Several processes find what one process finds, byte for byte."""

import json
from dataclasses import asdict

import pytest

from attnlab.claims import run_claims
from attnlab.claims.ledger import choose
from attnlab.claims.parallel import groups_of, outcomes
from attnlab.errors import ArgumentError

CHEAP = ("perplexity-mixed", "copying-mask")


def test_two_processes_find_the_same():
    claims = choose(CHEAP)
    alone, shared = (
        {each.id: json.dumps(asdict(each.finding)) for each in outcomes(claims, [3], jobs)} for jobs in (1, 2)
    )
    assert alone == shared
    assert list(alone) == [claim.id for claim in claims]


def test_claims_that_share_their_models_stay_together():
    groups = groups_of(choose(["perplexity", "averaging-network", "misread-reviews-mixed"]))
    assert groups[0] == [claim.id for claim in choose(["averaging-network", "misread-reviews-mixed"])]
    assert groups[1:] == [["perplexity-base"], ["perplexity-mixed"]]


def test_a_negative_number_of_processes_is_an_error():
    with pytest.raises(ArgumentError, match=r"^jobs: expected 0 \(all cores\) or a number of processes, got -1$"):
        run_claims("perplexity", jobs=-1)
