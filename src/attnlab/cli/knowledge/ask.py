"""attnlab knowledge ask: put questions to a finetuned model."""

import sys
from collections.abc import Iterator
from typing import Annotated

from tyro.conf import Positional

from attnlab.cli.command import Command, OutFile, RunFolder, command, shown
from attnlab.records import Record


@command
class Ask(Command):
    """Ask a finetuned model questions: it gives an answer with a probability, or says that it does not know.

    The model says that it does not know if the probability is below a threshold, or if the question is unlike those
    that it was taught. The threshold gave the wanted precision on people who were kept out of finetuning, and on as
    many strangers. A model that recites first says what it remembers. Without QUESTION, each line of stdin is a
    question; empty lines are skipped, and bytes that are not UTF-8 are read as �.

    attnlab knowledge people RUN lists the people and the questions that work.

    Example: attnlab knowledge ask people-known "Where was Lukas Lanemere born?"
    """

    run_folder: RunFolder
    """The folder of a finetuned run."""
    questions: Positional[Annotated[tuple[str, ...], shown("[QUESTION ...]")]] = ()
    """The questions (default: the lines of stdin)."""
    precision: float = 0.9
    """The share of given answers that should be right."""
    plot: OutFile = None
    """Write a bar chart of the likeliest answers to this file: .png, .svg or .html."""

    def run(self) -> Record:
        """The answers."""
        from attnlab.benches.knowledge import ask

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
