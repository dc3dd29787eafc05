"""The table of several variants: means with intervals over seeds, and the bars of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING, Any

from rich.table import Table

from attnlab.claims.claim import Bar
from attnlab.cli.outcome import Outcome
from attnlab.numbers import percent, percent_as_typed
from attnlab.statistics import mean_and_half_width

if TYPE_CHECKING:
    from attnlab.cli.knowledge_table import Trial

COLUMNS = ("variant", "mixer", "parameters", "right", "memorised", "given", "made up")
SHARES = ("memorised", "coverage", "confident_wrong")
"""What the shares among the columns are called in JSON."""


def row_of(trial: Trial, found: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """What a trial came to over its seeds. The interval is that of the questions, by the mean of its ends, and that
    over the seeds where it goes beyond: seeds that agree are sure of these questions, not of others."""
    accuracies = [each["accuracy"]["value"] for each in found]
    value, (low, high) = mean(accuracies), (mean(ends) for ends in zip(*_intervals(found), strict=True))
    if len(found) > 1:
        _, half = mean_and_half_width(accuracies)
        low, high = max(0.0, min(low, value - half)), min(1.0, max(high, value + half))
    return {
        "variant": trial.name,
        "recipe": trial.recipe_name,
        "mixer": trial.mixer,
        "parameters": found[0]["parameters"],
        "accuracy": value,
        "interval": [low, high],
        "memorised": mean(each["extraction"]["memorised"]["value"] for each in found),
        "coverage": mean(each["confidence"]["given"]["coverage"]["value"] for each in found),
        "confident_wrong": _made_up(found),
        "calibration_error": mean(each["calibration"]["error"] for each in found),
        "seconds": round(sum(each["seconds"] for each in found), 3),
        "runs": list(found),
    }


def in_short(row: dict[str, Any]) -> str:
    """A row as soon as it is known."""
    return f"{row['variant']}, {row['mixer']}: {_accuracy(row)} in {row['seconds']:.0f} seconds"


def tell_trials(value: dict[str, Any], html: Path | None, plot: Path | None) -> Outcome:
    """The table, and the bars in files."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for place, name in enumerate(COLUMNS):
        table.add_column(name, justify="right" if place > 1 else "left", no_wrap=place > 1)
    for row in value["variants"]:
        shares = (percent(row[name]) if row[name] is not None else "–" for name in SHARES)
        table.add_row(row["variant"], row["mixer"], f"{row['parameters']:,}", _accuracy(row), *shares)
    seeds, over = len(value["seeds"]), "of the questions"
    if seeds > 1:
        over = f"of the questions, or of the mean over {seeds} seeds where that goes beyond"
    shown: list[Any] = [
        table,
        f"always the commonest  {percent(value['baseline'])} ({value['commonest']})",
        f"ceiling               {percent(value['ceiling'])} of {value['questions']:,} held-out questions have the "
        "answer on a line",
        f"in brackets the 95 % interval {over}; given: answers at {percent_as_typed(value['precision'])} precision, by "
        "people kept out of finetuning and strangers, none where no threshold reaches that; made up: other strangers "
        "who get one (–: there are no strangers)",
        *dict.fromkeys(said for row in value["variants"] for each in row["runs"] for said in each["asides"]),
        f"the runs are in {value['runs']}",
    ]
    for path in filter(None, (html, plot)):
        _draw(value, path)
        shown.append(f"the bars are in {path}")
    return Outcome(value, shown)


def _draw(value: dict[str, Any], path: Path) -> None:
    from attnlab.report.knowledge import Variants, save_variants

    several = len({row["mixer"] for row in value["variants"]}) > 1
    bars = tuple(
        Bar(f"{row['variant']}, {row['mixer']}" if several else row["variant"], row["accuracy"], *row["interval"])
        for row in value["variants"]
    )
    marks = {"always the commonest": value["baseline"], "ceiling": value["ceiling"]}
    save_variants(f"What is known of {value['facts']['name']}", Variants(bars, marks), path)


def _accuracy(row: dict[str, Any]) -> str:
    low, high = row["interval"]
    return f"{percent(row['accuracy'])} ({100 * low:.0f}–{100 * high:.0f})"


def _intervals(found: Sequence[dict[str, Any]]) -> list[list[float]]:
    return [each["accuracy"]["interval"] for each in found]


def _made_up(found: Sequence[dict[str, Any]]) -> float | None:
    """The mean share of strangers who are given an answer; none where there are no strangers."""
    shares = [each["confidence"]["confident_wrong"] for each in found]
    return mean(share["value"] for share in shares) if all(shares) else None
