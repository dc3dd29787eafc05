"""attnlab knowledge thresholds: what a finetuned model answers at several thresholds."""

from attnlab.cli.command import Command, OutFile, RunFolder, command
from attnlab.observers import TerminalObserver
from attnlab.records import Record


@command
class Thresholds(Command):
    """What a finetuned model answers at several thresholds, one for each wanted precision from 50 to 100 %.

    A higher wanted precision gives a higher threshold: fewer answers, of which mostly more are right. The model is
    asked only once. `knowledge evaluate --precision` measures everything at one of these thresholds.

    Example: attnlab knowledge thresholds people-known
    """

    run_folder: RunFolder
    """The folder of a finetuned run."""
    html: OutFile = None
    """Write the table to this file, as a page that opens offline."""

    def run(self) -> Record:
        """The thresholds."""
        from attnlab.benches.knowledge import thresholds

        return thresholds(self.run_folder, TerminalObserver())
