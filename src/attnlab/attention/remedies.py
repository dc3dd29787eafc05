"""Remedies against noisy keys, and how much each helps: all with the same noise, each with its exact error."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch

from attnlab.attention.argument_checks import LARGEST, check_at_least, check_between
from attnlab.attention.best_queries import Best, best_queries, best_scale
from attnlab.attention.noise import Distribution, NoisyKeys, distribution
from attnlab.attention.scenario import AveragingQuestion


@dataclass(frozen=True)
class Remedy:
    """One remedy, and the error that is left: E‖c − ½(v_a + v_b)‖²."""

    name: str
    queries: str
    """The queries in the usual notation."""
    error: float
    error_bound: float
    method: str
    unbounded: bool
    """Whether the error falls further as the scale grows."""


def remedies(
    setting: AveragingQuestion,
    *,
    scale: float = 100.0,
    heads: int = 2,
    seed: int = 0,
    progress: Callable[[str], None] | None = None,
) -> list[Remedy]:
    """The remedies; the first is the usual advice ("one head, C ≫ 0", here C = `scale`).

    `heads` is the largest number of heads for which the best queries are searched.
    """
    check_between("scale", scale, 0.0, LARGEST)
    check_at_least("heads", heads, 1)
    found = []
    for remedy in _each(setting, scale, heads, seed):
        found.append(remedy)
        if progress is not None:
            progress(remedy.name)
    return found


def _each(setting: AveragingQuestion, scale: float, heads: int, seed: int) -> Iterator[Remedy]:
    keys, target = setting.noisy_keys(), setting.target()
    plain = distribution(keys, scale * setting.directions(1), target, seed=seed)
    yield _remedy("one head, large scale", f"{scale:g}(μ_a + μ_b)", plain)
    yield _scaled("one head, best scale", setting, keys, 1)
    yield _scaled("two heads, best scale", setting, keys, 2)
    yield _scaled("one head, keys normalised, best scale", setting, keys, 1, normalise_keys=True)
    yield _scaled("two heads, keys normalised, best scale", setting, keys, 2, normalise_keys=True)
    yield _scaled("one head, 1 added to softmax's denominator", setting, keys, 1, sink=1.0)
    for count in range(1, heads + 1):
        best = best_queries(keys, target, heads=count, seed=seed)
        name = f"{_NUMBERS.get(count, str(count))} head{'s' if count > 1 else ''}, best queries found"
        yield _remedy(name, _written(best), best.distribution, best.unbounded)
    if setting.keys > 2:
        aside = torch.ones(setting.keys, dtype=torch.float64)
        aside[:2] = 0.0
        found = distribution(keys, -scale * aside, target, seed=seed)
        yield _remedy("one head that only turns the others away", f"−{scale:g} Σ μ_other", found)


_NUMBERS = {1: "one", 2: "two", 3: "three", 4: "four"}


def _scaled(
    name: str,
    setting: AveragingQuestion,
    keys: NoisyKeys,
    heads: int,
    *,
    normalise_keys: bool = False,
    sink: float = 0.0,
) -> Remedy:
    best = best_scale(
        keys,
        setting.directions(heads),
        setting.target(),
        head_weights=setting.head_weights(heads),
        normalise_keys=normalise_keys,
        sink=sink,
    )
    queries = "C(μ_a + μ_b)" if heads == 1 else "Cμ_a, Cμ_b"
    at = f"still falling at C = {best.scale:,.0f}" if best.unbounded else f"C = {best.scale:.4g}"
    return _remedy(name, f"{queries}, {at}", best.distribution, best.unbounded)


def _remedy(name: str, queries: str, found: Distribution, unbounded: bool = False) -> Remedy:
    return Remedy(name, queries, found.error, found.error_bound, found.method, unbounded)


def _written(best: Best) -> str:
    """The queries as sums of the keys; their coordinates on the keys besides a and b are averaged."""
    rows = []
    for row in best.queries:
        clean = torch.where(row.abs() > 1e-3 * row.abs().max(), row, 0.0)  # the search leaves small remainders of 0
        a, b, *others = clean.tolist()
        parts = (a, "μ_a"), (b, "μ_b"), (sum(others) / max(1, len(others)), "Σ μ_other")
        terms = [f"{'−' if part < 0 else '+'} {abs(part):.3g} {key}" for part, key in parts if part] or ["0"]
        rows.append(" ".join([terms[0].replace("− ", "−").removeprefix("+ "), *terms[1:]]))
    return "; ".join(rows)
