"""The table of several variants: means with intervals over seeds, and the bars of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING, Any

from rich.table import Table

from attnlab.claims.intervals import mean_and_half_width
from attnlab.claims.records import Bar
from attnlab.cli.outcome import Outcome

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
        "confident_wrong": _mean([each["confidence"]["confident_wrong"] for each in found]),
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
        shares = (f"{100 * row[name]:.1f} %" if row[name] is not None else "–" for name in SHARES)
        table.add_row(row["variant"], row["mixer"], f"{row['parameters']:,}", _accuracy(row), *shares)
    seeds, over = len(value["seeds"]), "of the questions"
    if seeds > 1:
        over = f"of the questions, or of the mean over {seeds} seeds where that goes beyond"
    shown: list[Any] = [
        table,
        f"always the commonest  {100 * value['baseline']:.1f} % ({value['commonest']})",
        f"ceiling               {100 * value['ceiling']:.1f} % of {value['questions']:,} held-out questions have the "
        "answer on a line",
        f"in brackets the 95 % interval {over}; given: answers at {value['precision']:.0%} precision, by people kept "
        "out of finetuning and strangers; made up: other strangers who get one, where any answer is given",
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
    return f"{100 * row['accuracy']:.1f} % ({100 * low:.0f}–{100 * high:.0f})"


def _intervals(found: Sequence[dict[str, Any]]) -> list[list[float]]:
    return [each["accuracy"]["interval"] for each in found]


def _mean(shares: Sequence[dict[str, Any] | None]) -> float | None:
    found = [share["value"] for share in shares if share is not None]
    return mean(found) if found else None
