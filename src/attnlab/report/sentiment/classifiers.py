"""How results of text classifiers are shown: training, evaluation, predictions and explanations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from statistics import mean
from typing import TYPE_CHECKING

from attnlab.data.labelled.tables import NAMED
from attnlab.numbers import percent, percents
from attnlab.report.blocks import Block, Drawing, Presentation, borderless
from attnlab.report.sentiment.reasons import error_blocks, reasons_blocks, reasons_page
from attnlab.report.writing.estimates import NONE
from attnlab.report.writing.lines import on_one_line, printable

if TYPE_CHECKING:
    from attnlab.benches.sentiment import (
        EvaluatedClassifier,
        Explained,
        ExplainedErrors,
        Predictions,
        TrainedClassifiers,
    )
    from attnlab.data.labelled.tables import Skipped

NAMED_CLASSES = 10
TRAINED_ON = (
    "the classifier was trained on these texts: the numbers tell how well it learnt them, not how it does on new texts"
)

UNKNOWN_SEEN = (
    "unknown: how many of these texts the classifier has seen in training; the run is of a version that kept no hashes"
)


def trained_classifiers(found: TrainedClassifiers) -> Presentation:
    """The number of texts, the best epoch of each seed, and the mean over seeds."""
    names = ", ".join(map(on_one_line, found.classes[:NAMED_CLASSES]))
    more = ", …" if len(found.classes) > NAMED_CLASSES else ""
    counts = f"{found.texts:,} texts to train on, {found.validation_texts:,} held out"
    rows = [
        (
            run.path,
            len(run.epochs),
            run.best.epoch,
            NONE if run.best.validation_accuracy is None else percent(run.best.validation_accuracy, decimals=2),
            _shown(run.best.validation_nats, ".4f"),
            f"{run.epochs[-1].seconds:.1f}",
        )
        for run in found.runs
    ]
    blocks: list[Block] = [
        f"{counts}; {len(found.classes)} classes: {names}{more}",
        *_skipped(found.skipped),
        borderless(("run", "epochs", "best", "validation accuracy", "nats", "seconds"), rows),
    ]
    right = found.accuracies
    if found.deviation is not None:
        told = percent(mean(right), decimals=2), percent(found.deviation, decimals=2)
        blocks.append(f"mean of {len(right)} seeds: {told[0]}, standard deviation {told[1]}")
    path = on_one_line(str(found.runs[0].path))
    blocks.append(f"ask it why: attnlab classify explain {path} --text TEXT")
    epochs = [{"run": str(run.path), **asdict(each)} for run in found.runs for each in run.epochs]
    return Presentation(blocks, lambda: _learning(found), rows=epochs)


def evaluated(found: EvaluatedClassifier) -> Presentation:
    """The scores over all texts and for each class, the confusion matrix, and the reliability table."""
    scores = found.scores
    interval = percents(scores.accuracy.low, scores.accuracy.high, decimals=2)
    accuracy, unread, texts = scores.accuracy, found.without_known_words, f"{scores.examples:,} texts"
    blocks: list[Block] = [
        *_skipped(found.skipped),
        *_seen_in_training(found),
        f"accuracy           {percent(accuracy.value, decimals=2)} of {texts}, 95 % interval {interval} %",
        f"macro F1           {scores.macro_f1:.4f}",
        f"calibration error  {scores.calibration_error:.4f}",
        f"nats               {scores.nats:.4f}",
        *([f"no known word      in {unread:,} of {texts}"] if unread else []),
        borderless(
            ("class", "precision", "recall", "F1", "texts"),
            [
                (each.name, *(f"{x:.4f}" for x in (each.precision, each.recall, each.f1)), f"{each.examples:,}")
                for each in scores.classes
            ],
        ),
        borderless(
            ("true \\ predicted", *(on_one_line(each.name) for each in scores.classes)),
            [
                (each.name, *(f"{count:,}" for count in row))
                for each, row in zip(scores.classes, scores.confusion, strict=True)
            ],
        ),
        borderless(
            ("probability", "texts", "mean probability", "accuracy"),
            [
                (f"{x.low:.2f} to {x.high:.2f}", f"{x.examples:,}", f"{x.confidence:.4f}", f"{x.accuracy:.4f}")
                for x in scores.reliability
            ],
        ),
    ]

    def draw() -> Drawing:
        from attnlab.report.sentiment.charts import draw_evaluated

        return draw_evaluated(found)

    return Presentation(blocks, draw, rows=[asdict(each) for each in scores.classes])


def _seen_in_training(found: EvaluatedClassifier) -> list[Block]:
    if found.trained_on_them:
        return [TRAINED_ON]
    if found.seen_in_training is None:
        return [UNKNOWN_SEEN]
    seen, texts = found.seen_in_training, found.scores.examples
    if not seen:
        return []
    return [
        f"{seen:,} of the {texts:,} texts were seen in training (the validation split included): "
        "for these, the numbers tell how well the classifier learnt them, not how it does on new texts"
    ]


def predictions(found: Predictions) -> Presentation:
    """The class of each text, with its probability."""
    rows = [
        (each.line, each.label, f"{each.probability:.4f}", printable(each.text), each.note)
        for each in found.predictions
    ]
    table = borderless(("line", "class", "probability", "text", ""), rows, words=5)
    values = [each.to_dict() | each.probabilities | {"text": each.text} for each in found.predictions]
    for each in values:
        del each["probabilities"]
    return Presentation([table], rows=values)


def explained(found: Explained) -> Presentation:
    """The predicted class, the text with its colours, the strongest words, and the kinds of an error."""
    reasons = found.reasons
    blocks = error_blocks(found.misread) if found.misread else reasons_blocks(reasons)
    pushes = zip(reasons.words, reasons.removal.tolist(), reasons.gradients.tolist(), strict=True)

    def draw() -> Drawing:
        from attnlab.report.sentiment.charts import draw_words

        return draw_words(found)

    def page() -> str:
        return reasons_page(f"Why {found.run} says so", [(reasons, found.misread)])

    rows = [asdict(word) | {"removal": off, "gradients": along} for word, off, along in pushes]
    return Presentation(blocks, draw, page, rows)


def explained_errors(found: ExplainedErrors) -> Presentation:
    """The most confident errors, each with its kinds, and how often each kind occurs."""
    counts, shown = found.counts, found.errors[: found.shown]
    errors = "1 error" if counts.errors == 1 else f"{counts.errors:,} errors"
    blocks: list[Block] = [*_skipped(found.skipped)]
    for each in shown:
        blocks += [*error_blocks(each), ""]
    blocks.append(f"{errors} in {counts.texts:,} texts")
    if counts.errors:
        rows = [
            (kind, f"{first:,}", percent(first / counts.errors), f"{held:,}", percent(held / counts.errors))
            for kind, first, held in counts.rows
        ]
        blocks.append(borderless(("kind", "first", "share", "in all", "share"), rows))

    def draw() -> Drawing:
        from attnlab.report.sentiment.charts import draw_kinds

        return draw_kinds(found)

    def page() -> str:
        texts = [(each.reasons, each) for each in shown]
        return reasons_page(f"Why {found.run} misreads {found.data}", texts, draw(), _skipped(found.skipped))

    rows = [{"kind": kind, "first": first, "in_all": held} for kind, first, held in counts.rows]
    return Presentation(blocks, draw, page, rows)


def _learning(found: TrainedClassifiers) -> Drawing:
    """The validation accuracy of each seed after each epoch; without a validation split, the training loss."""
    from attnlab.charts import Lines, Series
    from attnlab.report.charts.figures import draw_lines

    held = bool(found.accuracies)
    series = []
    for run in found.runs:
        heights = [each.validation_accuracy if held else each.loss for each in run.epochs]
        points = [(float(number), y) for number, y in enumerate(heights, start=1) if y is not None]
        name = on_one_line(run.path.name)
        series.append(Series(name, tuple(x for x, _ in points), tuple(y for _, y in points)))
    y_title = "validation accuracy" if held else "training loss, in nats"
    ends = "; ".join(f"{each.name} ends at {each.y[-1]:.4g} after {each.x[-1]:.0f} epochs" for each in series)
    chart = Lines("Learning curves", "epoch", y_title, tuple(series), f"{y_title}, by epoch: {ends}.")
    return Drawing(draw_lines(chart), chart.title, chart.description)


def _skipped(skipped: Sequence[Skipped]) -> list[str]:
    """How many rows could not be used, and the first few of them."""
    if not skipped:
        return []
    count = "1 row" if len(skipped) == 1 else f"{len(skipped):,} rows"
    named = [f"  {on_one_line(str(each))}" for each in skipped[:NAMED]]
    more = [f"  and {len(skipped) - NAMED:,} more"] if len(skipped) > NAMED else []
    return [f"skipped {count} that cannot be used:", *named, *more]


def _shown(value: float | None, style: str) -> str:
    return NONE if value is None else format(value, style)
