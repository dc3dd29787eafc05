"""What a knowledge model answers at several thresholds: each is that of a wanted precision, as `evaluate` picks it."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from attnlab.benches.knowledge import EvaluatedKnowledge, KnownModel
from attnlab.evaluation.knowledge.asking import Knower, Reply
from attnlab.evaluation.settings import PRECISIONS
from attnlab.numbers import percent, percents
from attnlab.progress import Observer
from attnlab.statistics import Share


@dataclass(frozen=True)
class CachedKnower(Knower):
    """A model that is asked each question only once, however often it is evaluated."""

    said: dict[str, Reply] = field(default_factory=dict)

    def ask(self, questions: Sequence[str]) -> list[Reply]:
        """A reply to each question."""
        new = [each for each in dict.fromkeys(questions) if each not in self.said]
        self.said.update(zip(new, super().ask(new) if new else [], strict=True))
        return [self.said[each] for each in questions]


def evaluations(model: KnownModel, observer: Observer) -> list[EvaluatedKnowledge]:
    """The model evaluated at each wanted precision."""
    known = model.knower
    knower = CachedKnower(known.model, known.tokenizer, known.recites, known.longest)
    asked = replace(model, knower=knower)
    return [asked.evaluate(precision, observer=observer) for precision in PRECISIONS]


def shown_threshold(found: EvaluatedKnowledge) -> dict[str, Any]:
    """The threshold of a wanted precision, and what it gives on people and strangers who did not pick it."""
    sure = found.knowledge.confidence
    assert sure is not None  # a finetuned run has its answers about kept-out people
    least = sure.threshold.probability
    return {
        "wanted": found.settings.precision,
        "threshold": None if least is None else f"{least:.4f}",
        "precision": _shown(sure.given.precision),
        "coverage": _shown(sure.given.coverage),
        "strangers": _shown(sure.confident_wrong),
        "command": found.command,
        "python": found.python,
    }


def _shown(share: Share | None) -> dict[str, str] | None:
    if share is None:
        return None
    counts = f"{share.count:,} of {share.examples:,}"
    return {"value": percent(share.value), "interval": f"{counts}, 95 % interval {percents(share.low, share.high)}"}
