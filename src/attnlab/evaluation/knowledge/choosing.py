"""The temperature and the threshold, chosen on people who were kept out of finetuning and on strangers."""

from collections.abc import Sequence
from dataclasses import dataclass

from attnlab.evaluation.knowledge.answers import ModelAnswer, knowable
from attnlab.evaluation.knowledge.coverage import Threshold, threshold_for
from attnlab.evaluation.knowledge.temperature import at_temperature, best_temperature
from attnlab.evaluation.settings import PRECISION, PRECISIONS


@dataclass(frozen=True)
class ChosenThreshold:
    """A temperature, and a threshold for probabilities at that temperature."""

    temperature: float
    threshold: Threshold


def choose(held_out: Sequence[ModelAnswer], precision: float = 0.9) -> ChosenThreshold:
    """The temperature and the threshold that are best for held-out people.

    Strangers among them count for the threshold only: the temperature calibrates answers about real people.
    """
    temperature = best_temperature(knowable(held_out))
    return ChosenThreshold(temperature, threshold_for(at_temperature(held_out, temperature), precision))


def reached_precision(held_out: Sequence[ModelAnswer]) -> float | None:
    """The default precision if a threshold reaches it; else the highest of the lower `PRECISIONS` that one reaches.
    None if no threshold reaches any of them: then the model should answer nothing."""
    wanted = (each for each in reversed(PRECISIONS) if each <= PRECISION)
    return next((each for each in wanted if choose(held_out, each).threshold.probability is not None), None)
