"""Experiments on how a classifier weighs words: one loud word, both sides strong, or a doubtful label."""

import numpy as np

from attnlab.evaluation.classification.experiments import FEW, ErrorTrial, signed
from attnlab.evaluation.classification.reasons import Experiment
from attnlab.numbers import percent, whole_percent

LOUD = 2.0
"""A loud word pushes this many times as far as the next."""
BALANCED = 0.4
"""Both sides are strong if the weaker one has at least this share of the other's push …"""
FAR = 0.25
"""… and this share of the log-odds."""
SURE = 0.8
"""A label is doubtful only if the predicted class has at least this probability."""
DENIED = 0.1
"""Negations explain a part of an error if, with them reversed or removed, more than this share of the log-odds goes."""
ONE_HALF = 0.5
"""Order explains a part of an error if one half of the text has less than this share of the log-odds."""


def one_loud_word(trial: ErrorTrial) -> Experiment:
    """One loud word: it pushes twice as far as the next, and removing it fixes the error."""
    best = trial.strongest(+1)
    if not best:
        return Experiment("one loud word", False, {}, "no word speaks for the predicted class")
    (score,), (ahead,) = trial.ask(trial.less(best[:1]))
    push, next_push = float(trial.each[best[0]]), float(trial.each[best[1]]) if len(best) > 1 else 0.0
    numbers = {"log_odds": trial.pushes.score, "push": push, "next_push": next_push, "log_odds_without": score}
    word = trial.name(best[0])
    if best[0] in trial.denied:
        return Experiment("one loud word", False, numbers, f"“{word}” is the strongest word, but negated", (word,))
    told = (
        f"“{word}” pushes {signed(push)}, the next word {signed(next_push)}; without it "
        f"the log-odds go from {signed(trial.pushes.score)} to {signed(score)}"
    )
    return Experiment("one loud word", push >= LOUD * next_push and ahead <= trial.turned, numbers, told, (word,))


def mixed(trial: ErrorTrial) -> Experiment:
    """Mixed: silencing the strongest words of either side (negated words aside) moves the score far, down and up."""
    sides, score = [trial.undenied(+1), trial.undenied(-1)], trial.pushes.score
    down, up = (abs(score - trial.silent(side)) for side in sides)
    numbers = {"log_odds": score, "down": down, "up": up}
    names = [[trial.name(number) for number in side] for side in sides]
    told = (
        f"with {_listed(names[0])} silent the log-odds go down by {down:.2f}, "
        f"with {_listed(names[1])} silent up by {up:.2f}"
    )
    return Experiment(
        "mixed", min(down, up) >= max(BALANCED * max(down, up), FAR * score), numbers, told, (*names[0], *names[1])
    )


def label_doubtful(trial: ErrorTrial, others: list[Experiment]) -> Experiment:
    """Label doubtful: the classifier is sure, no other experiment explains the error or a part of it, and without the
    few strongest words the text still does not get its label."""
    probability = float(1 / (1 + np.exp(-trial.pushes.score)))
    (score,), (ahead,) = trial.ask(trial.less(trial.strongest(+1)))
    numbers = {"probability": probability, "log_odds_without_strongest": score}
    against = [f"{each.kind} explains {part}" for each in others if (part := _explained(each, trial.pushes.score))]
    if ahead <= 0:
        against.insert(0, "these words decide the class")
    if probability < SURE:
        against.insert(0, f"below {whole_percent(SURE)} the classifier is not sure")
    told = (
        f"the probability of the predicted class is {percent(probability)}; "
        f"without the {FEW} strongest words the log-odds are {signed(score)}"
        + (f". But {'; '.join(against)}" if against else "")
    )
    return Experiment("label doubtful", not against, numbers, told)


def _explained(each: Experiment, score: float) -> str:
    """How much of an error an experiment explains: “it”, “a part”, or nothing."""
    if each.holds:
        return "it"
    numbers = each.numbers
    if each.kind == "negation" and numbers:
        lowest = min(numbers["log_odds_turned"], numbers["log_odds_without_denial"])
        return "a part" if score - lowest > DENIED * abs(score) else ""
    if each.kind == "order" and numbers:
        return "a part" if min(numbers["first_half"], numbers["second_half"]) < ONE_HALF * score else ""
    return ""


def _listed(names: list[str]) -> str:
    return ", ".join(f"“{name}”" for name in names) or "nothing"
