"""Composition: how strongly each later head reads what each earlier head writes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from jaxtyping import Float
from torch import Tensor

from attnlab.benches.heads.opening import HeadsModel, open_model_heads
from attnlab.calls import Call
from attnlab.errors import ArgumentError
from attnlab.evaluation.heads.chance import Chance
from attnlab.evaluation.heads.composition import READINGS, Reading, composition_chance, compositions
from attnlab.models.lens import Head
from attnlab.progress import SILENT, Observer
from attnlab.records import Record, record


@dataclass(frozen=True)
class ComposedPair:
    """Two heads, where the later one reads, and how strongly it reads what the earlier one writes."""

    later: Head
    earlier: Head
    reading: Reading
    score: float
    above: float
    """How many standard deviations of random pairs the score is above their mean."""


@record
class Composition(Record):
    """How strongly each later head reads what each earlier head writes, and the same for random heads."""

    shown_by: ClassVar[str] = "heads.composition.composition"

    model: str
    scores: Mapping[Reading, Float[Tensor, "layers heads layers heads"]]
    """The scores by where the later head reads, the later head first; NaN where the first is not the later one."""
    chance: Mapping[Reading, Chance]

    @property
    def pairs(self) -> list[ComposedPair]:
        """Every pair in every reading, those farthest above chance first."""
        found = []
        for reading, scores in self.scores.items():
            chance, (layers, heads) = self.chance[reading], scores.shape[:2]
            for second in range(layers):
                for first in range(second):
                    for later in range(heads):
                        for earlier, score in enumerate(scores[second, later, first].tolist()):
                            above = (score - chance.value) / chance.spread if chance.spread else 0.0
                            found.append(ComposedPair(Head(second, later), Head(first, earlier), reading, score, above))
        return sorted(found, key=lambda each: -each.above)

    def to_dict(self) -> dict[str, Any]:
        """Every pair, and chance."""
        pairs = [vars(each) | {"later": str(each.later), "earlier": str(each.earlier)} for each in self.pairs]
        return {
            "model": self.model,
            "pairs": pairs,
            "chance": {reading: vars(found) for reading, found in self.chance.items()},
        }

    @property
    def call(self) -> Call:
        """The call that computes it again."""
        return Call("heads composition", (self.model,))


def composition(model: HeadsModel, observer: Observer = SILENT) -> Composition:
    """How strongly the later heads of a model read what its earlier heads write, from their matrices alone."""
    subject, inside = open_model_heads(model, "cpu")
    if inside.layers < 2:
        raise ArgumentError(
            "model", f"expected at least two layers, got {inside.layers}: heads compose with those of earlier layers"
        )
    found: dict[Reading, Float[Tensor, "layers heads layers heads"]] = {}
    with observer.task(f"composition of the heads of {subject.name}", len(READINGS)) as task:
        for reading in READINGS:
            scores = compositions(inside, reading)
            if scores is not None:
                found[reading] = scores
            task.advance(1)
    first = inside.circuits(0)
    if not found or first is None:
        raise ArgumentError("model", f"the lab does not know where {subject.name} keeps the matrices of its heads")
    width = first.value.shape[-1]
    return Composition(subject.name, found, {each: composition_chance(width, inside.dim, each) for each in found})
