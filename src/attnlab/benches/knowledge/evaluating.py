"""Evaluate a finetuned model: how much it knows, memorised and makes up."""

from pathlib import Path
from typing import Any, ClassVar

from attnlab.benches.knowledge.answers import measure_model
from attnlab.benches.knowledge.models import KnownModel, open_known
from attnlab.calls import Call
from attnlab.data.facts.facts import Facts
from attnlab.data.facts.sources import FactSource
from attnlab.evaluation.knowledge.measuring import Knowledge
from attnlab.evaluation.settings import EvaluationSettings
from attnlab.progress import SILENT, Observer
from attnlab.records import Record, record
from attnlab.settings import changes, write
from attnlab.training.processes import this_process


@record
class EvaluatedKnowledge(Record):
    """How much a model knows of the held-out facts, with the baseline and the ceiling to compare with."""

    shown_by: ClassVar[str] = "knowledge.evaluation.evaluated"

    run: str
    source: FactSource
    baseline: float
    """The share of right answers if the answer is always the commonest one."""
    commonest: str
    ceiling: float
    """The share of questions whose answer is on a line of the person."""
    remarks: tuple[str, ...]
    """Remarks on unusual data."""
    knowledge: Knowledge
    settings: EvaluationSettings

    def to_dict(self) -> dict[str, Any]:
        """Everything; null for numbers that were not measured."""
        return {
            "run": self.run,
            "facts": write(self.source),
            "baseline": self.baseline,
            "commonest": self.commonest,
            "ceiling": self.ceiling,
            "asides": list(self.remarks),
            **self.knowledge.as_json(),
        }

    @property
    def call(self) -> Call:
        """The call that measures it again."""
        return Call("knowledge evaluate", (self.run,), changes(self.settings, EvaluationSettings()))


def evaluate(
    run: Path | str | KnownModel, settings: EvaluationSettings | None = None, observer: Observer = SILENT
) -> EvaluatedKnowledge:
    """Ask a finetuned model about all held-out facts and about strangers, and measure its answers."""
    settings = settings or EvaluationSettings()
    with this_process(settings.device) as process:
        model = run if isinstance(run, KnownModel) else open_known(run, str(process.device))
        facts: Facts = model.facts.facts
        knowledge, remarks = measure_model(
            model.knower,
            model.facts,
            model.kept_out,
            model.taught.memorised(len(facts.held_out)),
            precision=settings.precision,
            seed=settings.seed,
            observer=observer,
        )
    source = model.taught.config.facts.source
    held_against = (facts.baseline(), facts.commonest, facts.ceiling())
    return EvaluatedKnowledge(model.name, source, *held_against, tuple(remarks), knowledge, settings)
