"""How the plan of a training is shown: what it would do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from attnlab.numbers import format_seconds
from attnlab.report.blocks import Block, Presentation, borderless
from attnlab.settings import Option, as_typed

if TYPE_CHECKING:
    from attnlab.benches.language.plans import TrainingPlan


def training_plan(found: TrainingPlan) -> Presentation:
    """Every option with its value, and the estimate."""
    rows = plan_rows(found)
    return Presentation([option_table(rows), time_in_words(found)], rows=rows)


def plan_rows(found: TrainingPlan) -> list[dict[str, str]]:
    """Every option with its value and its description."""
    config = found.config
    kinds = [("text", config.text), ("--tokens", config.tokens.kind), ("--model", config.model.kind)]
    kinds += [("--training", config.training.kind), *([("--vectors", config.vectors)] if config.vectors else [])]
    rows = [{"option": name, "value": value, "about": ""} for name, value in kinds]
    rows += [row for prefix, listed in found.settings().items() for row in option_rows(prefix, listed)]
    return rows


def option_rows(prefix: str, listed: Sequence[Option]) -> list[dict[str, str]]:
    """A row for each option: its name as it is typed, its value and its description."""
    return [
        {"option": prefix + each.name.replace("_", "-"), "value": as_typed(each.default), "about": each.about}
        for each in listed
    ]


def option_table(rows: Sequence[Mapping[str, str]]) -> Block:
    """The table of options."""
    return borderless(("option", "value", "what it is"), [tuple(row.values()) for row in rows], words=3)


def time_in_words(found: TrainingPlan) -> str:
    """The estimate of the time."""
    own: Any = found.estimate
    threads = f"{own.threads} thread{'s' * (own.threads != 1)}" if own.device == "cpu" else own.device
    where = f"estimated on this machine ({threads}) from a short burst, if nothing else runs, without reading and "
    where += "scoring the text"
    if own.seconds is None:
        return f"counting takes about {own.seconds_per_million:.1g} seconds for each million tokens, {where}"
    times = f"{found.seeds} runs of about" if found.seeds > 1 else "about"
    return f"training takes {times} {_duration(own.seconds)}, {where}"


def _duration(seconds: float) -> str:
    """A rough duration: an estimate has no more digits.

    >>> [_duration(each) for each in (2.34, 150, 20_000, 3e7)]
    ['2.3 s', '2.5 minutes', '5.6 hours', '8,300 hours']
    """
    if seconds < 120:
        return format_seconds(seconds)
    number, unit = (seconds / 60, "minutes") if seconds < 6000 else (seconds / 3600, "hours")
    return f"{float(f'{number:.2g}'):,g} {unit}"
