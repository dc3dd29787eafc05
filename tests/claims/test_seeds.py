"""The seed of a run reaches the models that claims share. Models are small here, or only pretend to be models."""

import ast
import inspect
import re
import textwrap
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from tests.claims.test_head_flips import any_learnt, any_measured
from tests.claims.test_knowledge_flips import Told, any_place

from attnlab.claims.families import (
    averaging_network,
    bigram,
    four_perplexities,
    induction,
    knowledge_in,
    made_up_answers,
    misread_reviews,
    reading_order,
    trained_heads,
)
from attnlab.claims.ledger import every_claim, ledger
from attnlab.claims.models import people as taught_models
from attnlab.claims.models import reviews as review_models
from attnlab.claims.seeds import Rate, seed_of, worlds
from attnlab.data.facts.facts import Fact

pytestmark = pytest.mark.usefixtures("as_installed", "quick")  # see LONG in conftest.py
SHARING = [family for family in ledger() if family.shares]


@dataclass(frozen=True)
class Pretender:
    """A classifier whose answers are drawn by its seed and the words, or by the words in their order."""

    seed: int
    order: bool = False

    @property
    def features(self) -> SimpleNamespace:
        return SimpleNamespace(words=list)

    @property
    def model(self) -> torch.nn.Module:
        return torch.nn.Linear(2, 2)

    def probabilities(self, texts: Sequence[str]) -> np.ndarray:
        read = list if self.order else sorted
        words = [read(re.findall(r"\w+", text.lower())) for text in texts]
        drawn = np.array([zlib.crc32(f"{self.seed} {each}".encode()) / 2**32 for each in words])
        return np.stack([1 - drawn, drawn], axis=1)


def some_place(seed: int, fact: Fact) -> str:
    """A place that has nothing to do with the name, and sometimes no place."""
    return any_place(seed, fact) if zlib.crc32(f"{seed} {fact.name}".encode()) % 3 else "Atlantis"


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(review_models, "averaging_network", lambda seed, ngrams: Pretender(seed, ngrams > 1))
    monkeypatch.setattr(review_models, "_reader", lambda seed, kind: Pretender(seed))
    for name, value in {"TRAIN": 40, "HELD": 10}.items():
        monkeypatch.setattr(review_models, name, value)
    monkeypatch.setattr(review_models, "_world", cache(review_models._world.__wrapped__))
    for family, name in ((misread_reviews, "NETWORKS"), (averaging_network, "SEEDS"), (reading_order, "READING_SEEDS")):
        monkeypatch.setattr(family, name, 2)
        monkeypatch.setattr(family, "ASKED", 100)
    for module, names in ((taught_models, ["answers"]), (made_up_answers, ["answers", "_hits"])):
        for name in names:
            monkeypatch.setattr(module, name, getattr(module, name).__wrapped__)
    monkeypatch.setattr(taught_models, "_knower", lambda model, seed: Told(some_place, seed))
    monkeypatch.setattr(knowledge_in, "memorised", lambda seed: Rate(seed % 97 / 97, 97))
    monkeypatch.setattr(four_perplexities, "network", lambda train, seed: four_perplexities.word_pairs(train))
    monkeypatch.setattr(bigram, "_perplexities", bigram._perplexities.__wrapped__)
    monkeypatch.setattr(bigram, "TRAINING", replace(bigram.TRAINING, steps=1))
    monkeypatch.setattr(induction, "learnt", any_learnt)
    monkeypatch.setattr(trained_heads, "measured", any_measured)


@pytest.mark.parametrize("family", SHARING, ids=lambda family: family.name)
def test_two_seeds_draw_other_numbers_and_what_is_exact_is_the_same(family):
    for claim in family.claims:
        first, second = claim.run(1), claim.run(2)
        assert first.measures != second.measures, claim.id
        exact = [{m.name: m.value for m in found.measures if m.how == "exact"} for found in (first, second)]
        assert exact[0] == exact[1], claim.id


@pytest.mark.parametrize("claim", [each for each in every_claim() if each.stochastic], ids=lambda claim: claim.id)
def test_a_random_claim_hands_its_seed_on(claim):
    (experiment,) = ast.parse(textwrap.dedent(inspect.getsource(claim.experiment))).body
    assert isinstance(experiment, ast.FunctionDef)
    (seed,) = experiment.args.args
    names = [node.id for line in experiment.body for node in ast.walk(line) if isinstance(node, ast.Name)]
    assert seed.arg in names


def test_no_draw_of_a_claim_has_a_seed_that_is_written_down():
    drawing = {"default_rng", "manual_seed", "Random", "seed_of", "worlds"}
    for file in sorted(Path(inspect.getfile(every_claim)).parent.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Call):
                seeds = [each.value for each in node.keywords if each.arg == "seed"]
                if getattr(node.func, "attr", getattr(node.func, "id", "")) in drawing:
                    seeds = node.args[:1]
                    assert seeds, f"{file.name}:{node.lineno}: no seed"
                assert not any(isinstance(each, ast.Constant) for each in seeds), f"{file.name}:{node.lineno}"


def test_another_seed_shuffles_the_same_words_into_other_orders(monkeypatch: pytest.MonkeyPatch):
    asked: list[Sequence[str]] = []
    review = SimpleNamespace(text="the plot is good but the end is awful and the rest is dull")
    monkeypatch.setattr(averaging_network, "fresh", lambda seed, count: [review])
    monkeypatch.setattr(
        averaging_network, "praise", lambda network, seed, texts: asked.append(texts) or np.zeros(len(texts))
    )
    for seed in (1, 2):
        averaging_network._change("words", seed)
    first, second = ({text for texts in part[1:] for text in texts} for part in (asked[:6], asked[6:]))
    assert len(first) == len(second) == 5
    assert not first & second


def test_claims_that_share_their_models_have_one_seed_and_others_their_own():
    shared = {family.shares: set[str]() for family in ledger()}
    for family in ledger():
        shared[family.shares] |= {claim.draws for claim in family.claims}
    assert {name: draws for name, draws in shared.items() if name} == {
        name: {name} for name in ("reviews", "people", "passages", "bigram", "induction", "prose")
    }
    assert len(shared[""]) == len({claim.id for family in ledger() if not family.shares for claim in family.claims})


def test_worlds_differ_from_each_other_and_between_seeds():
    drawn = [world for seed in range(20) for world in worlds(seed_of(seed, "reviews"), 16)]
    assert len(set(drawn)) == len(drawn)
    assert all(0 <= world < 2**31 for world in drawn)
