"""The list of claims: nothing runs."""

import pytest

from attnlab.claims import list_claims
from attnlab.claims.ledger import every_claim
from attnlab.errors import ArgumentError

pytestmark = pytest.mark.usefixtures("nothing_runs")


@pytest.fixture
def nothing_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("attnlab.claims.claim.Claim.run", lambda claim, seed: pytest.fail(f"{claim.id} was run"))


def test_it_has_every_claim_and_says_who_says_it_where():
    found = list_claims()
    assert list(found.to_dict()) == [claim.id for claim in every_claim()]
    assert found.to_dict()["misread-reviews-example"]["place"] == "review 2"
    assert found.to_dict()["two-heads-unscaled"]["stochastic"] is False


def test_it_shows_no_verdicts_and_has_the_command_that_lists_it():
    found = list_claims(family="perplexity")
    assert repr(found).splitlines()[0].split() == ["id", "statement", "said", "by"]
    assert repr(found).splitlines()[-1] == "2 claims"
    assert found.command == "attnlab claims --list --family perplexity"


def test_names_and_a_family_cannot_be_combined():
    with pytest.raises(ArgumentError, match="cannot be combined with an ID"):
        list_claims("perplexity-base", family="perplexity")
