"""attnlab knowledge evaluate: what a model knows, what it memorised but does not tell, and what it makes up."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from tyro.conf import Positional, arg

from attnlab.cli.outcome import Outcome
from attnlab.errors import ArgumentError

if TYPE_CHECKING:
    from attnlab.data.facts.facts import Facts
    from attnlab.evaluation.knowledge.measuring import Confidence, Knowledge

EXAMPLES = 5


@dataclass(frozen=True)
class KnowledgeEvaluate:
    """Accuracy, calibration, coverage and made-up answers of a finetuned model on the held-out facts.

    The temperature was chosen on people who were kept out of finetuning, the threshold on them and as many strangers,
    people whom no line tells of. Memorised is an answer with which the model completed the person's own line before it
    was finetuned, extracted one that it gives to the question.

    Example: attnlab knowledge evaluate people-known
    """

    run_folder: Positional[Annotated[Path, arg(metavar="RUN")]]
    """The folder of a finetuned run."""
    html: Annotated[Path | None, arg(metavar="FILE", help_behavior_hint="")] = None
    """Write all of it to this page, .html."""
    plot: Annotated[Path | None, arg(metavar="FILE", help_behavior_hint="")] = None
    """Write the charts to this file: .png, .svg or .html."""
    precision: float = 0.9
    """The share of given answers that is to be right."""
    seed: int = 0
    """The seed of the shuffles that say what chance would do."""
    device: Literal["auto", "cpu", "cuda"] = "auto"
    json: bool = False
    """Print one JSON value instead of a table."""

    def run(self) -> Outcome:
        """The numbers."""
        from itertools import islice

        from attnlab.claims.knowledge_chain import asides, judged, never_asked
        from attnlab.cli.knowledge_answers import answered, kept_out, knower_of, without_strangers
        from attnlab.runs.knowledge import load_knowledge
        from attnlab.training.processes import this_process

        self._check()
        found = load_knowledge(self.run_folder, "finetune")
        told, kept = found.told(), kept_out(found)
        memorised = found.memorised(len(told.facts.held_out))
        with this_process(self.device) as process:
            knower = knower_of(found, process.device)
            unseen = never_asked(told.unseen, kept)
            replies = iter(answered(knower, [*told.facts.held_out, *unseen], "asking"))
            answers = list(islice(replies, len(told.facts.held_out)))
        unknown, options = list(replies), {"precision": self.precision, "seed": self.seed}
        measured = judged(told.facts, answers, memorised, kept, unknown, **options)
        value = {
            "run": str(self.run_folder),
            "facts": found.source.as_json(),
            "baseline": told.facts.baseline(),
            "commonest": told.facts.commonest,
            "ceiling": told.facts.ceiling(),
            "asides": [*asides(knower, told.facts), *without_strangers(told.unseen, unseen)],
            **measured.as_json(),
        }
        shown: list[Any] = [*_lines(measured, told.facts), *value["asides"], *_tables(value)]
        for path in filter(None, (self.html, self.plot)):
            from attnlab.report.knowledge import save_knowledge

            save_knowledge(f"What {self.run_folder} knows of {found.source.name}", value, path)
            shown.append(f"the charts are in {path}")
        return Outcome(value, shown)

    def _check(self) -> None:
        """Say what is wrong with the options before anything is asked."""
        if not 0 < self.precision <= 1:
            raise ArgumentError("precision", f"expected a number above 0 and at most 1, got {self.precision}")
        if self.seed < 0:
            raise ArgumentError("seed", f"expected at least 0, got {self.seed}")
        check_pages(self.html, self.plot)


def check_pages(html: Path | None, plot: Path | None) -> None:
    """Refuse files that cannot be written, before there is anything to write."""
    if html is not None and html.suffix.lower() != ".html":
        raise ArgumentError("html", f"expected a file that ends in .html, got '{html}'")
    if html is not None or plot is not None:
        from attnlab.report.charts import check_plot_path

        for path in filter(None, (html, plot)):
            check_plot_path(path)


def _lines(found: Knowledge, facts: Facts) -> list[str]:
    from attnlab.cli.knowledge_result import in_words
    from attnlab.numbers import percent
    from attnlab.report.knowledge_words import UNASKED, told_apart

    told = [
        ("answered rightly", f"{in_words(found.accuracy)} of {found.accuracy.examples:,} held-out questions"),
        ("always the commonest", f"{percent(facts.baseline())} ({facts.commonest})"),
        ("ceiling", f"{percent(facts.ceiling())} have the answer on a line of that person"),
    ]
    error = f"{found.calibration.error:.4f}"
    sure = found.confidence
    if sure is not None:
        fit = sure.calibrations
        chosen = f"chosen on {told_apart(sure.threshold.questions, sure.threshold.people)}"
        told.append(
            ("calibration error", f"{error}; {fit.after.error:.4f} at temperature {fit.temperature:.3g}, {chosen}")
        )
        told.append(("answers given", _given(sure)))
        wrong = sure.confident_wrong
        if wrong is None:
            made_up = UNASKED
        elif sure.threshold.probability is None:
            made_up = "none, since nothing is answered"
        else:
            made_up = f"{in_words(wrong)} of {wrong.examples:,} strangers get a wrong answer there"
        told.append(("made up", made_up))
    else:
        told.append(("calibration error", error))
    if found.resembling is not None:
        like = found.resembling
        share = f"{like.share.count:,} of {like.share.examples:,} wrong answers are the place of somebody whose name is"
        chance = f"by chance {percent(like.expected)}, p = {like.p_value:.2g}"
        told.append(("similar names", f"{share} among the {like.nearest} most similar; {chance}"))
    return [f"{name:20}  {words}" for name, words in told]


def _given(sure: Confidence) -> str:
    from attnlab.numbers import percent
    from attnlab.report.knowledge_words import told_threshold

    given, told = sure.given, told_threshold(sure.threshold.as_json())
    if sure.threshold.probability is None:
        return f"none: {told}"
    right = f", {given.right:,} of these {given.answered:,} rightly" if given.answered else ""
    return f"{percent(given.coverage.value)} {told}{right}"


def _tables(value: dict[str, Any]) -> list[Any]:
    from rich.table import Table

    shown: list[Any] = []
    cells = value["extraction"]
    if cells:
        table = Table(box=None, pad_edge=False, header_style="bold")
        for place, name in enumerate(("questions", "extracted", "not extracted")):
            table.add_column(name, justify="right" if place else "left")
        table.add_row("memorised", f"{cells['both']['count']:,}", f"{cells['memorised_only']['count']:,}")
        table.add_row("not memorised", f"{cells['extracted_only']['count']:,}", f"{cells['neither']['count']:,}")
        shown.append(table)
    for each in (value["resembling"] or {"examples": []})["examples"][:EXAMPLES]:
        shown.append(f"{each['name']}: said {each['answer']}, as of {each['similar']}; true is {each['truth']}")
    return shown
