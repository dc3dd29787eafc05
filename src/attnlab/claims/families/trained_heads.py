"""Claim 22: what the theory of attention, and common beliefs, say about the heads of trained models."""

from collections.abc import Callable, Sequence

import numpy as np

from attnlab.charts import Bar, Bars
from attnlab.claims.claim import Family, Finding, Quantity, over_seeds
from attnlab.claims.models.prose import SEEDS, TRAINING, MeasuredModel, Model, measured
from attnlab.claims.seeds import Rate, over_worlds, worlds
from attnlab.claims.sources import topics
from attnlab.evaluation.heads.agreement import spearman
from attnlab.evaluation.heads.theory.spread import LEAST
from attnlab.numbers import percent, plus_minus
from attnlab.statistics import mean_and_half_width

FAMILY = Family(
    22,
    "trained-heads",
    "Trained heads",
    bench="heads",
    question="Do the heads of a trained model do what the theory, and what people, say about them?",
    shares="prose",
    data=lambda seed: topics(),
    worlds=SEEDS,
)
VARIED, ALIKE, LITTLE, CLOSE = 0.1, 0.7, 0.01, 0.2
"""Lengths vary if their coefficient of variation is above the first. Rankings are alike if their correlation is above
the second. A cost below the third, as a share of the model's bits, is little. A prediction is close within the last."""
BOTH: tuple[Model, Model] = ("plain", "normalised")
TRAINED = (
    f"{SEEDS} seeds; characters of the lab's default text, {TRAINING.steps} steps, measured on held-out text; 95 % "
    "intervals over the seeds"
)
Interval = tuple[float, float]


def _over_seeds(value: Callable[[MeasuredModel], float], model: Model, seed: int) -> Interval:
    """The mean over seeds of a number of a model, and the half-width of its interval."""
    return mean_and_half_width([value(measured(model, world)) for world in worlds(seed, SEEDS)])


def _share(of: Callable[[MeasuredModel], np.ndarray], model: Model, seed: int) -> Interval:
    """The share of a model's heads of which something is true, over seeds."""
    return over_worlds(lambda world: Rate.of(of(measured(model, world))), seed, SEEDS)


def _gains(better: Model, than: Model, seed: int) -> list[float]:
    """How many bits per character less one model needs than another, with each seed."""
    return [measured(than, world).bits - measured(better, world).bits for world in worlds(seed, SEEDS)]


def _bits(value: Interval) -> str:
    return f"{plus_minus(*value, 3)} bits"


def _of_heads(value: Callable[[Sequence[float]], float], of: str) -> Callable[[MeasuredModel], float]:
    """A number that is computed from one number of each head."""
    return lambda found: float(value([getattr(head, of) for head in found.heads]))


def _bars(title: str, x_title: str, values: dict[str, Interval]) -> Bars:
    said = ", ".join(f"{name} {mean:.3f}" for name, (mean, _) in values.items())
    bars = tuple(Bar(name, mean, mean - half, mean + half) for name, (mean, half) in values.items())
    return Bars(title, x_title, bars, f"The values: {said}. The intervals are over {SEEDS} seeds.")


@FAMILY.claim(
    "key-lengths",
    "Without QK-norm the lengths of a trained head's keys vary, in every head, and the model uses that; with QK-norm "
    "they do not vary.",
    said_by="the lab",
    in_world=lambda world: [measured(model, world) for model in BOTH],
)
def _key_lengths(seed: int) -> Finding:
    least, mean = (_over_seeds(_of_heads(each, "variation"), "plain", seed) for each in (min, np.mean))
    most = _over_seeds(_of_heads(max, "variation"), "normalised", seed)
    costs = [measured("plain", world).equal for world in worlds(seed, SEEDS)]
    equal = mean_and_half_width(costs)
    return Finding(
        "holds" if least[0] > VARIED and most[0] < LEAST and min(costs) > 0 else "fails",
        "Expected before the first run: it holds, with coefficients of variation above 0.1. Found: without QK-norm the "
        f"coefficient of variation of a head's key lengths is {mean[0]:.2f} on average and {least[0]:.2f} in the "
        f"steadiest head; with QK-norm it is at most {most[0]:.1g}. The lengths are not noise: if all keys of a head "
        f"get the same length, the model without QK-norm needs {_bits(equal)} per character more ({TRAINED}).",
        (
            over_seeds("coefficient of variation, mean of the heads", *mean),
            over_seeds("coefficient of variation, steadiest head", *least),
            Quantity("coefficient of variation with QK-norm, largest", most[0], how="observed"),
            over_seeds("bits per character more with equal lengths", *equal),
        ),
    )


@FAMILY.claim(
    "qk-norm",
    "With QK-norm a small model needs fewer bits per character after the same number of steps.",
    said_by="the lab",
    in_world=lambda world: [measured(model, world) for model in BOTH],
)
def _qk_norm(seed: int) -> Finding:
    bits = {model: _over_seeds(lambda found: found.bits, model, seed) for model in BOTH}
    gain = mean_and_half_width(_gains("normalised", "plain", seed))
    return Finding(
        "holds" if gain[0] - gain[1] > 0 else "fails",
        "Expected before the first run: a gain of 0.01 to 0.15 bits. Found: the model needs "
        f"{_bits(bits['plain'])} per character without QK-norm and {_bits(bits['normalised'])} with it, "
        f"{_bits(gain)} less. Bounded logits are worth much early in training, when the lengths of queries and keys "
        f"would first have to grow. The learning rates are those of the lab's recipes for models with QK-norm, and "
        f"nothing here says how much would be left after a longer training ({TRAINED}).",
        (
            over_seeds("bits per character less with QK-norm", *gain),
            *(over_seeds(f"bits per character, {model}", *bits[model]) for model in BOTH),
        ),
        chart=_bars("What QK-norm is worth", "bits per character", dict(bits)),
    )


@FAMILY.claim(
    "two-keys",
    "Two heads of a trained layer, each with its own keys, beat one head that attends to the keys of both.",
    said_by="the lab",
    in_world=lambda world: [measured(model, world) for model in ("one head", "two heads")],
)
def _two_keys(seed: int) -> Finding:
    costs = [measured("two heads", world).shared for world in worlds(seed, SEEDS)]
    shared, gain = mean_and_half_width(costs), mean_and_half_width(_gains("two heads", "one head", seed))
    return Finding(
        "holds" if min(costs) > 0 else "fails",
        "Expected before the first run: it holds, also against a model that was trained with one head. Found: if both "
        "heads of a layer get the mean of their weights, so that each attends to the keys of both, the model needs "
        f"{_bits(shared)} per character more: the heads attend to different keys, and the model needs them apart. But "
        f"two heads need only {_bits(gain)} less than one head that was trained alone with as many parameters. Trained "
        f"from the start, one head finds another way, and after so few steps the two are about as good ({TRAINED}).",
        (
            over_seeds("bits per character more if both heads share their weights", *shared),
            over_seeds("bits per character less than with one head", *gain),
        ),
    )


@FAMILY.claim(
    "zero-and-mean",
    "Switching heads off by setting their output to 0, or to its mean, ranks them alike, with a rank correlation above "
    "0.7.",
    said_by="the lab",
    in_world=lambda world: [measured(model, world) for model in BOTH],
)
def _zero_and_mean(seed: int) -> Finding:
    alike = {model: _over_seeds(_correlation, model, seed) for model in BOTH}
    costs = {of: _over_seeds(_of_heads(np.mean, of), "normalised", seed) for of in ("zero", "mean")}
    return Finding(
        "holds" if min(value[0] for value in alike.values()) > ALIKE else "fails",
        "Expected before the first run: a rank correlation above 0.8, which 18 of 20 seeds have. Found: the rank "
        f"correlation of the two costs over the 8 heads is {alike['plain'][0]:.2f} without QK-norm and "
        f"{alike['normalised'][0]:.2f} with it. With QK-norm, an output of 0 costs {_bits(costs['zero'])} per "
        f"character for a head on average, and the mean output {_bits(costs['mean'])}: in so small a model the mean "
        f"says little ({TRAINED}).",
        (
            *(over_seeds(f"rank correlation, {model}", *alike[model]) for model in BOTH),
            *(over_seeds(f"bits per character more, output {of}", *costs[of]) for of in costs),
        ),
    )


def _correlation(found: MeasuredModel) -> float:
    """Spearman's rank correlation of the two costs of switching off each head."""
    return spearman(np.array([head.zero for head in found.heads]), np.array([head.mean for head in found.heads]))


@FAMILY.claim(
    "most-can-go",
    "Most heads of a trained model can be switched off, one at a time, for less than 1 % more bits.",
    said_by="the lab, as a warning",
    in_world=lambda world: [measured(model, world) for model in BOTH],
)
def _most_can_go(seed: int) -> Finding:
    spare = {model: _share(lambda found: _costs(found) < LITTLE, model, seed) for model in BOTH}
    worst = {model: _over_seeds(lambda found: float(_costs(found).max()), model, seed) for model in BOTH}
    return Finding(
        "holds" if all(share - half > 0.5 for share, half in spare.values()) else "fails",
        "Expected before the first run: it fails, since a model so small has no heads to spare. Found: of the 8 heads, "
        f"{percent(*spare['plain'])} can go without QK-norm and {percent(*spare['normalised'])} with it, if their "
        "output is replaced by its mean. The costliest head costs "
        f"{percent(*worst['plain'])} and {percent(*worst['normalised'])} more bits. Michel et al. (2019) found "
        f"most heads of large models to spare. Here it depends on how much the heads have learnt ({TRAINED}).",
        (
            *(over_seeds(f"share of heads that can go, {model}", *spare[model]) for model in BOTH),
            *(over_seeds(f"cost of the costliest head, {model}", *worst[model]) for model in BOTH),
        ),
    )


def _costs(found: MeasuredModel) -> np.ndarray:
    """What switching off each head costs, as a share of the model's bits."""
    return np.array([head.mean for head in found.heads]) / found.bits


@FAMILY.claim(
    "exact-law",
    "The exact law of noisy key lengths predicts the spread of a trained head's weights within 20 %.",
    said_by="the lab, as a warning",
    in_world=lambda world: measured("plain", world),
)
def _exact_law(seed: int) -> Finding:
    ratio = _over_seeds(lambda found: float(np.median(_ratios(found))), "plain", seed)
    close = _share(lambda found: np.abs(_ratios(found) - 1) < CLOSE, "plain", seed)
    return Finding(
        "holds" if close[0] - close[1] > 0.5 else "fails",
        "Expected before the first run: it fails, since lengths are not independent of what a head looks for. Found: "
        "for each head, the law is given the spread of its key lengths, and predicts how far the weight of the "
        "attended key strays from its value at the mean length. The observed spread is "
        f"{plus_minus(*ratio, 2)} times the predicted one in the median head; {percent(*close)} of "
        "the heads are within 20 %. The law takes lengths for noise that has nothing to do with the query. A trained "
        f"head chooses the lengths of the keys that it looks for ({TRAINED}).",
        (
            over_seeds("observed over predicted spread, median head", *ratio),
            over_seeds("share of heads within 20 %", *close),
        ),
    )


def _ratios(found: MeasuredModel) -> np.ndarray:
    """The observed spread over the predicted one, for each head."""
    return np.array([head.observed / head.predicted for head in found.heads])
