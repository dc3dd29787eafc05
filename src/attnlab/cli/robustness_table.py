"""The table of `attnlab robustness`: weights and error over scales, one head beside more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table

from attnlab.cli.averaging import heads_in_words
from attnlab.cli.outcome import track
from attnlab.cli.robustness import SCALES, by_name

if TYPE_CHECKING:
    from attnlab.cli.robustness import Robustness


def table(command: Robustness, scale: float) -> Table:
    """Weights and error at the usual scales and at `scale`, and the error of one head against that of more."""
    heads, beside = command.heads, 2 if command.heads == 1 else 1
    one, more = (heads_in_words(count) for count in sorted((heads, beside)))
    rows = Table(title=f"{command.title()}: {heads_in_words(heads)}", title_justify="left")
    for heading in ("C", "E[α_a]", "sd[α_a]", "E[α_b]", "E[α_other]", "error", "±"):
        rows.add_column(heading, justify="right")
    rows.add_column(f"error, {heads_in_words(beside)}", justify="right")
    rows.add_column(f"{one} / {more}", justify="right")
    for each in track(sorted({*SCALES, scale}), "scales"):
        found, other = command.measure(each, heads), command.measure(each, beside)
        few, many = (found, other) if heads == 1 else (other, found)
        mean, sd = by_name(found.weight_mean), by_name(found.weight_sd)
        weights = [mean["a"], sd["a"], mean["b"], mean["other"]]
        rows.add_row(
            f"{each:.4g}",
            *("" if weight is None else f"{weight:.4f}" for weight in weights),
            f"{found.error:.4f}",
            f"{found.error_bound:.0e}",
            f"{other.error:.4f}",
            f"{few.error / many.error:.2f}" if many.error > 1e-12 else "",
            style="bold" if each == scale else "",
        )
    return rows
