"""attnlab knowledge evaluate: how much a model knows, memorised and makes up."""

from typing import ClassVar

from attnlab.cli.command import OutFile, RunFolder, WithSettings, command
from attnlab.observers import TerminalObserver
from attnlab.records import Record


@command
class Evaluate(WithSettings):
    """Accuracy, calibration, coverage and made-up answers of a finetuned model on the held-out facts.

    People who were kept out of finetuning picked the temperature; together with as many strangers, people who are on no
    line, they picked the threshold. A fact is memorised if the model completed the person's line with it before
    finetuning. A fact is extracted if the model gives it as the answer to a question.

    Example: attnlab knowledge evaluate people-known
    """

    plain_class: ClassVar[str] = "evaluation.settings:EvaluationSettings"

    run_folder: RunFolder
    """The folder of a finetuned run."""
    html: OutFile = None
    """Write a page with all numbers and charts to this .html file."""
    plot: OutFile = None
    """Write the charts to this file: .png, .svg or .html."""

    def run(self) -> Record:
        """The numbers."""
        from attnlab.benches.knowledge import evaluate

        return evaluate(self.run_folder, self.settings(), TerminalObserver())
