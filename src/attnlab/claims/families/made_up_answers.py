"""Claim 19: what a model answers about people whom it has never seen."""

from functools import cache

import numpy as np

from attnlab.claims.intervals import percent
from attnlab.claims.knowing_networks import LOOKALIKES, SEEDS, STRANGERS, Model, answers, over_seeds, world
from attnlab.claims.records import Bar, Bars, Family, Finding, Measure
from attnlab.evaluation.knowledge.coverage import at, threshold_for

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
    """The share of people about whom an answer is given at a threshold, that with the precision on held-out people."""
    asked = "strangers" if people == "strangers" else "held out"
    threshold = threshold_for([each for seed in range(SEEDS) for each in answers(model, seed)], PRECISION)
    return over_seeds(lambda seed: at(threshold, answers(model, seed, asked)).coverage.value)


@cache
def _hits(model: Model, seed: int, shuffles: int, claim_seed: int) -> tuple[int, np.ndarray, int]:
    """Of the answers about lookalikes that are wrong, how many are the place of whom they resemble; how many in each of
    many shuffles of these answers; and how many there are."""
    resembled, places = world(seed).lookalikes(), _places(seed)
    wrong = [each for each in answers(model, seed, "lookalikes") if not each.right]
    given = np.array([each.answer for each in wrong])
    theirs = np.array([places[resembled[each.name]] for each in wrong])
    shuffled = np.random.default_rng((claim_seed, seed)).permuted(np.tile(np.arange(len(wrong)), (shuffles, 1)), axis=1)
    return int((given == theirs).sum()), (given[shuffled] == theirs).sum(1), len(wrong)


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
        f"names a place of that world for {percent(plausible[AT_ONCE])} of them, with a probability of "
        f"{percent(sure[AT_ONCE, 'strangers'])} in the mean, where that of its answers about held-out people is "
        f"{percent(sure[AT_ONCE, 'known'])}. One that recites a line first must make up the line as well: it names a "
        f"place for {percent(plausible[RECITING])}, with {percent(sure[RECITING, 'strangers'])} against "
        f"{percent(sure[RECITING, 'known'])}. The threshold above which {100 * PRECISION:.0f} % of the answers about "
        f"held-out people are right lets {percent(kept[AT_ONCE, 'known'])} of those pass and refuses "
        f"{percent(refused[AT_ONCE])} of the strangers; with recital {percent(kept[RECITING, 'known'])} and "
        f"{percent(refused[RECITING])} ({TRAINED}).",
        (
            *(Measure(f"strangers given a place, {name}", *plausible[name], "95 % interval") for name in ASKED),
            *(
                Measure(f"mean probability, {people}, {name}", *value, "95 % interval")
                for (name, people), value in sure.items()
            ),
            *(
                Measure(f"held-out people answered at the threshold, {name}", *kept[name, "known"], "95 % interval")
                for name in ASKED
            ),
            *(
                Measure(f"strangers refused at the threshold, {name}", *refused[name], "95 % interval")
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
    hits = {name: [_hits(model, each, SHUFFLES, seed) for each in range(SEEDS)] for name, model in ASKED.items()}
    share = {
        name: over_seeds(lambda each, found=found: found[each][0] / found[each][2]) for name, found in hits.items()
    }
    wrong = {name: sum(count for _, _, count in found) for name, found in hits.items()}
    shuffled = {name: np.sum([counts for _, counts, _ in found], 0) for name, found in hits.items()}
    chance = {name: float(counts.mean()) / wrong[name] for name, counts in shuffled.items()}
    p_value = {
        name: (1 + int((shuffled[name] >= sum(count for count, _, _ in found)).sum())) / (1 + SHUFFLES)
        for name, found in hits.items()
    }
    return Finding(
        "holds" if max(p_value.values()) < CHANCE else "fails",
        f"{LOOKALIKES} strangers of each world have a name that differs in one part from that of somebody who is on a "
        f"line, and were born elsewhere. Of the wrong answers about them {percent(share[AT_ONCE])} are the other's "
        f"birthplace where the model answers at once, and {percent(share[RECITING])} where it recites first. By "
        f"chance, the same answers given to the same strangers in any other order, it would be "
        f"{100 * chance[AT_ONCE]:.1f} % and {100 * chance[RECITING]:.1f} % (p = {p_value[AT_ONCE]:.4f} and "
        f"{p_value[RECITING]:.4f}, {SHUFFLES:,} shuffles within each world; {wrong[AT_ONCE]} and {wrong[RECITING]} "
        f"wrong answers). What it makes up is not made of nothing: it is true of somebody else ({TRAINED}).",
        (
            *(
                Measure(f"wrong answers that are the other's place, {name}", *share[name], "95 % interval")
                for name in ASKED
            ),
            *(Measure(f"the same by chance, {name}", chance[name], how="observed") for name in ASKED),
            *(Measure(f"p-value, {name}", p_value[name], how="observed") for name in ASKED),
            *(Measure(f"wrong answers, {name}", wrong[name]) for name in ASKED),
        ),
        chart=Bars(
            "The birthplace of someone with a similar name",
            "share of wrong answers",
            tuple(bar for name in ASKED for bar in (_bar(name, share[name]), Bar(f"{name}, by chance", chance[name]))),
            "Of the wrong answers about strangers with a name like somebody's, "
            + ", ".join(f"{100 * share[name][0]:.0f} % {name} (by chance {100 * chance[name]:.0f} %)" for name in ASKED)
            + " are that person's birthplace.",
        ),
    )
