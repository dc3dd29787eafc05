"""How the weights of given keys under noise are shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attnlab.report.attention.noise_and_designs import MOST_ROWS, law_draws_in_words, method_in_words
from attnlab.report.blocks import Block, Drawing, Presentation, borderless

if TYPE_CHECKING:
    from attnlab.benches.attention.curves import WeightLaw
    from attnlab.benches.attention.weigh import Weighed

ERROR = "error = E‖c − c*‖², c* with the wanted weights, orthonormal values"


def weighed(found: Weighed) -> Presentation:
    """The wanted weight, the mean and the standard deviation of each weight; the error; quantiles of one weight."""
    value, law = found.to_dict(), found.law
    rows = [{"key": key, **row} for key, row in enumerate(value["weights"])]
    largest = sorted(rows, key=lambda row: (-max(row["wanted"], row["mean"]), row["key"]))[:MOST_ROWS]
    cells = [
        (row["key"], f"{row['wanted']:g}", f"{row['mean']:.4f}", f"{row['mean_bound']:.0e}", f"{row['sd']:.4f}")
        for row in sorted(largest, key=lambda row: row["key"])
    ]
    note = f"the {MOST_ROWS} largest of {len(rows)}" if len(rows) > MOST_ROWS else ""
    blocks: list[Block] = [
        borderless(("key", "wanted", "E[α]", "±", "sd[α]"), cells, note=note),
        f"error {found.error:.6f} ± {value['error_bound']:.0e}",
        f"{ERROR}; {method_in_words(found)}",
    ]
    if law is None:
        constant = f"the weight of key {value['key']} does not vary"
        return Presentation([*blocks, constant], rows=rows, more_rows=lambda: _curve_rows(found))
    drawn = law_draws_in_words(found.distribution)
    blocks.append(f"the weight of key {value['key']}: {quantiles_in_words(law)}{drawn}")

    def draw() -> Drawing:
        return _draw(law, value["key"], found.settings.scale)

    return Presentation(blocks, draw, rows=rows, more_rows=lambda: [*_law_rows(law), *_curve_rows(found)])


def quantiles_in_words(law: WeightLaw) -> str:
    """`5 % are below 0.012, …`: the quantiles, each in the middle of its interval."""
    return ", ".join(
        f"quantile {each.probability:g}: {(each.low + each.high) / 2:.4f} ± {(each.high - each.low) / 2:.0e}"
        for each in law.quantiles
    )


def _law_rows(law: WeightLaw) -> list[dict[str, Any]]:
    """The quantiles, and the mean density in each bin."""
    bins = zip(law.edges, law.edges[1:], law.density, strict=False)
    quantiles = [{"quantile": each.probability, "low": each.low, "high": each.high} for each in law.quantiles]
    return [*quantiles, *({"weight_from": low, "weight_to": high, "density": density} for low, high, density in bins)]


def _curve_rows(found: Weighed) -> list[dict[str, Any]]:
    """The error at the chosen scale C, and then at others."""
    chosen = {"scale": found.settings.scale, "error": found.error, "error_bound": found.to_dict()["error_bound"]}
    curve = zip(found.curve.scale, found.curve.error, strict=True)
    return [chosen, *({"scale": scale, "error": error} for scale, error in curve)]


def _draw(law: WeightLaw, key: int, scale: float) -> Drawing:
    from attnlab.charts import Lines, Series
    from attnlab.report.charts.figures import draw_chart

    middles = tuple((low + high) / 2 for low, high in zip(law.edges, law.edges[1:], strict=False))
    title = f"Density of the weight of key {key} at C = {scale:g}"
    told = f"The density of the weight of key {key} over the noise. {quantiles_in_words(law)}."
    chart = Lines(title, "weight", "density", (Series("density", middles, tuple(law.density)),), told)
    return Drawing(draw_chart(chart), title, told)
