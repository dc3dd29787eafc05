"""Remedies against noisy keys, and the error that each leaves."""

from dataclasses import asdict
from typing import Any, ClassVar

from attnlab.attention import Remedy
from attnlab.attention import remedies as measure_remedies
from attnlab.benches.attention.measuring import question
from attnlab.benches.attention.settings import RemediesSettings
from attnlab.calls import Call
from attnlab.contents import Content
from attnlab.progress import SILENT, Observer
from attnlab.records import Record, record
from attnlab.settings import changes

FIXED_REMEDIES = 6
"""The number of remedies besides the best queries and, with more than two keys, the query that repels the others."""


@record
class Remedies(Record):
    """The remedies against noisy keys, each with the error that it leaves. The usual advice comes first."""

    shown_by: ClassVar[str] = "attention.noise_and_designs.remedies"

    settings: RemediesSettings
    rows: tuple[Remedy, ...]

    @Content("settings.keys", remedies=list[Remedy])
    def to_dict(self) -> dict[str, Any]:
        """The remedies."""
        return {"keys": self.settings.keys, "remedies": [asdict(each) for each in self.rows]}

    @property
    def call(self) -> Call:
        """The call that measures them again."""
        return Call("remedies", options=changes(self.settings, RemediesSettings()))


def remedies(settings: RemediesSettings, observer: Observer = SILENT) -> Remedies:
    """Measure every remedy on the same noise: the best scale, two heads, normalised keys, a sink, the best queries."""
    total = FIXED_REMEDIES + settings.heads + (settings.keys > 2)
    with observer.task("remedies", total) as task:
        found = measure_remedies(
            question(settings),
            scale=settings.scale,
            heads=settings.heads,
            seed=settings.seed,
            progress=lambda name: task.advance(what=name),
        )
    return Remedies(settings, tuple(found))
