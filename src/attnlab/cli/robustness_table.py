"""The table of `attnlab robustness`: weights and error over scales, one head beside more."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rich.table import Table

from attnlab.cli.averaging import heads_in_words
from attnlab.cli.outcome import track
from attnlab.cli.robustness import SCALES, by_name

if TYPE_CHECKING:
    from attnlab.cli.robustness import Robustness

ROW_SAMPLES = 1 << 15
"""Draws for a row that was not asked for."""


def table(command: Robustness, scale: float) -> Table:
    """Weights and error at the usual scales and, marked, at `scale`; beside them the error of other heads."""
    heads, beside = command.heads, 2 if command.heads == 1 else 1
    many = heads_in_words(max(heads, beside))
    rows = Table()
    for heading in ("C", "E[α_a]", "sd[α_a]", "E[α_b]", "E[other]", "error", "±", heads_in_words(beside)):
        rows.add_column(heading, justify="right")
    rows.add_column(f"one/{many.partition(' ')[0]}", justify="right")
    # Where draws are needed, only the marked row is worth all of them.
    quick = replace(command, samples=min(command.samples, ROW_SAMPLES))
    for each in track(sorted({*SCALES, scale}), "scales"):
        found = (command if each == scale else quick).measure(each, heads)
        other = quick.measure(each, beside)
        if quick.samples < command.samples and not found.method == other.method == "exact":
            rows.caption = f"{quick.samples:,} draws but where marked, and for {heads_in_words(beside)}"
        few, more = (found, other) if heads == 1 else (other, found)
        mean, sd = by_name(found.weight_mean), by_name(found.weight_sd)
        weights = [mean["a"], sd["a"], mean["b"], mean["other"]]
        rows.add_row(
            f"▸ {each:.4g}" if each == scale else f"{each:.4g}",
            *("" if weight is None else f"{weight:.4f}" for weight in weights),
            f"{found.error:.4f}",
            f"{found.error_bound:.0e}",
            f"{other.error:.4f}",
            f"{few.error / more.error:.2f}" if more.error > 1e-12 else "",
            style="bold" if each == scale else "",
        )
    return rows
