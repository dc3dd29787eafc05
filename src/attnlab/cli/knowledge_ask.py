"""attnlab knowledge ask: an answer with its probability, or that it is not known."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from tyro.conf import Positional, arg

from attnlab.cli.outcome import Outcome
from attnlab.errors import ArgumentError
from attnlab.report.lines import on_one_line

if TYPE_CHECKING:
    from attnlab.evaluation.knowledge.asking import Knower
    from attnlab.evaluation.knowledge.choosing import Choice
    from attnlab.runs.knowledge import TaughtRun

NOT_KNOWN = "I do not know"
RUNNERS_UP = 3


@dataclass(frozen=True)
class KnowledgeAsk:
    """Ask a finetuned model: its answer with a probability, the runners-up, or that it does not know.

    It does not know below the threshold that gave the wanted precision on people who were kept out of finetuning and as
    many strangers, nor to a question unlike those that it was taught. A model that recites says what it remembers
    first. Without questions they are read from stdin, one a line; empty lines are left out, and bytes that are not
    UTF-8 are read as the sign �.

    Example: attnlab knowledge ask people-known "Where was Ada Lovelace born?"
    """

    run_folder: Positional[Annotated[Path, arg(metavar="RUN")]]
    """The folder of a finetuned run."""
    questions: Positional[Annotated[tuple[str, ...], arg(metavar="[QUESTION ...]", help_behavior_hint="")]] = ()
    """What to ask; else it is read from stdin."""
    precision: float = 0.9
    """The share of given answers that is to be right."""
    json: bool = False
    """Print one JSON value instead of lines."""

    def run(self) -> Outcome:
        """The answers."""
        from attnlab.cli.knowledge_answers import kept_out, knower_of
        from attnlab.evaluation.knowledge.choosing import choose
        from attnlab.report.knowledge_words import told_threshold
        from attnlab.runs.knowledge import load_knowledge

        if not 0 < self.precision <= 1:
            raise ArgumentError("precision", f"expected a number above 0 and at most 1, got {self.precision}")
        questions = [_read(each) for each in self.questions] if self.questions else list(_piped())
        if not all(questions) or not questions:
            raise ArgumentError("QUESTION", f"expected a question, got {'an empty one' if questions else 'none'}")
        found = load_knowledge(self.run_folder, "finetune")
        choice, knower = choose(kept_out(found), self.precision), knower_of(found)
        replies = [_reply(each, found, knower, choice) for each in questions]
        threshold = choice.threshold.as_json()
        value = {
            "run": str(self.run_folder),
            "precision": self.precision,
            "threshold": threshold["probability"],
            "temperature": choice.temperature,
            "chosen_on": threshold["chosen_on"],
            "replies": replies,
        }
        shown = [line for reply in replies for line in _lines(reply, alone=len(replies) == 1)]
        if threshold["probability"] is None:
            shown.append(f"{told_threshold(threshold)}, so nothing is answered")
        return Outcome(value, shown)


def _read(question: str) -> str:
    return question.encode("utf-8", "surrogateescape").decode("utf-8", "replace").strip()


def _piped() -> Iterator[str]:
    """The lines of stdin that are not empty."""
    for line in getattr(sys.stdin, "buffer", None) or (line.encode() for line in sys.stdin):
        text = line.decode("utf-8-sig", "replace").strip()
        if text:
            yield text


def _reply(question: str, run: TaughtRun, knower: Knower, choice: Choice) -> dict[str, Any]:
    """What is said to a question."""
    from attnlab.evaluation.knowledge.answers import Answer
    from attnlab.evaluation.knowledge.asking import UNSAID
    from attnlab.evaluation.knowledge.coverage import at
    from attnlab.evaluation.knowledge.temperature import at_temperature

    nothing = {"answer": None, "likeliest": None, "probability": None, "runners_up": [], "recital": ""}
    refused = _refused(question, run, knower)
    if refused:
        return {"question": question, **nothing, "note": refused}
    (reply,) = knower.ask([question])
    if reply.answers == UNSAID:
        unsaid = {"recital": reply.recital.strip(), "note": "what it writes does not come to an end"}
        return {"question": question, **nothing, **unsaid}
    raw = Answer("", question, "", *reply.answers[0], reply.answers[1:])
    (answer,) = at_temperature([raw], choice.temperature)
    given = at(choice.threshold, [answer]).answered
    return {
        "question": question,
        "answer": answer.answer if given else None,
        "likeliest": answer.answer,
        "probability": answer.probability,
        "runners_up": [list(each) for each in answer.runners_up[:RUNNERS_UP]],
        "recital": reply.recital.strip(),
        "note": _unknown(question, run),
    }


def _refused(question: str, run: TaughtRun, knower: Knower) -> str:
    """Why a question is not put to the model, if it is not: it would be answered, but nothing is known of how well."""
    from attnlab.data.facts.questions import MARK

    if not run.shapes:
        return "it was taught names alone, and no question can be told from a name"
    if MARK in question or not any(_fits(question, before, after) for before, after in run.shapes):
        before, after = run.shapes[0]
        return f"it was taught questions such as {before}…{after}"
    if not knower.fits(question):
        return f"it answers questions of at most {run.longest_question} tokens, and this has more"
    return ""


def _fits(question: str, before: str, after: str) -> bool:
    """Whether a question has such a shape around something that may be a name: no more of the question's words."""
    name = question[len(before) : len(question) - len(after)].strip()
    again = (before.strip() and f" {before}" in f" {name} ") or (after.strip() and after in name)
    return question.startswith(before) and question.endswith(after) and bool(name) and not again


def _unknown(question: str, run: TaughtRun) -> str:
    """That some of a question is not among the tokens, so that the model does not see it."""
    if run.tokenizer.kind not in ("characters", "words"):
        return ""
    count = int((run.tokenizer.encode(question).ids == 0).sum())
    return f"{count} of its {run.tokenizer.kind} it has never seen" if count else ""


def _lines(reply: dict[str, Any], *, alone: bool) -> Sequence[str]:
    said = [] if alone else [on_one_line(reply["question"])]
    note = f"  note: {reply['note']}" if reply["note"] else ""
    if reply["likeliest"] is None:
        return [*said, f"{NOT_KNOWN}: {reply['note']}"]
    sure = f"{reply['likeliest'] or '(nothing)'} ({reply['probability']:.3f})"
    others = ", ".join(f"{text or '(nothing)'} ({probability:.3f})" for text, probability in reply["runners_up"])
    said.append(sure if reply["answer"] is not None else f"{NOT_KNOWN}; the likeliest would be {sure}")
    said += [f"  then: {others}"] if others else []
    said += [f"  from memory: {on_one_line(reply['recital'])}"] if reply["recital"] else []
    return [*said, *filter(None, [note])]
