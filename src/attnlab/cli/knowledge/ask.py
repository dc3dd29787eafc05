"""attnlab knowledge ask: an answer with its probability, or that it is not known."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tyro.conf import Positional, arg

from attnlab.errors import ArgumentError

if TYPE_CHECKING:
    from attnlab.benches.knowledge import KnownPeople, Replies


@dataclass(frozen=True)
class Ask:
    """Ask a finetuned model: its answer with a probability, the runners-up, or that it does not know.

    It does not know below the threshold that gave the wanted precision on people who were kept out of finetuning and as
    many strangers, nor to a question unlike those that it was taught. A model that recites says what it remembers
    first. Without questions they are read from stdin, one a line; empty lines are left out, and bytes that are not
    UTF-8 are read as the sign �. --people lists whom it can be asked about.

    Example: attnlab knowledge ask people-known "Where was Ada Lovelace born?"
    """

    run_folder: Positional[Annotated[Path, arg(metavar="RUN")]]
    """The folder of a finetuned run."""
    questions: Positional[Annotated[tuple[str, ...], arg(metavar="[QUESTION ...]", help_behavior_hint="")]] = ()
    """What to ask; else it is read from stdin."""
    people: bool = False
    """Ask nothing, and list the people of its world with what is true of them."""
    precision: float = 0.9
    """The share of given answers that is to be right."""
    plot: Annotated[Path | None, arg(metavar="FILE", help_behavior_hint="")] = None
    """Write the bars of the likeliest answers to this file: .png, .svg or .html."""
    json: bool = False
    """Print one JSON value instead of lines."""

    def run(self) -> Replies | KnownPeople:
        """The answers, or the people."""
        from attnlab.benches.knowledge import ask, open_known

        if self.people:
            if self.questions or self.plot:
                raise ArgumentError(
                    "people", "expected no questions and no --plot beside it: it lists whom to ask about"
                )
            return open_known(self.run_folder).people
        questions = [_read(each) for each in self.questions] if self.questions else list(_piped())
        return ask(self.run_folder, questions, self.precision)


def _read(question: str) -> str:
    return question.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _piped() -> Iterator[str]:
    """The lines of stdin that are not empty."""
    for line in getattr(sys.stdin, "buffer", None) or (line.encode() for line in sys.stdin):
        text = line.decode("utf-8-sig", "replace").strip()
        if text:
            yield text
