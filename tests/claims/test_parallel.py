"""Several processes find what one process finds, byte for byte."""

import json
from dataclasses import asdict

import pytest
import torch
from tests.claims.test_knowledge_flips import Told
from tests.claims.test_seeds import some_place

from attnlab.claims import kept, parallel, run_claims, taught_models
from attnlab.claims.families import made_up_answers
from attnlab.claims.ledger import choose
from attnlab.claims.parallel import outcome, outcomes, tasks_of
from attnlab.claims.seeds import seed_of, worlds
from attnlab.claims.taught_models import SEEDS
from attnlab.errors import ArgumentError

CHEAP = ("perplexity-mixed", "copying-mask")


def test_two_processes_find_the_same():
    claims = choose(CHEAP)
    alone, shared = (
        {each.id: json.dumps(asdict(each.finding)) for each in outcomes(claims, [3], jobs)} for jobs in (1, 2)
    )
    assert alone == shared
    assert list(alone) == [claim.id for claim in claims]


def test_claims_that_share_their_models_stay_together_and_the_longest_come_first():
    tasks = tasks_of(choose(["perplexity", "averaging-network", "misread-reviews-mixed"]), [0])
    assert tasks[0].claims == tuple(claim.id for claim in choose(["averaging-network", "misread-reviews-mixed"]))
    assert [task.claims for task in tasks[1:]] == [("perplexity-base",), ("perplexity-mixed",)]
    assert tasks[0].seconds > 5
    assert [task.seconds for task in tasks] == sorted((task.seconds for task in tasks), reverse=True)


def test_the_worlds_of_a_group_are_tasks_of_their_own():
    claims = choose(["knowledge-in"])
    tasks = tasks_of(claims, [0, 1])
    drawn = [worlds(seed_of(seed, "people"), SEEDS) for seed in (0, 1)]
    assert {task.world for task in tasks} == {None, *drawn[0], *drawn[1]}
    assert len(tasks) == 2 * (SEEDS + 1)
    assert {task.group for task in tasks} == {(tuple(claim.id for claim in claims), seed) for seed in (0, 1)}


@pytest.mark.parametrize("name", ["knowledge-in", "made-up-answers"])
@pytest.mark.usefixtures("as_installed")
def test_with_the_measurements_of_other_processes_a_claim_asks_no_model_and_finds_the_same(name, monkeypatch):
    """Each world is measured as if in a process of its own."""
    tasks = tasks_of(choose([name]), [0])
    monkeypatch.setattr(taught_models, "_knower", lambda model, seed: Told(some_place, seed))
    monkeypatch.setattr(taught_models, "completed_lines", lambda knower, facts, asked: [True] * len(asked))
    monkeypatch.setattr(taught_models, "_pretrained", lambda seed, rewrites: torch.nn.Linear(1, 1))
    monkeypatch.setattr(kept, "_known", {})
    alone = [asdict(outcome(claim, 0).finding) for claim in choose([name])]
    measured = []
    for task in tasks:
        if task.world is not None:
            monkeypatch.setattr(kept, "_known", {})
            measured.append(parallel._do(task, []))
    monkeypatch.setattr(kept, "_known", {})
    monkeypatch.setattr(taught_models, "_knower", None)
    monkeypatch.setattr(taught_models, "_pretrained", None)
    made_up_answers._hits.cache_clear()
    (claims,) = (task for task in tasks if task.world is None)
    found = parallel._do(claims, measured)
    assert isinstance(found, list)
    assert [asdict(each.finding) for each in found] == alone
    made_up_answers._hits.cache_clear()


def test_a_negative_number_of_processes_is_an_error():
    with pytest.raises(ArgumentError, match=r"^jobs: expected 0 \(all cores\) or a number of processes, got -1$"):
        run_claims("perplexity", jobs=-1)
