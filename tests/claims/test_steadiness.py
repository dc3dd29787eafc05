"""The verdict of a random claim is that of most seeds, not of one."""

import hashlib
from collections import Counter
from dataclasses import replace

import pytest
from tests.claims.test_truth import EITHER, VERDICTS

from attnlab.claims import ClaimResult, own_code, steadiness
from attnlab.claims.claim import Finding
from attnlab.claims.ledger import choose, every_claim
from attnlab.claims.own_code import PACKAGE, code_hash
from attnlab.claims.sources import Source
from attnlab.claims.steadiness import hashes, measured, row_of, same_data, seeds_of, seeds_on, with_run
from attnlab.data.texts.prose import prose, prose_version

RANDOM = [claim for claim in every_claim() if claim.stochastic]
SEEDS, MOST = 20, 0.95


@pytest.mark.parametrize("claim", RANDOM, ids=lambda claim: claim.id)
def test_a_random_claim_was_measured_with_its_present_words_and_most_seeds_agree(claim):
    assert seeds_of(claim)
    for run in row_of(claim)["runs"]:
        counted = Counter(run["verdicts"])
        verdict, times = counted.most_common(1)[0]
        assert counted.total() == SEEDS
        assert times >= MOST * SEEDS
        assert verdict in EITHER.get(claim.id, {VERDICTS.get(claim.id)})


@pytest.mark.parametrize("claim", RANDOM, ids=lambda claim: claim.id)
def test_a_random_claim_was_measured_with_its_present_code(claim):
    command = "benchmarks/claims.py --seeds 20 --missing --table src/attnlab/claims/steadiness.json"
    assert row_of(claim)["code"] == code_hash(claim), f"run: PYTHONPATH=src python {command}"


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
    row = {**hashes(claim), "seconds": 1.0, "runs": [{"verdicts": {"holds": 20}, "data": []}]}
    monkeypatch.setattr(steadiness, "measured", lambda: {"claims": {claim.id: row | {name: "of another version"}}})
    assert seeds_of(claim) == seeds_on(claim, ()) == verdicts


@pytest.mark.parametrize("name", ["statement", "code"])
def test_a_row_without_a_hash_tells_no_share_of_seeds(monkeypatch, name):
    (claim,) = choose(["copying-mask"])
    row = {**hashes(claim), "runs": [{"verdicts": {"holds": 20}, "data": []}]}
    del row[name]
    monkeypatch.setattr(steadiness, "measured", lambda: {"claims": {claim.id: row}})
    assert not seeds_of(claim)
    assert not seeds_on(claim, ())


OLD, NEW = Source("the documentation of Python 3.11.7", "12ab"), Source("the documentation of Python 3.12.3", "34cd")


def test_a_row_keeps_runs_on_other_data_and_replaces_the_run_on_these(monkeypatch):
    (claim,) = choose(["bigram-counting"])
    row = with_run({}, claim, {"holds": 20}, [NEW], 2.0, "Python 3.12.3")
    row = with_run(row, claim, {"fails": 20}, [OLD], 3.0, "Python 3.11.7")
    row = with_run(row, claim, {"holds": 19, "fails": 1}, [OLD], 1.0, "Python 3.11.7")
    monkeypatch.setattr(steadiness, "measured", lambda: {"claims": {claim.id: row}})
    assert seeds_on(claim, [OLD]) == {"holds": 19, "fails": 1}
    assert seeds_on(claim, [NEW]) == {"holds": 20}
    assert seeds_of(claim) == {"holds": 39, "fails": 1}
    assert row["seconds"] == 1.0


def test_a_row_drops_runs_of_an_earlier_code():
    (claim,) = choose(["bigram-counting"])
    row = {**with_run({}, claim, {"holds": 20}, [NEW], 2.0, "Python 3.12.3"), "code": "of another version"}
    assert [run["data"] for run in with_run(row, claim, {"holds": 20}, [OLD], 2.0, "Python 3.11.7")["runs"]] == [
        [[OLD.name, OLD.sha256]]
    ]


def test_nothing_is_noted_of_claims_that_are_not_random_or_not_there():
    assert measured()["claims"].keys() == {claim.id for claim in RANDOM}


@pytest.mark.parametrize(("name", "seeds"), [("copying-mask", {"holds": 20}), ("two-heads-scaled", {})])
def test_a_finding_tells_the_share_of_seeds(name, seeds):
    (claim,) = choose([name])
    assert ClaimResult(claim, claim.run(), 0.0).to_dict()["seeds"] == seeds


@pytest.mark.parametrize("claim", RANDOM, ids=lambda claim: claim.id)
def test_the_seeds_were_run_on_the_data_that_the_claim_names(claim):
    version = "the documentation of Python"  # the lab's own text is that of the Python that runs it
    here = [source.name for source in claim.sources()]
    for run in row_of(claim)["runs"]:
        noted = [name for name, _ in run["data"]]
        assert [name for name in noted if not name.startswith(version)] == [
            name for name in here if not name.startswith(version)
        ]
        assert len(noted) == len(here)


def test_a_finding_on_other_data_tells_no_share_of_seeds():
    (claim,) = choose(["preprocessing-lower"])
    run = row_of(claim)["runs"][0]
    train, *drawn = (Source(*each) for each in run["data"])
    drawn = [Source(each.name, "another part") for each in drawn]  # each seed draws its own passages
    assert same_data(run, [train, *drawn])
    others = [
        [],
        [train],
        [Source(train.name, "0123"), *drawn],
        [train, *(Source(f"the coursework's {each.name}", "4567") for each in drawn)],
    ]
    for data in others:
        found = ClaimResult(claim, Finding("holds", "", ()), 0.0, tuple(data))
        assert (found.to_dict()["seeds"], found.seeds_elsewhere) == ({}, seeds_of(claim))


def test_real_people_are_other_data_than_the_generated_world():
    (claim,) = choose(["made-up-answers-names-tell-nothing"])
    assert seeds_on(claim, ())
    assert not seeds_on(claim, [Source("the coursework's people", "0123")])


def test_a_finding_names_its_data_by_their_hash():
    (claim,) = choose(["bigram-counting"])
    found = ClaimResult(claim, Finding("holds", "", ()), 0.0, claim.sources()).to_dict()
    assert found["data"] == [{"name": prose_version(), "sha256": hashlib.sha256(prose().encode()).hexdigest()}]
