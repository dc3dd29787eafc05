"""How recipes are shown, and what a training would do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attnlab.numbers import format_seconds
from attnlab.report.blocks import Block, Presentation, borderless
from attnlab.settings import as_typed

if TYPE_CHECKING:
    from attnlab.benches.language.plans import RecipeList, TrainingPlan


def recipe_list(found: RecipeList) -> Presentation:
    """A line for each recipe."""
    rows = [
        {"recipe": name, "text": each["text"], "model": each["model"]["kind"], "tokens": each["tokens"]["kind"]}
        | {"about": each["about"]}
        for name, each in found.to_dict().items()
    ]
    table = borderless(tuple(rows[0]), [tuple(row.values()) for row in rows], words=len(rows[0]))
    return Presentation(
        [table, "all settings of a recipe: attnlab recipes NAME; to use it: attnlab train --recipe NAME"], rows=rows
    )


def training_plan(found: TrainingPlan) -> Presentation:
    """Every option with its value, and the estimate."""
    config = found.config
    kinds = [("text", config.text), ("--tokens", config.tokens.kind), ("--model", config.model.kind)]
    kinds += [("--training", config.training.kind), *([("--vectors", config.vectors)] if config.vectors else [])]
    rows = [{"option": name, "value": value, "about": ""} for name, value in kinds]
    rows += [
        {"option": prefix + each.name.replace("_", "-"), "value": as_typed(each.default), "about": each.about}
        for prefix, listed in found.settings().items()
        for each in listed
    ]
    blocks: list[Block] = [found.about] if found.about else []
    blocks += [borderless(("option", "value", "what it is"), [tuple(row.values()) for row in rows], words=3)]
    return Presentation([*blocks, _time(found)], rows=rows)


def _time(found: TrainingPlan) -> str:
    """The estimate in words."""
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
