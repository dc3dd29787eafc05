"""The verdict of a random claim is that of most seeds, not of one."""

import hashlib
from dataclasses import replace

import pytest
from tests.claims.test_truth import EITHER, VERDICTS

from attnlab.claims import ClaimResult, own_code, steadiness
from attnlab.claims.claim import Finding
from attnlab.claims.ledger import choose, every_claim
from attnlab.claims.own_code import PACKAGE, code_hash
from attnlab.claims.sources import Source
from attnlab.claims.steadiness import hashes, measured, on_the_same_data, seeds_of
from attnlab.data.texts.prose import prose, prose_version

RANDOM = [claim for claim in every_claim() if claim.stochastic]
MOST = 0.95


@pytest.mark.parametrize("claim", RANDOM, ids=lambda claim: claim.id)
def test_a_random_claim_was_measured_with_its_present_words_and_most_seeds_agree(claim):
    counted = seeds_of(claim)
    assert counted.total() == measured()["seeds"] == 20
    verdict, times = counted.most_common(1)[0]
    assert times >= MOST * counted.total()
    assert verdict in EITHER.get(claim.id, {VERDICTS.get(claim.id)})


@pytest.mark.parametrize("claim", RANDOM, ids=lambda claim: claim.id)
def test_a_random_claim_was_measured_with_its_present_code(claim):
    command = f"benchmarks/claims.py --seeds 20 --only {claim.family} --table src/attnlab/claims/steadiness.json"
    now = code_hash(claim)
    assert measured()["claims"][claim.id].get("code", now) == now, f"run: PYTHONPATH=src python {command}"


SOURCES = {
    f"{PACKAGE}families.halves": f"from {PACKAGE}halving import half\nfrom {PACKAGE}claim import Family\nMOST = 4",
    f"{PACKAGE}halving": '"""Halves."""\n\n\ndef half(n):\n    """A half."""\n    return n / 2',
}


@pytest.fixture
def hash_with(monkeypatch):
    """The hash of the code of a claim whose family is `halves`, with some words in its files replaced."""

    def made(old: str, new: str) -> str:
        sources = {name: text.replace(old, new) for name, text in SOURCES.items()}
        monkeypatch.setattr(own_code, "_source", sources.__getitem__)
        own_code._code.cache_clear()
        own_code._imported.cache_clear()

        def experiment(seed: int) -> Finding:
            return Finding("holds", "", ())

        experiment.__module__ = f"{PACKAGE}families.halves"
        return code_hash(replace(RANDOM[0], experiment=experiment))

    yield made
    own_code._code.cache_clear()
    own_code._imported.cache_clear()


@pytest.mark.parametrize(("old", "new"), [("MOST = 4", "MOST = 5"), ("n / 2", "n / 3")])
def test_other_code_of_a_family_or_of_its_models_has_another_hash(hash_with, old, new):
    assert hash_with(old, new) != hash_with("", "")


@pytest.mark.parametrize(("old", "new"), [("A half.", "Half of n."), ("MOST = 4", "# The most.\n\nMOST = 4")])
def test_docstrings_and_comments_are_no_code(hash_with, old, new):
    assert hash_with(old, new) == hash_with("", "")


@pytest.mark.parametrize(("name", "verdicts"), [("statement", {}), ("code", {}), ("seconds", {"holds": 20})])
def test_a_claim_that_was_changed_since_tells_no_share_of_seeds(monkeypatch, name, verdicts):
    (claim,) = choose(["copying-mask"])
    row = {**measured()["claims"][claim.id], **hashes(claim), name: "of another version"}
    monkeypatch.setattr(steadiness, "measured", lambda: {"claims": {claim.id: row}})
    assert seeds_of(claim) == verdicts


def test_nothing_is_noted_of_claims_that_are_not_random_or_not_there():
    assert measured()["claims"].keys() == {claim.id for claim in RANDOM}


@pytest.mark.parametrize(("name", "seeds"), [("copying-mask", {"holds": 20}), ("two-heads-scaled", {})])
def test_a_finding_tells_the_share_of_seeds(name, seeds):
    (claim,) = choose([name])
    assert ClaimResult(claim, claim.run(), 0.0).to_dict()["seeds"] == seeds


@pytest.mark.parametrize("claim", RANDOM, ids=lambda claim: claim.id)
def test_the_seeds_were_run_on_the_data_that_the_claim_names(claim):
    noted = [name for name, _ in measured()["claims"][claim.id].get("data", ())]
    here = [source.name for source in claim.sources()]
    version = "the documentation of Python"  # the lab's own text is that of the Python that runs it
    assert [name for name in noted if not name.startswith(version)] == [
        name for name in here if not name.startswith(version)
    ]
    assert len(noted) == len(here)


def test_a_finding_on_other_data_tells_no_share_of_seeds():
    (claim,) = choose(["preprocessing-lower"])
    train, *drawn = (Source(*each) for each in measured()["claims"][claim.id]["data"])
    drawn = [Source(each.name, "another part") for each in drawn]  # each seed draws its own passages
    assert on_the_same_data(claim, [train, *drawn])
    others = [
        [],
        [train],
        [Source(train.name, "0123"), *drawn],
        [train, *(Source(f"the coursework's {each.name}", "4567") for each in drawn)],
    ]
    for data in others:
        found = ClaimResult(claim, Finding("holds", "", ()), 0.0, tuple(data))
        assert (found.to_dict()["seeds"], found.seeds_elsewhere) == ({}, {"fails": 20})


def test_real_people_are_other_data_than_the_generated_world():
    (claim,) = choose(["made-up-answers-names-tell-nothing"])
    assert on_the_same_data(claim, ())
    assert not on_the_same_data(claim, [Source("the coursework's people", "0123")])


def test_a_finding_names_its_data_by_their_hash():
    (claim,) = choose(["bigram-counting"])
    found = ClaimResult(claim, Finding("holds", "", ()), 0.0, claim.sources()).to_dict()
    assert found["data"] == [{"name": prose_version(), "sha256": hashlib.sha256(prose().encode()).hexdigest()}]
