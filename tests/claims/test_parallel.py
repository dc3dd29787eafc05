"""Several processes find what one process finds, byte for byte."""

import json
from dataclasses import asdict

import pytest
import torch
from tests.claims.test_knowledge_flips import Told
from tests.claims.test_seeds import some_place

from attnlab.claims import shared_measurements
from attnlab.claims.families import made_up_answers
from attnlab.claims.ledger import choose
from attnlab.claims.models import people as taught_models
from attnlab.claims.models.people import SEEDS
from attnlab.claims.parallel import groups_of, outcome, outcomes, with_measurements, work
from attnlab.claims.seeds import seed_of, worlds
from attnlab.parallel import Workers, spreading

CHEAP = ("perplexity-mixed", "copying-mask")


def test_two_processes_find_the_same(monkeypatch):
    monkeypatch.setattr(spreading, "START", -1.0)  # worth it, however short
    monkeypatch.setattr(spreading, "cores", lambda: 2)
    claims = choose(CHEAP)
    alone, shared = (
        {each.id: json.dumps(asdict(each.finding)) for each in outcomes(claims, [3], Workers(jobs))} for jobs in (1, 2)
    )
    assert alone == shared
    assert list(alone) == [claim.id for claim in claims]


def test_claims_that_share_their_models_stay_together():
    groups = groups_of(choose(["perplexity", "averaging-network", "misread-reviews-mixed"]), [0])
    together, *others = groups
    if together.claims == ("perplexity-base",):
        together, others = groups[-1], groups[:-1]
    assert together.claims == tuple(claim.id for claim in choose(["averaging-network", "misread-reviews-mixed"]))
    assert [each.claims for each in others] == [("perplexity-base",), ("perplexity-mixed",)]
    assert together.seconds > 5


def test_the_worlds_of_a_group_are_measured_apart():
    claims = choose(["knowledge-in"])
    groups = groups_of(claims, [0, 1])
    assert [each.worlds for each in groups] == [tuple(worlds(seed_of(seed, "people"), SEEDS)) for seed in (0, 1)]
    assert {(each.claims, each.seed) for each in groups} == {
        (tuple(claim.id for claim in claims), seed) for seed in (0, 1)
    }


@pytest.mark.parametrize("name", ["knowledge-in", "made-up-answers"])
@pytest.mark.usefixtures("as_installed")
def test_with_the_measurements_of_other_processes_a_claim_asks_no_model_and_finds_the_same(name, monkeypatch):
    """Each world is measured as if in a process of its own."""
    (group,) = groups_of(choose([name]), [0])
    monkeypatch.setattr(taught_models, "_knower", lambda model, seed: Told(some_place, seed))
    monkeypatch.setattr(taught_models, "completed_lines", lambda knower, facts, asked: [True] * len(asked))
    monkeypatch.setattr(taught_models, "_pretrained", lambda seed, rewrites: torch.nn.Linear(1, 1))
    monkeypatch.setattr(shared_measurements, "_known", {})
    alone = [asdict(outcome(claim, 0).finding) for claim in choose([name])]
    measured = []
    for world in group.worlds:
        monkeypatch.setattr(shared_measurements, "_known", {})
        measured.append(work(group, world))
    monkeypatch.setattr(shared_measurements, "_known", {})
    monkeypatch.setattr(taught_models, "_knower", None)
    monkeypatch.setattr(taught_models, "_pretrained", None)
    made_up_answers._hits.cache_clear()
    found = with_measurements(group, measured)
    assert [asdict(each.finding) for each in found] == alone
    made_up_answers._hits.cache_clear()
