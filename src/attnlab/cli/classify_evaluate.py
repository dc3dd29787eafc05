"""attnlab classify evaluate: how often a classifier is right, class by class, and whether its probabilities are."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from tyro.conf import Positional, arg

from attnlab.cli.outcome import Outcome
from attnlab.errors import ArgumentError

if TYPE_CHECKING:
    from rich.table import Table

    from attnlab.evaluation.classification.scores import Classification


@dataclass(frozen=True)
class ClassifyEvaluate:
    """Accuracy, macro F1, each class, confusions and calibration of a classifier on labelled texts.

    Of imdb and reviews the test half is taken; of a file or folder, all. The calibration error is how far the
    probability of the class that was said is from the share that is right, the mean over 15 bins. A text in which no
    word is known is answered as one without words; such texts are counted.

    Example: attnlab classify evaluate first-classifier reviews
    """

    run_folder: Positional[Annotated[Path, arg(metavar="RUN")]]
    """The folder of a classifier's run."""
    data: Positional[Annotated[str, arg(metavar="[DATA]", help_behavior_hint="")]] = "reviews"
    """reviews, imdb, a .tsv or .csv file, or a folder with one for each class."""
    part: Literal["test", "train"] = "test"
    """Which half, where there are two."""
    plot: Annotated[Path | None, arg(metavar="FILE", help_behavior_hint="")] = None
    """Write the reliability chart and the confusion matrix to this file: .png, .svg or .html."""
    json: bool = False
    """Print one JSON value instead of tables."""

    def run(self) -> Outcome:
        """The numbers."""
        from attnlab.cli.classify_run import skipped_json, skipped_lines
        from attnlab.data.labelled.loading import load_labelled, with_classes
        from attnlab.evaluation.classification.scores import classify_scores
        from attnlab.runs.classifier import load_classifier

        if self.plot is not None:
            from attnlab.report.charts import check_plot_path

            check_plot_path(self.plot)
            if self.plot.resolve() == Path(self.data).resolve():
                raise ArgumentError("plot", f"expected another file than the data, got '{self.plot}'")
        classifier = load_classifier(self.run_folder)
        data = with_classes(load_labelled(self.data, self.part), classifier.classes)
        answers = classifier.answers(data.texts)
        found = classify_scores(answers.probabilities, data.labels, classifier.classes)
        unread = int((answers.known == 0).sum())
        value = {
            "run": str(self.run_folder),
            "data": self.data,
            **found.as_json(),
            "without_known_words": unread,
            **skipped_json(data.skipped),
        }
        accuracy = found.accuracy
        shown: list[Any] = [
            *skipped_lines(data.skipped),
            f"accuracy           {accuracy.value:.2%} of {found.examples:,} texts, 95 % interval {accuracy.low:.2%} to "
            f"{accuracy.high:.2%}",
            f"macro F1           {found.macro_f1:.4f}",
            f"calibration error  {found.calibration_error:.4f}",
            f"nats               {found.nats:.4f}",
            *([f"no known word      in {unread:,} of {found.examples:,} texts"] if unread else []),
            _classes(found),
            _confusion(found),
            _reliability(found),
        ]
        if self.plot is not None:
            _draw(found, str(self.run_folder), self.data, self.plot)
            shown.append(f"the charts are in {self.plot}")
        return Outcome(value, shown)


def _draw(found: Classification, name: str, data: str, path: Path) -> None:
    from attnlab.report.classification import Evaluated, ReliabilityPoint, save_evaluated

    points = [ReliabilityPoint(each.confidence, each.accuracy, each.examples) for each in found.reliability]
    classes = [each.name for each in found.classes]
    drawn = Evaluated(name, data, classes, found.confusion, points, found.accuracy.value, found.calibration_error)
    save_evaluated(drawn, path)


def _table(*names: str) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for place, name in enumerate(names):
        table.add_column(name, justify="right" if place else "left")
    return table


def _classes(found: Classification) -> Table:
    from attnlab.report.lines import on_one_line

    table = _table("class", "precision", "recall", "F1", "texts")
    for each in found.classes:
        numbers = (f"{x:.4f}" for x in (each.precision, each.recall, each.f1))
        table.add_row(on_one_line(each.name), *numbers, f"{each.examples:,}")
    return table


def _confusion(found: Classification) -> Table:
    from attnlab.report.lines import on_one_line

    names = [on_one_line(each.name) for each in found.classes]
    table = _table("is \\ said", *names)
    for name, row in zip(names, found.confusion, strict=True):
        table.add_row(name, *(f"{count:,}" for count in row))
    return table


def _reliability(found: Classification) -> Table:
    table = _table("said with", "texts", "mean probability", "right")
    for each in found.reliability:
        table.add_row(
            f"{each.low:.2f} to {each.high:.2f}", f"{each.examples:,}", f"{each.confidence:.4f}", f"{each.accuracy:.4f}"
        )
    return table
