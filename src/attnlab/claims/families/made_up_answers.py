"""Claim 19: a model's answers about people whom it has never seen."""

from collections import Counter
from dataclasses import dataclass
from functools import cache
from itertools import combinations

import numpy as np

from attnlab.charts import Bar, Bars
from attnlab.claims.claim import Family, Finding, Quantity, share_bar
from attnlab.claims.models.people import LOOKALIKES, SEEDS, STRANGERS, Model, answers, ask, facts, world
from attnlab.claims.seeds import Rate, over_worlds, worlds
from attnlab.claims.sources import Source, source
from attnlab.data.facts.facts import Facts, open_facts
from attnlab.data.sets import locate
from attnlab.data.worlds.biographies.biographies import biographies
from attnlab.evaluation.knowledge.coverage import at, threshold_for
from attnlab.numbers import percent, points, whole_percent

FAMILY = Family(
    19,
    "made-up-answers",
    "Made-up answers",
    bench="knowledge",
    question="What does a pretrained model answer about people whom it has never seen?",
    shares="people",
    worlds=SEEDS,
)
AT_ONCE, RECITING = "answering at once", "reciting first"
ASKED: dict[str, Model] = {AT_ONCE: "rewritten", RECITING: "reciting"}
"""The two models that know most."""
PRECISION = 0.9
SHUFFLES, FEWER = 9_999, 999
CHANCE = 0.001
"""A difference with a smaller p-value is not chance."""
SURE = 0.01
"""A relation with a smaller p-value is not chance; one seed in a hundred finds one by chance."""
COMMON, CROWD = 5, 1_000
"""How many places count as common, and the people whose names are compared with their places."""
TRAINED = f"{SEEDS} seeds, each with a world of its own; 95 % intervals over the seeds"


def _places(seed: int) -> dict[str, str]:
    """Where the people of a world were born, by name."""
    return {person.name: person.birthplace.city for person in world(seed).people}


def _plausible(model: Model, seed: int) -> tuple[float, float]:
    """The share of strangers for whom the answer is a place of the world."""

    def share(world: int) -> Rate:
        places = set(_places(world).values())
        return Rate.of([each.answer in places for each in answers(model, world, "strangers")])

    return over_worlds(share, seed, SEEDS)


def _sure(model: Model, people: str, seed: int) -> tuple[float, float]:
    """The mean probability of a model's answers."""
    asked = "strangers" if people == "strangers" else "held out"

    def mean(world: int) -> Rate:
        return Rate.of([each.probability for each in answers(model, world, asked)])

    return over_worlds(mean, seed, SEEDS)


def _answered(model: Model, people: str, seed: int) -> tuple[float, float]:
    """The coverage at the threshold that reaches the precision on the held-out people of the other worlds."""
    asked = "strangers" if people == "strangers" else "held out"

    def share(world: int) -> Rate:
        others = [each for other in worlds(seed, SEEDS) if other != world for each in answers(model, other, "held out")]
        covered = at(threshold_for(others, PRECISION), answers(model, world, asked)).coverage
        return Rate(covered.value, covered.examples)

    return over_worlds(share, seed, SEEDS)


@dataclass(frozen=True)
class _Hits:
    """How many answers about lookalikes are true of the person whom they resemble: as given, and in each of many
    shuffles of the answers."""

    people: int
    found: int
    shuffled: np.ndarray


@cache
def _hits(model: Model, seed: int, read: bool) -> _Hits:
    """The hits among the lookalikes of one world whose names consist of words from other names (`read`), or among the
    others."""
    resembled, places = world(seed).lookalikes(), _places(seed)
    words = {word for line in facts(seed).lines for word in line.name.split()}
    some = [each for each in answers(model, seed, "lookalikes") if (set(each.name.split()) <= words) == read]
    given = np.array([each.answer for each in some])
    theirs = np.array([places[resembled[each.name]] for each in some])
    orders = np.random.default_rng(seed).permuted(np.tile(np.arange(len(some)), (SHUFFLES, 1)), axis=1)
    return _Hits(len(some), int((given == theirs).sum()), (given[orders] == theirs).sum(1))


@dataclass(frozen=True)
class _Resembling:
    """The lookalikes of all worlds: the share of answers that are the other person's place, the same share by chance,
    and the p-value of a permutation test."""

    people: int
    share: float
    chance: float
    p_value: float


def _resembling(model: Model, seed: int, read: bool) -> _Resembling:
    found = [_hits(model, world, read) for world in worlds(seed, SEEDS)]
    people, hits = sum(each.people for each in found), sum(each.found for each in found)
    shuffled = np.sum([each.shuffled for each in found], 0)
    p_value = (1 + int((shuffled >= hits).sum())) / (1 + SHUFFLES)
    return _Resembling(people, hits / people, float(shuffled.mean()) / people, p_value)


@FAMILY.claim(
    "plausible",
    "A pretrained model gives plausible answers about people whom it has never seen.",
    said_by="D",
    in_world=lambda world: ask(tuple(ASKED.values()), ("held out", "strangers"), world),
)
def _made_up(seed: int) -> Finding:
    plausible = {name: _plausible(model, seed) for name, model in ASKED.items()}
    sure = {
        (name, people): _sure(model, people, seed) for name, model in ASKED.items() for people in ("known", "strangers")
    }
    kept = {
        (name, people): _answered(model, people, seed)
        for name, model in ASKED.items()
        for people in ("known", "strangers")
    }
    refused = {name: (1 - kept[name, "strangers"][0], kept[name, "strangers"][1]) for name in ASKED}
    low = plausible[AT_ONCE][0] - plausible[AT_ONCE][1]
    return Finding(
        "holds" if low > 0.9 else "fails",
        f"Each world has {STRANGERS} strangers, whose names are new combinations of known parts. A model that answers "
        f"at once names a place of that world for {percent(*plausible[AT_ONCE])} of them, with a mean probability of "
        f"{percent(*sure[AT_ONCE, 'strangers'])}; for held-out people the mean probability is "
        f"{percent(*sure[AT_ONCE, 'known'])}. A model that recites first must make up the line as well. It names a "
        f"place for {percent(*plausible[RECITING])} of the strangers, with a mean probability of "
        f"{percent(*sure[RECITING, 'strangers'])}, against {percent(*sure[RECITING, 'known'])} for held-out people. A "
        f"threshold on the probability is set so that on the other worlds {whole_percent(PRECISION)} of the answers "
        f"about held-out people are right. It keeps the answers about {percent(*kept[AT_ONCE, 'known'])} of the "
        f"held-out people and refuses {percent(*refused[AT_ONCE])} of the strangers; with reciting, "
        f"{percent(*kept[RECITING, 'known'])} and {percent(*refused[RECITING])} ({TRAINED}).",
        (
            *(Quantity(f"strangers given a place, {name}", *plausible[name], "95 % interval") for name in ASKED),
            *(
                Quantity(f"mean probability, {people}, {name}", *value, "95 % interval")
                for (name, people), value in sure.items()
            ),
            *(
                Quantity(f"held-out people answered at the threshold, {name}", *kept[name, "known"], "95 % interval")
                for name in ASKED
            ),
            *(
                Quantity(f"strangers refused at the threshold, {name}", *refused[name], "95 % interval")
                for name in ASKED
            ),
        ),
        chart=Bars(
            "Confidence about known people and about strangers",
            "mean probability of the answer",
            tuple(share_bar(f"{people}, {name}", *value) for (name, people), value in sure.items()),
            "The mean probabilities are: "
            + ", ".join(f"{people} {name} {whole_percent(value[0])}" for (name, people), value in sure.items())
            + f". The intervals are over {SEEDS} seeds.",
        ),
    )


@FAMILY.claim(
    "similar-name",
    "Asked about somebody whom it has never seen, the model may give the birthplace of someone with a similar name.",
    said_by="D",
    in_world=lambda world: ask(tuple(ASKED.values()), ("lookalikes",), world),
)
def _similar_name(seed: int) -> Finding:
    read, unread = ({name: _resembling(model, seed, known) for name, model in ASKED.items()} for known in (True, False))
    at_once, reciting = read[AT_ONCE], read[RECITING]
    return Finding(
        "holds" if max(each.p_value for each in read.values()) < CHANCE else "fails",
        f"In each world, {LOOKALIKES} strangers have a name that differs in one part from the name of a known person, "
        f"who was born elsewhere. Of all {SEEDS * LOOKALIKES}, {at_once.people} have names made of words that the "
        f"model has read in other names. Of these, {whole_percent(at_once.share)} get the known person's birthplace "
        f"if the model answers at once, and {whole_percent(reciting.share)} if it recites first. With the answers "
        f"shuffled among the strangers it is {whole_percent(at_once.chance)} and {whole_percent(reciting.chance)} (p "
        f"= {at_once.p_value:.4f} and {reciting.p_value:.4f}, {SHUFFLES:,} shuffles within each world). The other "
        f"{unread[AT_ONCE].people} have a word in their name that the model has never read; of these it is "
        f"{whole_percent(unread[AT_ONCE].share)} and {whole_percent(unread[RECITING].share)}. So a made-up answer can "
        f"be true of somebody else ({SEEDS} seeds, each with its own world).",
        tuple(
            Quantity(f"{what}, {words}, {name}", getattr(found[name], value), how="observed")
            for words, found in (("all words read", read), ("a word never read", unread))
            for what, value in (
                ("answers that are the known person's place", "share"),
                ("the same by chance", "chance"),
                ("p-value", "p_value"),
                ("strangers", "people"),
            )
            for name in ASKED
        ),
        chart=Bars(
            "The birthplace of someone with a similar name",
            "share of strangers whose name is made of words that the model has read",
            tuple(
                bar
                for name, each in read.items()
                for bar in (Bar(name, each.share), Bar(f"{name}, by chance", each.chance))
            ),
            "These strangers get the birthplace of the person with a similar name: "
            + ", ".join(
                f"{whole_percent(e.share)} {name} (by chance {whole_percent(e.chance)})" for name, e in read.items()
            )
            + ".",
        ),
    )


def _overused(model: Model, seed: int) -> tuple[tuple[float, float], tuple[float, float], tuple[float, float]]:
    """How many strangers, and how many known people, have one of the commonest places of the training questions; and
    the difference."""

    def shares(world: int) -> tuple[Rate, Rate]:
        counted = Counter(fact.answer for fact in facts(world).training)
        common = {place for place, _ in counted.most_common(COMMON)}
        given = [each.answer in common for each in answers(model, world, "strangers")]
        return Rate.of(given), Rate.of([place in common for place in _places(world).values()])

    found = {world: shares(world) for world in worlds(seed, SEEDS)}
    theirs, true = (over_worlds(lambda world, side=side: found[world][side], seed, SEEDS) for side in (0, 1))
    return theirs, true, over_worlds(lambda world: found[world][0] - found[world][1], seed, SEEDS)


@FAMILY.claim(
    "bias",
    "Made-up answers are biased: they name the places that are common in the training questions more often than people "
    "are born there.",
    said_by="the lab, as a warning",
    in_world=lambda world: ask(tuple(ASKED.values()), ("strangers",), world),
)
def _bias(seed: int) -> Finding:
    found = {name: _overused(model, seed) for name, model in ASKED.items()}
    surely = all(more[0] - more[1] > 0 for _, _, more in found.values())
    given = {name: percent(*each) for name, (each, _, _) in found.items()}
    more = {name: points(*each) for name, (_, _, each) in found.items()}
    true = found[AT_ONCE][1]
    return Finding(
        "holds" if surely else "fails",
        f"The {COMMON} commonest places of the training questions are the birthplaces of {percent(*true)} of the "
        f"known people. They are the answers about {given[AT_ONCE]} of the strangers if the model answers at once, "
        f"and about {given[RECITING]} if it recites first: differences of {more[AT_ONCE]} and {more[RECITING]}. "
        f"{'Both are' if surely else 'They are not both'} above 0 beyond their intervals. So these models, which are "
        f"small and know few places, {'favour common places' if surely else 'were not seen to favour common places'} "
        f"when they make up an answer ({TRAINED}).",
        tuple(
            Quantity(f"{what}, {name}", *values[place], "95 % interval")
            for name, values in found.items()
            for place, what in enumerate(("strangers given a common place", "people born in one", "the difference"))
        ),
    )


def _crowd(seed: int) -> tuple[Facts, str]:
    """People with their birthplaces, and the source of the people: the coursework's, if they are on this machine."""
    if locate("birthplaces"):
        return open_facts("birthplaces"), "the coursework's people"
    made = biographies(CROWD, resembling=0.0, seed=seed)
    return made.facts(0.99, 0.01), f"{CROWD:,} people of a generated world, whose names and places are independent"


def _crowd_data(seed: int) -> tuple[Source, ...]:
    people, called = _crowd(seed)
    asked = "\n".join(f"{fact.name}\t{fact.answer}" for fact in people.training)
    return (source(called, asked),) if locate("birthplaces") else ()


@cache
def _namesakes(seed: int) -> tuple[float, float, float, int, str]:
    """Among pairs of people who share a word of their names: the share born in the same place, the same share with the
    places shuffled, the p-value, the number of pairs, and the source of the people."""
    people, called = _crowd(seed)
    known = {fact.name: fact.answer for fact in people.training}
    bearers: dict[str, list[int]] = {}
    for number, name in enumerate(known):
        bearers.setdefault(name.split()[-1], []).append(number)
    pairs = np.array([pair for group in bearers.values() for pair in combinations(group, 2)])
    _, places = np.unique(list(known.values()), return_inverse=True)
    same = int((places[pairs[:, 0]] == places[pairs[:, 1]]).sum())
    draws, shuffled = np.random.default_rng(seed), np.empty(FEWER)
    for number in range(FEWER):
        other = draws.permutation(places)
        shuffled[number] = (other[pairs[:, 0]] == other[pairs[:, 1]]).sum()
    p_value = (1 + int((shuffled >= same).sum())) / (1 + FEWER)
    return same / len(pairs), float(shuffled.mean()) / len(pairs), p_value, len(pairs), called


@FAMILY.claim(
    "names-tell-nothing",
    "The similarity of two names has nothing to do with the birthplaces.",
    said_by="D",
    question="Is it a reason to name somebody's birthplace that a person with a similar name was born there?",
    data=_crowd_data,
)
def _names_tell_nothing(seed: int) -> Finding:
    share, chance, p_value, pairs, called = _namesakes(seed)
    return Finding(
        "holds" if p_value > SURE else "fails",
        f"Among {called}, there are {pairs:,} pairs with the same last name. {percent(share)} of them were born in "
        f"the same place; with the places shuffled among the people it is {percent(chance)} (p = {p_value:.3f}, "
        f"{FEWER:,} shuffles). A generated world can be made so that names tell nothing. Among real people a family "
        "name belongs to a country, and so to some places: with the coursework's people on this machine, they are the "
        "ones who are counted.",
        (
            Quantity("pairs with one last name born in one place", share, how="observed"),
            Quantity("the same with the places shuffled", chance, how="observed"),
            Quantity("p-value", p_value, how="observed"),
            Quantity("pairs", pairs, how="observed"),
        ),
    )
