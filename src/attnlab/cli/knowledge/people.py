"""attnlab knowledge people: whom a finetuned model can be asked about."""

from attnlab.cli.command import Command, OutFile, RunFolder, command
from attnlab.observers import TerminalObserver
from attnlab.records import Record


@command
class People(Command):
    """List the people whom a model can be asked about: each question with its true answer, and strangers.

    Strangers are people of whom the model was never told. With --ask, the model answers every question: the table then
    shows the question, the true answer, the model's answer and the line that it recited.

    Example: attnlab knowledge people people-known --ask
    """

    run_folder: RunFolder
    """The folder of a finetuned run."""
    ask: bool = False
    """Ask the model every question, and some about strangers."""
    precision: float = 0.9
    """With --ask: the share of given answers that should be right."""
    html: OutFile = None
    """Write the table to this file, as a page that opens offline."""

    def run(self) -> Record:
        """The people, with the model's replies if it is asked."""
        from attnlab.benches.knowledge import open_known

        model = open_known(self.run_folder)
        return model.ask_people(self.precision, TerminalObserver()) if self.ask else model.people
