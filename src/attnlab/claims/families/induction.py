"""Claim 21: which attention learns induction, and how to tell that it did."""

import math
from collections.abc import Mapping

from attnlab.charts import Bars, Lines, Series
from attnlab.claims.claim import Family, Finding, over_seeds, share_bar
from attnlab.claims.models.induction import (
    DRAWN,
    FIXED,
    LOOK,
    MODELS,
    OUTSIDE,
    SEEDS,
    TESTED,
    TRAINING,
    Continued,
    InductionModel,
    Model,
    learnt,
)
from attnlab.claims.seeds import Rate, over_worlds, worlds
from attnlab.data.worlds.repeats import LETTERS
from attnlab.numbers import percent
from attnlab.statistics import mean_and_half_width

FAMILY = Family(
    21,
    "induction",
    "Induction",
    bench="heads",
    question="Which attention learns to continue a repetition, and does a high score show that it did?",
    shares="induction",
    worlds=SEEDS,
)
LEARNT, NOT_LEARNT = 0.8, 0.2
"""A head with a score above the first has learnt induction; if the best head is below the second, no head has."""
TENTH, FIFTH, HALF = 0.1, 0.2, 0.5
"""Shares of the steps, and the least share of the loss's fall that lies within a sudden turn."""
GUESS = math.log(len(LETTERS))
"""The loss of a guess among all letters, in nats."""
TRAINED = (
    f"{SEEDS} seeds, each with its own letters; models of attention alone with one head of 64 in each layer, "
    f"{TRAINING.steps} steps; 95 % intervals over the seeds"
)


def _score(model: Model, seed: int, lines: str = "drawn") -> tuple[float, float]:
    """The induction score of a model's best head on lines that it has not seen."""

    def score(world: int) -> Rate:
        found: Continued = getattr(learnt(model, world), lines)
        return found.score

    return over_worlds(score, seed, SEEDS)


def _nats(model: Model, seed: int, lines: str = "drawn") -> tuple[float, float]:
    """The loss of a model where repetition predicts the next letter."""
    return mean_and_half_width([getattr(learnt(model, world), lines).nats for world in worlds(seed, SEEDS)])


def _chart(title: str, **values: tuple[float, float]) -> Bars:
    named = {name.replace("_", " "): value for name, value in values.items()}
    said = ", ".join(f"{name} {mean:.2f}" for name, (mean, _) in named.items())
    bars = tuple(share_bar(name, *value) for name, value in named.items())
    return Bars(title, "induction score of the best head", bars, f"The scores: {said}. Intervals over {SEEDS} seeds.")


@FAMILY.claim(
    "two-layers",
    "Attention alone learns to continue lines with a drawn period if it has two layers, and not if it has one.",
    said_by="the lab",
    in_world=lambda world: [learnt(model, world) for model in ("two layers", "one layer")],
)
def _two_layers(seed: int) -> Finding:
    two, one = _score("two layers", seed), _score("one layer", seed)
    longer, nats = _score("two layers", seed, "outside"), {each: _nats(each, seed) for each in MODELS[:2]}
    return Finding(
        "holds" if two[0] > LEARNT and one[0] < NOT_LEARNT else "fails",
        "Expected before the first run: it holds, with scores above 0.8 and below 0.2. Found: on lines that no model "
        f"has seen, with periods from {TESTED[0]} to {TESTED[-1]}, the best head of two layers gives {percent(*two)} "
        "of its weight to the letters that stood after earlier copies of the present letter; the best head of one "
        f"layer gives {percent(*one)}. A letter that repetition predicts costs {nats['two layers'][0]:.2f} nats with "
        f"two layers and {nats['one layer'][0]:.2f} with one. The first layer lets each position know the "
        "letter before it, and the second finds the position that knows the present letter. One layer compares "
        "letters, and cannot know what stands before them. With periods of "
        f"{OUTSIDE[0]} and {OUTSIDE[1]}, longer than any it learnt from ({DRAWN[0]} to {DRAWN[1]}), the score of two "
        f"layers is {percent(*longer)} ({TRAINED}).",
        (
            over_seeds("score, two layers", *two),
            over_seeds("score, one layer", *one),
            over_seeds(f"score, two layers, periods {OUTSIDE[0]} and {OUTSIDE[1]}", *longer),
            *(over_seeds(f"nats per letter, {each}", *nats[each]) for each in MODELS[:2]),
        ),
        chart=_chart("Two layers learn induction", two_layers=two, one_layer=one),
    )


@FAMILY.claim(
    "fixed-period",
    f"A head that scores above {LEARNT} where every line has the same period has learnt to match letters.",
    said_by="the lab, as a warning",
    in_world=lambda world: learnt("fixed", world),
)
def _fixed_period(seed: int) -> Finding:
    there, elsewhere = _score("fixed", seed, "fixed"), _score("fixed", seed)
    own, other = _nats("fixed", seed, "fixed"), _nats("fixed", seed)
    return Finding(
        "holds" if min(there[0], elsewhere[0]) > LEARNT else "fails",
        "Expected before the first run: it fails, since one layer can look back by position. Found: one layer that "
        f"learnt from lines with a period of {FIXED} has a head with a score of {percent(*there)} on new lines of that "
        f"period. On lines with other periods, {TESTED[0]} to {TESTED[-1]}, its score is {percent(*elsewhere)}: it "
        f"looks {FIXED - 1} letters back, whatever stands there. A letter costs {own[0]:.2f} nats there and "
        f"{other[0]:.2f} elsewhere, where a guess costs {GUESS:.2f}. So `attnlab heads` draws the period anew for "
        f"each row ({TRAINED}).",
        (
            over_seeds(f"score, period {FIXED}", *there),
            over_seeds("score, other periods", *elsewhere),
            over_seeds(f"nats per letter, period {FIXED}", *own),
            over_seeds("nats per letter, other periods", *other),
        ),
        chart=_chart("One layer after lines of one period", **{f"period_{FIXED}": there, "other_periods": elsewhere}),
    )


@FAMILY.claim(
    "smeared",
    "With smeared keys, which hold a part of the key before, one layer learns to continue lines with a drawn period.",
    said_by="the lab",
    in_world=lambda world: [learnt(model, world) for model in ("smeared", "one layer")],
)
def _smeared(seed: int) -> Finding:
    smeared, plain = _score("smeared", seed), _score("one layer", seed)
    nats = {each: _nats(each, seed) for each in ("smeared", "one layer")}
    return Finding(
        "holds" if smeared[0] > LEARNT and plain[0] < NOT_LEARNT else "fails",
        "Expected before the first run: it holds (Olsson et al. 2022). Found: with smeared keys the head of one layer "
        f"has a score of {percent(*smeared)}, with plain keys {percent(*plain)}. The loss of a letter that repetition "
        f"predicts is {nats['smeared'][0]:.2f} and {nats['one layer'][0]:.2f} nats. A smeared key tells which letter "
        "stands before it. That is all that the first of two layers is needed for; the smeared keys add one number to "
        f"the model ({TRAINED}).",
        (
            over_seeds("score, smeared keys", *smeared),
            over_seeds("score, plain keys", *plain),
            over_seeds("nats per letter, smeared keys", *nats["smeared"]),
            over_seeds("nats per letter, plain keys", *nats["one layer"]),
        ),
        chart=_chart("One layer with smeared keys", smeared_keys=smeared, plain_keys=plain),
    )


@FAMILY.claim(
    "sudden",
    "Two layers learn induction at a sudden turn: half of the loss's whole fall lies within a fifth of the steps, "
    "after a plateau that one layer with smeared keys does not have.",
    said_by="the lab",
    in_world=lambda world: [learnt(model, world) for model in ("two layers", "one layer", "smeared")],
)
def _sudden(seed: int) -> Finding:
    found = {model: [learnt(model, world) for world in worlds(seed, SEEDS)] for model in MODELS[:3]}
    tenth, fifth = ({model: _turns(some, share) for model, some in found.items()} for share in (TENTH, FIFTH))
    (two, begins), (one, _), (smeared, at_once) = (fifth[model] for model in MODELS[:3])
    return Finding(
        "holds" if two[0] > HALF and begins[0] > 2 * at_once[0] else "fails",
        "Expected before the first run: half of the fall lies even within a tenth of the steps. Found: "
        f"{percent(*tenth['two layers'][0])} of it lie within the tenth in which the loss of two layers falls fastest, "
        f"and {percent(*two)} within the fastest fifth. That begins at step {begins[0]:.0f} of {TRAINING.steps}, after "
        f"a plateau. One layer with plain keys falls more evenly ({percent(*one)} within a fifth), and to a higher "
        f"loss. With smeared keys one layer falls as steeply ({percent(*smeared)}), and at once, from step "
        f"{at_once[0]:.0f} on. Two layers must learn two things of which each is worth little without the other "
        f"({TRAINED}).",
        (
            *(
                over_seeds(f"share of the fall within the fastest {name}, {model}", *turns[model][0])
                for name, turns in (("fifth", fifth), ("tenth", tenth))
                for model in MODELS[:3]
            ),
            over_seeds("step at which the fastest fifth begins, two layers", *begins),
            over_seeds("step at which the fastest fifth begins, smeared", *at_once),
        ),
        chart=_curves({model: some[0] for model, some in found.items()}),
    )


def _turns(models: list[InductionModel], share: float) -> tuple[tuple[float, float], tuple[float, float]]:
    """The share of the fall within the fastest share of the steps, and where that begins, over the seeds."""
    falls, begins = zip(*(each.fastest(share) for each in models), strict=True)
    return mean_and_half_width(falls), mean_and_half_width(begins)


def _curves(models: Mapping[str, InductionModel]) -> Lines:
    series = tuple(
        Series(model, tuple(float(LOOK * (place + 1)) for place in range(len(each.losses))), each.losses)
        for model, each in models.items()
    )
    return Lines(
        "The loss while induction is learnt",
        "step",
        "nats per letter",
        series,
        "The loss of two layers stays on a plateau and then falls steeply; that of one layer falls slowly to the end; "
        "that of one layer with smeared keys falls at once. One seed.",
    )
