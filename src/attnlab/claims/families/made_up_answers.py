"""Claim 19: what a model answers about people whom it has never seen."""

from dataclasses import dataclass
from functools import cache

import numpy as np

from attnlab.charts import Bar, Bars
from attnlab.claims.claim import Family, Finding, Quantity
from attnlab.claims.taught_models import LOOKALIKES, SEEDS, STRANGERS, Model, answers, facts, over_seeds, world
from attnlab.evaluation.knowledge.coverage import at, threshold_for
from attnlab.numbers import percent

FAMILY = Family(
    19,
    "made-up-answers",
    "Made-up answers",
    question="What does a pretrained model answer about people whom it has never seen?",
)
AT_ONCE, RECITING = "answering at once", "reciting first"
ASKED: dict[str, Model] = {AT_ONCE: "rewritten", RECITING: "reciting"}
"""The two models that know most."""
PRECISION = 0.9
SHUFFLES = 9_999
CHANCE = 0.001
"""A p-value below this is no chance."""
TRAINED = f"{SEEDS} seeds, each with a world of its own; 95 % intervals over the seeds"


def _places(seed: int) -> dict[str, str]:
    """Where the people of a world were born, by name."""
    return {person.name: person.birthplace.city for person in world(seed).people}


def _plausible(model: Model) -> tuple[float, float]:
    """The share of strangers about whom the answer is a place of the world."""

    def share(seed: int) -> float:
        places = set(_places(seed).values())
        return float(np.mean([each.answer in places for each in answers(model, seed, "strangers")]))

    return over_seeds(share)


def _sure(model: Model, people: str) -> tuple[float, float]:
    """The mean probability that a model gives its answers."""
    asked = "strangers" if people == "strangers" else "held out"
    return over_seeds(lambda seed: float(np.mean([each.probability for each in answers(model, seed, asked)])))


def _answered(model: Model, people: str) -> tuple[float, float]:
    """The share of people about whom an answer is given at the threshold that reaches the precision on the held-out
    people of the other worlds."""
    asked = "strangers" if people == "strangers" else "held out"

    def share(seed: int) -> float:
        others = [each for other in range(SEEDS) if other != seed for each in answers(model, other)]
        return at(threshold_for(others, PRECISION), answers(model, seed, asked)).coverage.value

    return over_seeds(share)


@dataclass(frozen=True)
class _Hits:
    """Of the answers about some lookalikes how many are the place of whom they resemble, and how many in each of many
    shuffles of these answers."""

    people: int
    found: int
    shuffled: np.ndarray


@cache
def _hits(model: Model, seed: int, claim_seed: int, read: bool) -> _Hits:
    """By the lookalikes of one world whose names are made of words that the names on lines have, or by the others."""
    resembled, places = world(seed).lookalikes(), _places(seed)
    words = {word for line in facts(seed).lines for word in line.name.split()}
    some = [each for each in answers(model, seed, "lookalikes") if (set(each.name.split()) <= words) == read]
    given = np.array([each.answer for each in some])
    theirs = np.array([places[resembled[each.name]] for each in some])
    orders = np.random.default_rng((claim_seed, seed)).permuted(np.tile(np.arange(len(some)), (SHUFFLES, 1)), axis=1)
    return _Hits(len(some), int((given == theirs).sum()), (given[orders] == theirs).sum(1))


@dataclass(frozen=True)
class _Resembling:
    """What the lookalikes of all worlds come to: the share of answers that are the other's place, the same by chance,
    and the p-value of a permutation test."""

    people: int
    share: float
    chance: float
    p_value: float


def _resembling(model: Model, claim_seed: int, read: bool) -> _Resembling:
    found = [_hits(model, seed, claim_seed, read) for seed in range(SEEDS)]
    people, hits = sum(each.people for each in found), sum(each.found for each in found)
    shuffled = np.sum([each.shuffled for each in found], 0)
    p_value = (1 + int((shuffled >= hits).sum())) / (1 + SHUFFLES)
    return _Resembling(people, hits / people, float(shuffled.mean()) / people, p_value)


def _bar(name: str, value: tuple[float, float]) -> Bar:
    return Bar(name, value[0], max(0.0, value[0] - value[1]), min(1.0, value[0] + value[1]))


@FAMILY.claim(
    "plausible",
    "A pretrained model answers questions about people it has never seen, and plausibly.",
    said_by="D",
)
def _made_up(seed: int) -> Finding:
    plausible = {name: _plausible(model) for name, model in ASKED.items()}
    sure = {(name, people): _sure(model, people) for name, model in ASKED.items() for people in ("known", "strangers")}
    kept = {
        (name, people): _answered(model, people) for name, model in ASKED.items() for people in ("known", "strangers")
    }
    refused = {name: (1 - kept[name, "strangers"][0], kept[name, "strangers"][1]) for name in ASKED}
    low = plausible[AT_ONCE][0] - plausible[AT_ONCE][1]
    return Finding(
        "holds" if low > 0.9 else "fails",
        f"Strangers have names of known parts that nobody has: {STRANGERS} in each world. A model that answers at once "
        f"names a place of that world for {percent(*plausible[AT_ONCE])} of them, with a probability of "
        f"{percent(*sure[AT_ONCE, 'strangers'])} in the mean, where that of its answers about held-out people is "
        f"{percent(*sure[AT_ONCE, 'known'])}. One that recites a line first must make up the line as well: it names a "
        f"place for {percent(*plausible[RECITING])}, with {percent(*sure[RECITING, 'strangers'])} against "
        f"{percent(*sure[RECITING, 'known'])}. The threshold above which {100 * PRECISION:.0f} % of the answers about "
        f"held-out people of the other worlds are right lets {percent(*kept[AT_ONCE, 'known'])} pass and refuses "
        f"{percent(*refused[AT_ONCE])} of the strangers; with recital {percent(*kept[RECITING, 'known'])} and "
        f"{percent(*refused[RECITING])} ({TRAINED}).",
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
            "Sure of people it knows, and of strangers",
            "mean probability of the answer",
            tuple(_bar(f"{people}, {name}", value) for (name, people), value in sure.items()),
            "The mean probabilities are: "
            + ", ".join(f"{people} {name} {100 * value[0]:.0f} %" for (name, people), value in sure.items())
            + f". The intervals are over {SEEDS} seeds.",
        ),
    )


@FAMILY.claim(
    "similar-name",
    "Asked about somebody it has never seen, it may give the birthplace of someone with a similar name.",
    said_by="D",
)
def _similar_name(seed: int) -> Finding:
    read, unread = ({name: _resembling(model, seed, known) for name, model in ASKED.items()} for known in (True, False))
    at_once, reciting = read[AT_ONCE], read[RECITING]
    return Finding(
        "holds" if max(each.p_value for each in read.values()) < CHANCE else "fails",
        f"{LOOKALIKES} strangers of each world have a name that differs in one part from that of somebody who is on a "
        f"line, and were born elsewhere. {at_once.people} of all {SEEDS * LOOKALIKES} have names of words that the "
        f"model has read in other names, and count: {_share(at_once.share)} get the other's birthplace where the model "
        f"answers at once, and {_share(reciting.share)} where it recites first. By chance, the same answers given to "
        f"the same strangers in any other order, it would be {_share(at_once.chance)} and {_share(reciting.chance)} "
        f"(p = {at_once.p_value:.4f} and {reciting.p_value:.4f}, {SHUFFLES:,} shuffles within each world). Of the "
        f"other {unread[AT_ONCE].people}, with a word that is on no line and like any other unknown one to the model, "
        f"{_share(unread[AT_ONCE].share)} and {_share(unread[RECITING].share)} do. What it makes up is not made of "
        f"nothing: it is true of somebody else ({SEEDS} seeds, each with a world of its own).",
        tuple(
            Quantity(f"{what}, {words}, {name}", getattr(found[name], value), how="observed")
            for words, found in (("words it has read", read), ("a word it has not", unread))
            for what, value in (
                ("answers that are the other's place", "share"),
                ("the same by chance", "chance"),
                ("p-value", "p_value"),
                ("strangers", "people"),
            )
            for name in ASKED
        ),
        chart=Bars(
            "The birthplace of someone with a similar name",
            "share of strangers whose name is made of words it has read",
            tuple(
                bar
                for name, each in read.items()
                for bar in (Bar(name, each.share), Bar(f"{name}, by chance", each.chance))
            ),
            "Strangers with a name like somebody's, made of words that were read, get that person's birthplace: "
            + ", ".join(f"{_share(e.share)} {name} (by chance {_share(e.chance)})" for name, e in read.items())
            + ".",
        ),
    )


def _share(value: float) -> str:
    return f"{100 * value:.0f} %"
