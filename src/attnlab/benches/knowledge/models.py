"""An opened finetuned model: put questions to it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from attnlab.arguments import checked
from attnlab.benches.knowledge.answers import AT_ONCE, example_question, read_kept_out
from attnlab.benches.knowledge.people import KnownPeople, QuestionReply, known_people
from attnlab.calls import Call
from attnlab.contents import Content
from attnlab.data.facts.facts import MARK
from attnlab.data.facts.sources import OpenedFacts
from attnlab.errors import ArgumentError
from attnlab.evaluation.knowledge.answers import ModelAnswer
from attnlab.evaluation.knowledge.asking import UNSAID, Knower, Reply
from attnlab.evaluation.knowledge.choosing import ChosenThreshold, choose, reached_precision
from attnlab.evaluation.knowledge.coverage import CHOSEN_ON, at
from attnlab.evaluation.knowledge.temperature import at_temperature
from attnlab.evaluation.settings import PRECISION, EvaluationSettings, check_precision
from attnlab.progress import SILENT, Observer
from attnlab.records import Record, Shown, record
from attnlab.runs.knowledge import TaughtRun, load_knowledge
from attnlab.training.facts.lessons import Lesson

if TYPE_CHECKING:
    from attnlab.benches.knowledge.evaluating import EvaluatedKnowledge
    from attnlab.benches.knowledge.thresholds import Thresholds

RUNNERS_UP = 3
STRANGERS = 20
"""How many strangers `ask_people` asks about."""


@record
class Replies(Record):
    """The replies of a model to questions, with a threshold for the wanted precision."""

    shown_by: ClassVar[str] = "knowledge.replies.replies"

    run: str
    choice: ChosenThreshold
    """The temperature of its probabilities, and the threshold: below it, the model says that it does not know."""
    replies: tuple[QuestionReply, ...]
    reached: float | None
    """The precision to ask at if no threshold reaches the wanted one: the default, or the highest below it that a
    threshold reaches. None if there is none."""

    @Content(
        "run",
        "choice.threshold.precision",
        "reached",
        "choice.temperature",
        threshold=float | None,
        chosen_on=CHOSEN_ON,
        replies=[QuestionReply],
    )
    def to_dict(self) -> dict[str, Any]:
        """The replies, and how the threshold was chosen."""
        threshold = self.choice.threshold.as_json()
        return {
            "run": self.run,
            "precision": self.choice.threshold.precision,
            "reached": self.reached,
            "threshold": threshold["probability"],
            "temperature": self.choice.temperature,
            "chosen_on": threshold["chosen_on"],
            "replies": [each.to_dict() for each in self.replies],
        }

    @property
    def call(self) -> Call:
        """The call that asks the questions again."""
        precision = self.choice.threshold.precision
        options = {"precision": precision} if precision != PRECISION else {}
        return Call("knowledge ask", (self.run, *(each.question for each in self.replies)), options)


@dataclass(frozen=True)
class KnownModel(Shown):
    """A finetuned model: `ask` puts questions to it, `evaluate` measures its answers, `people` lists the people of its
    world."""

    shown_by: ClassVar[str] = "opened.known_model"

    name: str
    taught: TaughtRun
    knower: Knower
    kept_out: tuple[ModelAnswer, ...]
    """Its answers about people who were kept out of finetuning, and about as many strangers."""

    def __repr__(self) -> str:
        """Its name, and where its facts are from."""
        return f"KnownModel({self.name}: {self.taught.config.facts.name})"

    @cached_property
    def facts(self) -> OpenedFacts:
        """The facts that it was trained on."""
        return self.taught.open_facts()

    @property
    def people(self) -> KnownPeople:
        """The people of its world, with the true answers."""
        return known_people(self.name, self.facts, {each.name for each in self.kept_out})

    @property
    def example(self) -> str:
        """A question that it answers correctly at the precision `reached`, if there is one among those about people
        kept out of finetuning."""
        return example_question(self.kept_out, self.facts.facts)

    @cached_property
    def reached(self) -> float | None:
        """The default precision if a threshold reaches it; else the highest one below that a threshold reaches. None if
        it answers no question."""
        return reached_precision(self.kept_out)

    @checked
    def ask_people(self, precision: float = PRECISION, observer: Observer = SILENT) -> KnownPeople:
        """The people of its world, with the true answers and its own replies; and its replies about some strangers."""
        check_precision(precision)
        found = self.people
        questions = [question for each in found.people for question, _ in each.questions]
        questions += [fact.question for fact in self.facts.strangers[:STRANGERS]]
        replies = self._replies(questions, choose(self.kept_out, precision), observer)
        return replace(found, replies=tuple(replies), precision=precision)

    @checked
    def ask(self, *questions: str, precision: float = PRECISION) -> Replies:
        """Its answers, with probabilities. Below a threshold it says that it does not know. The threshold gave the
        wanted precision on people who were kept out of finetuning, and on strangers."""
        check_precision(precision)
        if not questions or not all(map(str.strip, questions)):
            got = "an empty one" if questions else "no question"
            raise ArgumentError("QUESTION", f"expected a question, got {got}")
        choice = choose(self.kept_out, precision)
        replies = self._replies([each.strip() for each in questions], choice)
        return Replies(self.name, choice, tuple(replies), self.reached)

    @checked
    def evaluate(
        self, precision: float = PRECISION, seed: int = 0, observer: Observer = SILENT
    ) -> "EvaluatedKnowledge":
        """Measure its answers about the held-out facts. `seed` is for the shuffles that measure chance alone."""
        from attnlab.benches.knowledge.evaluating import evaluate

        return evaluate(self, EvaluationSettings(precision, seed), observer)

    @checked
    def thresholds(self, observer: Observer = SILENT) -> "Thresholds":
        """What it answers at several thresholds, one for each wanted precision from 50 to 100 %."""
        from attnlab.benches.knowledge.thresholds import thresholds

        return thresholds(self, observer)

    def _replies(
        self, questions: Sequence[str], choice: ChosenThreshold, observer: Observer = SILENT
    ) -> list[QuestionReply]:
        """Its replies, asked in batches."""
        problems = {each: self._problem(each) for each in questions}
        asked = [each for each, problem in problems.items() if not problem]
        found: dict[str, Reply] = {}
        with observer.task("asking", len(asked)) as task:
            for first in range(0, len(asked), AT_ONCE):
                some = asked[first : first + AT_ONCE]
                found |= zip(some, self.knower.ask(some), strict=True)
                task.advance(len(some))
        return [
            self._read(each, found[each], choice) if each in found else QuestionReply(each, note=problems[each])
            for each in questions
        ]

    def _read(self, question: str, reply: Reply, choice: ChosenThreshold) -> QuestionReply:
        """The reply to a question at the model's temperature and threshold."""
        recital = reply.recital.strip()
        if reply.answers == UNSAID:
            return QuestionReply(question, recital=recital, note="its answer does not end")
        raw = ModelAnswer("", question, "", *reply.answers[0], reply.answers[1:])
        (answer,) = at_temperature([raw], choice.temperature)
        given = at(choice.threshold, [answer]).answered
        return QuestionReply(
            question,
            answer.answer if given else None,
            answer.answer,
            answer.probability,
            answer.runners_up[:RUNNERS_UP],
            recital,
            self._unknown(question),
        )

    def _problem(self, question: str) -> str:
        """Why a question is not put to the model: its answer could not be trusted, because the question is unlike those
        that the model was taught. Empty if there is no problem."""
        shapes = self.taught.config.shapes
        if not shapes:
            return "the model was taught only names as questions, so it cannot tell a question from a name"
        if MARK in question or not any(_fits(question, before, after) for before, after in shapes):
            before, after = shapes[0]
            return f"the model was taught questions such as {before}…{after}"
        if not self.knower.fits(question):
            longest = self.taught.config.longest_question
            return f"the model answers questions of at most {longest} tokens; this question has more"
        return ""

    def _unknown(self, question: str) -> str:
        """A note on the part of a question that is not in the vocabulary: the model cannot read it."""
        tokenizer = self.taught.tokenizer
        if tokenizer.kind not in ("characters", "words"):
            return ""
        count = int((tokenizer.encode(question).ids == 0).sum())
        return f"unknown to the model: {count} of the question's {tokenizer.kind}" if count else ""


def open_known(path: Path | str, device: str = "cpu") -> KnownModel:
    """The model in the folder of a finetuned run."""
    taught = load_knowledge(path, "finetune")
    lesson: Lesson = taught.run.settings(Lesson, "lesson")
    longest = taught.config.longest_question
    knower = Knower(taught.model.to(device), taught.tokenizer, lesson.recites, longest)
    return KnownModel(str(path), taught, knower, read_kept_out(taught.run))


def ask(run: Path | str | KnownModel, questions: Sequence[str], precision: float = PRECISION) -> Replies:
    """The answers of a finetuned model to questions."""
    check_precision(precision)
    model = run if isinstance(run, KnownModel) else open_known(run)
    return model.ask(*questions, precision=precision)


def _fits(question: str, before: str, after: str) -> bool:
    """Whether a question has this shape around something that may be a name, without the words of the shape in it."""
    name = question[len(before) : len(question) - len(after)].strip()
    again = (before.strip() and f" {before}" in f" {name} ") or (after.strip() and after in name)
    return question.startswith(before) and question.endswith(after) and bool(name) and not again
