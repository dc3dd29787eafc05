"""The people of a model's world: whom to ask about, the true answers, and the model's own replies."""

from collections.abc import Collection
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Literal

from attnlab.calls import Call
from attnlab.contents import Content, Sometimes
from attnlab.data.facts.sources import OpenedFacts
from attnlab.evaluation.settings import PRECISION
from attnlab.records import Record, record

Part = Literal["trained on", "kept out", "held out", "read only"]


@dataclass(frozen=True)
class QuestionReply:
    """The reply of a model to a question."""

    question: str
    answer: str | None = None
    """None if the model says that it does not know."""
    likeliest: str | None = None
    """The likeliest answer, even if the model says that it does not know; None if there is no answer."""
    probability: float | None = None
    """The probability of the likeliest answer, at the temperature of the model."""
    runners_up: tuple[tuple[str, float], ...] = ()
    recital: str = ""
    """The line about the person, for a model that recites before it answers."""
    note: str = ""
    """Why the question was not put to the model, or which part of it the model cannot read."""

    def to_dict(self) -> dict[str, Any]:
        """The whole content."""
        return asdict(self) | {"runners_up": [list(each) for each in self.runners_up]}


@dataclass(frozen=True)
class KnownPerson:
    """A person: the lines about them, the questions with their answers, and the use of these questions."""

    name: str
    part: Part
    """`trained on`: the answers were taught; `kept out`: they picked the threshold; `held out`: only `evaluate` asks
    them; `read only`: there is no question."""
    questions: tuple[tuple[str, str], ...]
    lines: tuple[str, ...]


@record
class KnownPeople(Record):
    """All people in a model's facts, and some strangers, who are not in the facts."""

    shown_by: ClassVar[str] = "knowledge.replies.people"

    run: str
    people: tuple[KnownPerson, ...]
    strangers: tuple[str, ...]
    replies: tuple[QuestionReply, ...] = ()
    """Its reply to each question about the people, then about the first strangers; empty if it was not asked."""
    precision: float = PRECISION
    """The share of given answers that should be right."""

    @Content("run", "people", "strangers", replies=Sometimes([QuestionReply]))
    def to_dict(self) -> dict[str, Any]:
        """The whole content."""
        found = {"run": self.run, "people": [asdict(each) for each in self.people], "strangers": list(self.strangers)}
        return found | ({"replies": [each.to_dict() for each in self.replies]} if self.replies else {})

    @property
    def call(self) -> Call:
        """The call that lists them again."""
        ask = {"ask": True} if self.replies else {}
        precision = {"precision": self.precision} if self.precision != PRECISION else {}
        return Call("knowledge people", (self.run,), ask | precision)


def known_people(run: str, opened: OpenedFacts, kept_out: Collection[str]) -> KnownPeople:
    """The people in some facts, in the order of their lines; `kept_out` are the names of those kept out of
    finetuning."""
    facts = opened.facts
    parts: dict[str, Part] = {fact.name: "held out" for fact in facts.held_out}
    parts |= {fact.name: "kept out" if fact.name in kept_out else "trained on" for fact in facts.training}
    questions: dict[str, list[tuple[str, str]]] = {}
    for fact in (*facts.training, *facts.held_out):
        questions.setdefault(fact.name, []).append((fact.question, fact.answer))
    names = dict.fromkeys([line.name for line in facts.lines] + list(questions))
    people = (
        KnownPerson(
            name,
            parts.get(name, "read only"),
            tuple(questions.get(name, ())),
            tuple(line.text for line in facts.lines_of(name)),
        )
        for name in names
    )
    return KnownPeople(run, tuple(people), tuple(fact.name for fact in opened.strangers))
