"""The test of similar names: against every order there is, on worlds without an effect, and on one with it."""

import json
from itertools import permutations

import numpy as np
import pytest
from scipy.stats import binom

from attnlab.errors import ArgumentError
from attnlab.evaluation.knowledge.answers import ModelAnswer
from attnlab.evaluation.knowledge.names import resemblance
from attnlab.evaluation.knowledge.resembling import Example, resembling
from attnlab.statistics import Share

FIRST = ["Ada", "Bernard", "Cecilia", "Dominic", "Eleanor", "Frederick"]
LAST = ["Ashworth", "Blackwood", "Carmichael", "Delacroix", "Engelhardt", "Fitzgerald", "Guggenheim", "Hawthorne"]
PLACES = ["Rome", "Oslo", "Lima", "Bonn", "Cork"]


def said(name: str, answer: str, truth: str = "Nowhere", probability: float = 0.5) -> ModelAnswer:
    return ModelAnswer(name, f"Where was {name} born?", truth, answer, probability)


def world(people: int, effect: float, seed: int) -> tuple[list[ModelAnswer], list[tuple[str, str]]]:
    """Wrong answers drawn like the known places, of which a share are the place of a namesake."""
    draws = np.random.default_rng(seed)
    chances = draws.dirichlet(np.ones(5))
    known = [(f"{one} {two}", str(draws.choice(PLACES, p=chances))) for one in FIRST for two in LAST]
    asked = []
    for number in range(people):
        last = str(draws.choice(LAST))
        place = str(draws.choice(PLACES, p=chances))
        if draws.uniform() < effect:
            place = str(draws.choice([place for name, place in known if name.endswith(last)]))
        asked.append(said(f"Xy{number:03} {last}", place))
    return asked, known


KNOWN = [("Ada Blackwood", "Rome"), ("Bernard Blackwood", "Oslo"), ("Cecilia Ashworth", "Lima"), ("Zzz", "Bonn")]
ASKED = [said("Eleanor Blackwood", "Oslo "), said("Frederick Ashworth", "Rome"), said("Dominic Ashworth", "Lima")]


def test_by_hand():
    found = resembling(ASKED, KNOWN, nearest=1, shuffles=2000)
    assert found is not None
    assert found.share == Share(2, 3)
    assert found.examples[0] == Example("Dominic Ashworth", "Nowhere", "Lima", 0.5, "Cecilia Ashworth", 0.5)
    assert [each.similar for each in found.examples] == ["Cecilia Ashworth", "Bernard Blackwood"]  # as equal: by name


def test_the_p_value_is_that_of_every_order():
    asked = [
        *ASKED,
        said("Ada Ashworth", "Lima"),
        said("Cecilia Blackwood", "Lima"),
        said("Nobody", "Bonn"),
        said("Ada Blackwoods", "Rome", truth="Oslo"),
    ]
    is_that_of_every_order(asked)


@pytest.mark.parametrize("truths", ["Rome Oslo Lima", "Rome Oslo Lima Rome Oslo Lima", "Oslo Lima Rome Lima Lima Bonn"])
def test_the_p_value_is_that_of_every_order_in_which_none_is_right(truths):
    names = ["Dominic Blackwood", "Eleanor Blackwoods", "Frederick Ashworth", "Ada Ashworth", "Bernard Zzz", "Nobody"]
    next_one = {"Rome": "Oslo", "Oslo": "Lima", "Lima": "Rome", "Bonn": "Rome"}  # no two can exchange Rome, Oslo, Lima
    pairs = zip(names, truths.split(), strict=False)
    is_that_of_every_order([said(name, next_one[truth], truth) for name, truth in pairs])


def is_that_of_every_order(asked: list[ModelAnswer]) -> None:
    """By enumeration of the orders in which no answer is right."""
    near = []
    for each in asked:
        degrees = {name: resemblance(each.name, name) for name, _ in KNOWN}
        bound = sorted(degrees.values())[-2]
        near.append({place for name, place in KNOWN if degrees[name] >= bound and degrees[name] > 0})
    given, truths = [each.answer.strip() for each in asked], [each.truth for each in asked]
    orders = [each for each in permutations(given) if not any(map(str.__eq__, each, truths))]
    counts = [sum(place in own for place, own in zip(order, near, strict=True)) for order in orders]
    seen = sum(place in own for place, own in zip(given, near, strict=True))
    found = resembling(asked, KNOWN, nearest=2, shuffles=40_000)
    assert found is not None
    assert found.share == Share(seen, len(asked))
    assert found.expected == pytest.approx(np.mean(counts) / len(asked), abs=0.005)
    assert found.p_value == pytest.approx(np.mean(np.array(counts) >= seen), abs=0.01)


def test_without_an_effect_p_is_spread_evenly():
    found = [resembling(*world(60, 0.0, seed), shuffles=199, seed=seed) for seed in range(100)]
    values = np.array([each.p_value for each in found if each])
    assert len(values) == 100
    assert np.mean(values <= 0.05) <= 0.09  # 0.05 expected; counts are few and equal ones count against
    assert 0.12 < np.mean(values <= 0.25) < 0.36
    assert 0.35 < np.mean(values <= 0.5) < 0.62


def few_places(places: int, effect: float, seed: int) -> tuple[list[ModelAnswer], list[tuple[str, str]]]:
    """Wrong answers about people born in a few places, some of them common; a share are the place of a namesake."""
    draws = np.random.default_rng((places, seed))
    names, chances = [f"place {number}" for number in range(places)], 1 / np.arange(1, places + 1)

    def drawn(without: str = "") -> str:
        left = chances * [name != without for name in names]
        return str(draws.choice(names, p=left / left.sum()))

    known = [(f"{one} {two}", drawn()) for one in FIRST for two in LAST]
    asked = []
    for number in range(100):
        last, truth = str(draws.choice(LAST)), drawn()
        theirs = [place for name, place in known if name.endswith(last) and place != truth]
        place = str(draws.choice(theirs)) if theirs and draws.uniform() < effect else drawn(without=truth)
        asked.append(said(f"Xy{number:03} {last}", place, truth))
    return asked, known


@pytest.mark.parametrize("places", [2, 5, 30])
def test_without_an_effect_p_is_small_no_more_often_than_it_should_be_however_few_the_places(places):
    worlds = 60
    found = [resembling(*few_places(places, 0.0, seed), shuffles=99, seed=seed) for seed in range(worlds)]
    small = sum(each.p_value <= 0.05 for each in found if each)
    assert small <= binom.ppf(0.999, worlds, 0.05)
    # The share that was seen is what it is in the mean of the shuffles, too.
    gap = np.array([each.share.value - each.expected for each in found if each])
    assert abs(gap.mean()) <= 3.3 * gap.std() / np.sqrt(worlds)


@pytest.mark.parametrize("places", [10, 30])
def test_an_effect_is_found_among_few_places(places):
    found = resembling(*few_places(places, 0.7, seed=1))
    assert found is not None
    assert found.p_value < 0.01


def test_between_two_places_there_is_no_other_wrong_answer():
    found = resembling(*few_places(2, 0.7, seed=1))
    assert found is not None
    assert (found.expected, found.p_value) == (pytest.approx(found.share.value), 1.0)


def test_an_effect_is_found():
    found = resembling(*world(120, 0.6, seed=1))
    assert found is not None
    assert found.p_value < 0.01
    assert found.share.value > found.expected
    assert len(found.examples) == found.share.count


def test_the_person_asked_is_not_similar_to_themself_and_right_answers_do_not_count():
    asked = [said("Ada Ashworth", "Rome", truth="Lima"), said("Bernard Engelhardt", "Oslo", truth="Oslo")]
    found = resembling(asked, [("Ada Ashworth", "Rome"), ("Cecilia Ashworth", "Bonn")], shuffles=10)
    assert found is not None
    assert (found.share, found.examples, found.p_value) == (Share(0, 1), (), 1.0)


def test_all_who_are_as_similar_count_and_nobody_who_is_not():
    known = [(f"{first} Ashworth", place) for first, place in zip(FIRST, [*PLACES, "Kiel"], strict=True)]
    found = resembling([said("Xyz Ashworth", place) for place in (*PLACES, "Kiel")], known, nearest=1, shuffles=10)
    assert found is not None
    assert found.share == Share(6, 6)
    stranger = resembling([said("Qqqq", "Rome")], known, shuffles=10)
    assert stranger is not None
    assert stranger.share == Share(0, 1)


def test_it_is_the_same_every_time_and_json():
    asked, known = world(30, 0.5, seed=2)
    one, other = (resembling(asked, known, shuffles=500, seed=3) for _ in range(2))
    assert one is not None
    assert one == other
    assert json.loads(json.dumps(one.as_json(), allow_nan=False))["share"]["examples"] == 30


def test_what_was_not_said_is_no_wrong_answer():
    silent = [said(each.name, " ", probability=0.0) for each in ASKED]
    assert resembling([*silent, *ASKED], KNOWN, shuffles=10) == resembling(ASKED, KNOWN, shuffles=10)
    assert resembling(silent, KNOWN) is None


def test_no_wrong_answer():
    assert resembling([], KNOWN) is None
    assert resembling([said("A", "Rome", "Rome")], KNOWN) is None


def test_what_cannot_be():
    with pytest.raises(ArgumentError, match="known: expected at least one person"):
        resembling(ASKED, [])
    with pytest.raises(ArgumentError, match="nearest: expected a whole number of at least 1, got 0; try 1"):
        resembling(ASKED, KNOWN, nearest=0)
    with pytest.raises(ArgumentError, match="shuffles: expected a whole number of at least 1, got 0; try 1"):
        resembling(ASKED, KNOWN, shuffles=0)
