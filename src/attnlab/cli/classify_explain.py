"""attnlab classify explain: why a classifier says what it says, and of which kind its errors are."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from tyro.conf import Positional, arg

from attnlab.cli.outcome import Outcome, track
from attnlab.errors import ArgumentError

if TYPE_CHECKING:
    from attnlab.evaluation.classification.reasons import KindCounts, Misread, Reasons


@dataclass(frozen=True)
class ClassifyExplain:
    """Why a text is given its class: how far each word pushed; of errors, the kind, by experiments on the classifier.

    The kinds: unknown words, negation, order, one loud word, mixed, label doubtful. Each comes with the numbers that
    decided it. Without --text, the surest errors on DATA are explained, and the kinds of all of them counted.

    Example: attnlab classify explain first-classifier --text "not a bad film, but too long"
    """

    run_folder: Positional[Annotated[Path, arg(metavar="RUN")]]
    """The folder of a classifier's run."""
    data: Positional[Annotated[str, arg(metavar="[DATA]", help_behavior_hint="")]] = "reviews"
    """Where errors are looked for: reviews, imdb, a .tsv or .csv file, or a folder with one for each class."""
    text: Annotated[str | None, arg(metavar="TEXT", help_behavior_hint="")] = None
    """The text to explain."""
    label: Annotated[str | None, arg(metavar="CLASS", help_behavior_hint="")] = None
    """With --text, what it is: if something else is said, the kind of that error is looked for."""
    errors: int = 5
    """So many errors are shown, the surest first."""
    part: Literal["test", "train"] = "test"
    """Which half of the data, where there are two."""
    html: Annotated[Path | None, arg(metavar="FILE", help_behavior_hint="")] = None
    """Write a page with the texts shaded to this file; it needs no network."""
    plot: Annotated[Path | None, arg(metavar="FILE", help_behavior_hint="")] = None
    """Write the chart of the kinds of errors to this file: .png, .svg or .html."""
    json: bool = False
    """Print one JSON value instead of a text."""

    def run(self) -> Outcome:
        """Explain, and write what was asked for."""
        self._check()
        return self._one() if self.text is not None else self._errors()

    def _check(self) -> None:
        """Refuse what cannot be written before time is spent on it."""
        if self.errors < 0:
            raise ArgumentError("errors", f"expected at least 0, got {self.errors}")
        if self.label is not None and self.text is None:
            raise ArgumentError("label", "expected --text, whose label it is")
        if self.html is not None and self.html.suffix.lower() != ".html":
            raise ArgumentError("html", f"expected a file that ends in .html, got {str(self.html)!r}")
        if self.plot is not None:
            if self.text is not None:
                raise ArgumentError("plot", "expected DATA, whose errors have kinds, got --text")
            from attnlab.report.charts import check_plot_path

            check_plot_path(self.plot)
        if None not in (self.html, self.plot) and _same(self.html, self.plot):
            raise ArgumentError("plot", f"expected another file than that of --html, got '{self.plot}'")
        for name, path in (("html", self.html), ("plot", self.plot)):
            if path is not None and (_within(path, Path(self.data)) or _within(path, self.run_folder)):
                raise ArgumentError(name, f"expected a file that is no part of the run or the data, got '{path}'")

    def _one(self) -> Outcome:
        from attnlab.cli.reasons import misread_lines, reasons_lines, write_page
        from attnlab.evaluation.classification.error_kinds import explain_error, explain_text
        from attnlab.runs.classifier import load_classifier

        assert self.text is not None
        classifier = load_classifier(self.run_folder)
        if self.label is not None and self.label not in classifier.classes:
            raise ArgumentError("label", f"expected one of {', '.join(classifier.classes)}, got {self.label!r}")
        found: Reasons | Misread = explain_text(classifier, self.text, self.label)
        lines = reasons_lines(found)
        if self.label not in (None, found.said):
            found = explain_error(classifier, self.text, str(self.label))
            lines = misread_lines(found)
        if self.html is not None:
            write_page(self.html, f"Why {self.run_folder} says so", [found])
            lines = [*lines, "", f"the page is in {self.html}"]
        return Outcome({"run": str(self.run_folder), **found.as_json()}, lines)

    def _errors(self) -> Outcome:
        from attnlab.cli.classify_run import skipped_json, skipped_lines
        from attnlab.cli.reasons import kinds_chart, kinds_table, misread_lines, write_page
        from attnlab.data.labelled.loading import load_labelled, with_classes
        from attnlab.evaluation.classification.error_kinds import explain_errors, misread_rows
        from attnlab.evaluation.classification.reasons import KindCounts
        from attnlab.runs.classifier import load_classifier

        classifier = load_classifier(self.run_folder)
        data = with_classes(load_labelled(self.data, self.part), classifier.classes)
        rows = misread_rows(classifier, data)
        found = list(explain_errors(classifier, data, track(rows, "experiments")))
        counts, shown = KindCounts.of(found, len(data)), found[: self.errors]
        name = str(self.run_folder)
        value = {
            "run": name,
            "data": self.data,
            "kinds": counts.as_json(),
            "errors": [each.as_json() for each in shown],
        }
        lines: list[Any] = [*skipped_lines(data.skipped)]
        for each in shown:
            lines += [*misread_lines(each), ""]
        lines += [_counted(counts), *([kinds_table(counts)] if found else [])]
        chart = kinds_chart(counts, name, self.data)
        if self.html is not None:
            write_page(self.html, f"Why {name} misreads {self.data}", shown, chart)
            lines.append(f"the page is in {self.html}")
        if self.plot is not None:
            from attnlab.report.kinds_of_errors import save_kinds

            save_kinds(chart, self.plot)
            lines.append(f"the chart is in {self.plot}")
        return Outcome({**value, **skipped_json(data.skipped)}, lines)


def _counted(counts: KindCounts) -> str:
    errors = "1 error" if counts.errors == 1 else f"{counts.errors:,} errors"
    return f"{errors} in {counts.texts:,} texts"


def _same(one: Path | None, other: Path | None) -> bool:
    return one is not None and other is not None and one.resolve() == other.resolve()


def _within(path: Path, other: Path) -> bool:
    """Whether a path is that of a file, or in a folder."""
    return path.resolve().is_relative_to(other.resolve())
