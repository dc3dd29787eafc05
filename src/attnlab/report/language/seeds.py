"""How runs with several seeds are shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attnlab.report.blocks import Block, Drawing, Presentation, borderless
from attnlab.statistics import over_seeds

if TYPE_CHECKING:
    from attnlab.benches.language.seeds import SeedRuns

UNITS = {"nats_per_token": ("nats/token", 4), "perplexity": ("perplexity", 2), "bits_per_byte": ("bits/byte", 4)}
"""The name of each unit, and its decimals."""


def seed_runs(found: SeedRuns) -> Presentation:
    """A row for each seed, and the means."""
    part = "test" if found.scores("test", "perplexity") else "validation"
    rows = [
        (run.path.name, *(f"{run.result[part][unit]:.{decimals}f}" for unit, (_, decimals) in UNITS.items()))
        for run in found.runs
    ]
    names = ("run", *(name for name, _ in UNITS.values()))
    what = "test split (not used to pick checkpoints)" if part == "test" else "validation split"
    blocks: list[Block] = [f"{what}:", borderless(names, rows)]
    for split in ("validation", "test"):
        if found.scores(split, "perplexity"):
            means = [
                f"{name} {over_seeds(found.scores(split, unit), decimals)}" for unit, (name, decimals) in UNITS.items()
            ]
            blocks.append(f"{split}: {', '.join(means)}")
    if len(found.runs) > 2:
        blocks.append("± is the 95 % interval of the mean over seeds: other seeds, the same text")
    first = found.path / next(iter(found.plan.configs()))
    blocks.append(f"the runs are in {found.path}; let one write: attnlab sample {first}")
    return Presentation(blocks, lambda: _drawn(found), rows=found.to_dict()["runs"])


def _drawn(found: SeedRuns) -> Drawing:
    from attnlab.report.language.curves import draw_curves

    return draw_curves(found.metrics())
