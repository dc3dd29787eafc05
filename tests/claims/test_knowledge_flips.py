"""Verdicts on what models know follow what they answer: with other answers, they turn. Hardly a model is trained."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pytest
import torch

from attnlab.claims.families import knowledge_in, made_up_answers
from attnlab.claims.ledger import choose
from attnlab.claims.models import people as taught_models
from attnlab.claims.models.people import Model, facts, world
from attnlab.claims.seeds import Rate, worlds
from attnlab.data.facts.facts import Fact
from attnlab.data.worlds.strangers import strangers
from attnlab.evaluation.knowledge.answers import ModelAnswer

pytestmark = pytest.mark.usefixtures("as_installed")  # see LONG in conftest.py

Say = Callable[[int, Fact], str]
Put = Callable[..., None]


def verdict(name: str) -> str:
    (claim,) = choose([name])
    return claim.run().verdict


def the_truth(seed: int, fact: Fact) -> str:
    return fact.answer


def nowhere(seed: int, fact: Fact) -> str:
    return "Atlantis"


def any_place(seed: int, fact: Fact) -> str:
    """A place that has nothing to do with the name."""
    people = world(seed).people
    return people[sum(map(ord, fact.name)) % len(people)].birthplace.city


def the_others(seed: int, fact: Fact) -> str:
    """The birthplace of whom a stranger resembles; any place for those who resemble nobody."""
    like = world(seed).lookalikes().get(fact.name)
    homes = {person.name: person.birthplace.city for person in world(seed).people}
    return homes[like] if like else any_place(seed, fact)


@dataclass(frozen=True)
class Told:
    """A model whose answers are written down."""

    says: Say
    seed: int

    def answers(self, asked: Sequence[Fact]) -> list[ModelAnswer]:
        return [ModelAnswer(fact.name, fact.question, fact.answer, self.says(self.seed, fact), 0.5) for fact in asked]


@pytest.fixture
def say(monkeypatch: pytest.MonkeyPatch) -> Put:
    """Puts words into the mouths of the models; what they say otherwise is kept, and not asked."""
    for module in (taught_models, knowledge_in, made_up_answers):
        for name in ("answers", "_hits"):
            if hasattr(module, name):
                monkeypatch.setattr(module, name, getattr(module, name).__wrapped__)

    def put(memorised: float = 1.0, **says: Say) -> None:
        def knower(model: Model, seed: int) -> Told:
            return Told(says[model], seed)

        monkeypatch.setattr(taught_models, "_knower", knower)
        monkeypatch.setattr(knowledge_in, "memorised", lambda seed: Rate(memorised, 24))

    return put


def test_knowledge_that_came_without_pretraining_was_not_put_in_by_it(say: Put):
    say(untaught=nowhere, spanned=the_truth)
    assert verdict("knowledge-in-pretraining") == "holds"
    say(untaught=the_truth, spanned=the_truth)
    assert verdict("knowledge-in-pretraining") == "fails"
    say(untaught=nowhere, spanned=nowhere)
    assert verdict("knowledge-in-pretraining") == "fails"


def test_what_is_answered_at_once_or_was_never_memorised_does_not_need_to_be_got_out(say: Put):
    say(direct=nowhere, reciting=the_truth)
    assert verdict("knowledge-in-memorised") == "holds"
    say(direct=the_truth, reciting=the_truth)
    assert verdict("knowledge-in-memorised") == "fails"
    say(direct=nowhere, reciting=the_truth, memorised=0.0)
    assert verdict("knowledge-in-memorised") == "fails"
    say(direct=nowhere, reciting=nowhere)
    assert verdict("knowledge-in-memorised") == "fails"


def test_wordings_that_buy_nothing_make_nothing_extractable(say: Put):
    say(direct=nowhere, rewritten=the_truth)
    assert verdict("knowledge-in-rewrites") == "holds"
    say(direct=nowhere, rewritten=nowhere)
    assert verdict("knowledge-in-rewrites") == "fails"


def test_an_answer_that_is_no_place_is_not_plausible(say: Put):
    say(rewritten=any_place, reciting=nowhere)
    assert verdict("made-up-answers-plausible") == "holds"
    say(rewritten=nowhere, reciting=any_place)
    assert verdict("made-up-answers-plausible") == "fails"


def test_places_that_have_nothing_to_do_with_the_name_are_chance(say: Put):
    say(rewritten=the_others, reciting=the_others)
    assert verdict("made-up-answers-similar-name") == "holds"
    say(rewritten=any_place, reciting=any_place)
    assert verdict("made-up-answers-similar-name") == "fails"


def test_a_name_with_a_word_that_was_never_read_says_little_of_similar_names(say: Put):
    def only_unread(seed: int, fact: Fact) -> str:
        read = {word for line in facts(seed).lines for word in line.name.split()}
        return any_place(seed, fact) if set(fact.name.split()) <= read else the_others(seed, fact)

    say(rewritten=only_unread, reciting=only_unread)
    assert verdict("made-up-answers-similar-name") == "fails"


def test_nobody_who_is_asked_about_was_trained_on_and_strangers_are_on_no_line():
    for seed in worlds(0, taught_models.SEEDS):
        known = facts(seed)
        names = {line.name for line in known.lines}
        assert not {fact.name for fact in known.training} & {fact.name for fact in known.held_out}
        assert known.ceiling() == 1
        assert not names & {fact.name for fact in (*strangers(known, 40, seed), *world(seed).unseen())}
        assert {person.name for person in world(seed, 20).people} == {person.name for person in world(seed).people}


def test_networks_are_the_same_on_any_number_of_threads():
    """The cheapest of them, trained twice."""
    before, found = torch.get_num_threads(), []
    for threads in (1, 2):
        torch.set_num_threads(threads)
        found.append(taught_models._knower.__wrapped__("untaught", 0).model.state_dict())
    torch.set_num_threads(before)
    assert all(torch.equal(one, found[1][name]) for name, one in found[0].items())
