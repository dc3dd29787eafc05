"""How results of the attention bench are shown: averages under noise, remedies, designs, projectors, matrices."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from attnlab.report.blocks import Block, Drawing, Presentation, Table, borderless

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from attnlab.attention import Distribution
    from attnlab.benches.attention.construct import Constructed, Evaluated
    from attnlab.benches.attention.design import Designed
    from attnlab.benches.attention.extract import Extracted
    from attnlab.benches.attention.remedies import Remedies
    from attnlab.benches.attention.robustness import Robustness, ScaleRow
    from attnlab.benches.attention.settings import AveragingSettings
    from attnlab.benches.attention.weigh import Weighed

ERROR = "error = E‖c − ½(v_a + v_b)‖²"
DRAWN = "± is four standard errors, plus a bound for events too rare to be drawn"
SMALL = 1e-6
"""Smaller errors count as 0."""
MOST_ROWS = 20
"""How many keys are shown at most."""
MOST_COLUMNS = 10
"""How many rows and columns of a matrix are shown at most."""


def robustness(found: Robustness) -> Presentation:
    """The weights and the error at each scale, with the given scale marked; the best scale and quantiles on request."""
    settings = found.settings
    extra = [", keys normalised"] * settings.normalise_keys + [f", sink {settings.sink:g}"] * bool(settings.sink)
    title = f"{settings.keys} keys, {noise_in_words(settings)}{''.join(extra)}: {heads_in_words(settings.heads)}"
    blocks: list[Block] = [title, _scales_table(found), f"{ERROR}, {method_in_words(found)}"]
    if found.best is not None:
        more = ", and it falls further as C grows" if found.best.unbounded else ""
        best = f"C = {found.scale:.6g}, error {found.error:.6f}{more}"
        blocks.append(f"best scale for {heads_in_words(settings.heads)}: {best}")
    if found.quantiles:
        each = ", ".join(f"{probability}: {weight:.6f}" for probability, weight in found.quantiles.items())
        blocks.append(f"quantiles of α_a at C = {found.scale:.4g}: {each}{law_draws_in_words(found.distribution)}")

    def draw() -> Drawing:
        from attnlab.report.attention.robustness_chart import draw_robustness

        return draw_robustness(found)

    return Presentation(blocks, draw, rows=[_flat(asdict(row)) for row in found.rows])


def remedies(found: Remedies) -> Presentation:
    """The remaining error of each remedy, and how many times smaller it is than the first remedy's."""
    first = found.rows[0].error
    rows = [(each.name, each.queries, *_error(each.error, first, each.error_bound)) for each in found.rows]
    blocks = [
        f"What helps: {found.settings.keys} keys, {noise_in_words(found.settings)}",
        borderless(("remedy", "queries", "error", "±", "times smaller"), rows, words=2),
        f"{ERROR}; times smaller than in the first row",
    ]

    def draw() -> Drawing:
        from attnlab.report.attention.charts import draw_remedies

        return draw_remedies(found)

    return Presentation(blocks, draw, rows=[asdict(each) for each in found.rows])


def designed(found: Designed) -> Presentation:
    """The query and its weights, or why no query exists."""
    value = found.to_dict()
    rows: list[dict[str, Any]] = [{"key": key, "wanted": weight} for key, weight in enumerate(found.wanted)]
    if found.weights is not None:
        rows = [row | {"reached": reached} for row, reached in zip(rows, found.weights, strict=True)]

    def draw() -> Drawing:
        from attnlab.report.attention.charts import draw_design

        return draw_design(found, [rows[key] for key in shown_keys(found)])

    if not found.holds:
        limit = value["certificate"]["shorter_than"]
        who = "no query" if limit is None else f"no query shorter than {limit:.2g}"
        return Presentation([f"{who} does this: {value['reason']}"], draw, rows=rows)
    farthest = max(rows, key=lambda row: abs(row["reached"] - row["wanted"]))["key"]
    error = f"error {value['error']:.3g}, proven to be at most {value['error_bound']:.3g}"
    cells = [(key, f"{rows[key]['wanted']:g}", f"{rows[key]['reached']:.6g}") for key in shown_keys(found)]
    note = f"the {MOST_ROWS} largest of {len(rows)}" if len(rows) > MOST_ROWS else ""
    blocks = [
        f"query, of norm {_length(value['norm'])}: {_vector(value['query'])}",
        f"{error}: the largest difference from the wanted weights, at key {farthest}",
        borderless(("key", "wanted", "reached"), cells, note=note),
    ]
    return Presentation(blocks, draw, rows=rows)


def _length(norm: float | None) -> str:
    """The length of a query; None if float64 cannot hold it."""
    return f"above {sys.float_info.max:.2g}" if norm is None else f"{norm:.6g}"


def extracted(found: Extracted) -> Presentation:
    """The projector and how much it amplifies errors, or the direction that both spans share."""
    value = found.to_dict()
    if not found.holds:
        shared = value["certificate"]["vector"]
        direction = f"x = ({', '.join(f'{x:.6g}' for x in shared)})"
        blocks: list[Block] = [f"no matrix does this: {value['reason']}", direction]
        title, matrix, columns = "The direction x that both spans share", [[each] for each in shared], ["x"]
    else:
        matrix = value["projector"]
        cost = f"an error in the sum grows at most {value['condition']:.6g} times"
        blocks = [f"{value['kind']} projector; {cost}", _matrix_table("M", matrix)]
        title, columns = "The matrix M with M(v_a + v_b) = v_a", list(map(str, range(len(matrix))))
    draw = _heat_map(matrix, list(map(str, range(len(matrix)))), columns, title, "row", "column")
    return Presentation(blocks, draw, rows=[dict(zip(columns, row, strict=True)) for row in matrix])


def constructed(found: Constructed) -> Presentation:
    """The matrices, the outputs and the inputs that they attend to; or why no matrices exist."""
    value = found.to_dict()
    if not found.holds:
        inputs = found.inputs.coefficients.tolist()
        names = [f"x{row + 1}" for row in range(len(inputs))]
        draw = _heat_map(inputs, names, found.inputs.parts, "The inputs, as sums of parts", "input", "part")
        return Presentation([f"no Q, K, V do this: {value['reason']}"], draw)
    blocks = [f"{name} = {text}" for name, text in found.written.items()]
    blocks += [f"{name} = {text}, read off {' and '.join(found.attends[name])}" for name, text in found.outputs.items()]
    return _attention(found, [*blocks, _within(found.beta, value["error_bound"])])


def evaluated(found: Evaluated) -> Presentation:
    """The limits of the outputs of given matrices as β grows, and how far the outputs at one β are from them."""
    blocks = ["as β grows:", *(f"  {name} = {text}" for name, text in found.outputs.items())]
    return _attention(found, [*blocks, _within(found.beta, found.error_bound)])


def shown_keys(found: Designed) -> list[int]:
    """The keys of the largest weights, in their order."""
    weights = found.weights or found.wanted
    return sorted(sorted(range(len(weights)), key=lambda key: -weights[key])[:MOST_ROWS])


def heads_in_words(count: int) -> str:
    """`one head`, `two heads`, `3 heads`."""
    return {1: "one head", 2: "two heads"}.get(count, f"{count} heads")


def noise_in_words(settings: AveragingSettings) -> str:
    """The noise of the keys in words."""
    noise = [f"norm variance {settings.norm_variance:g} on {settings.noisy}"] if settings.norm_variance else []
    noise += [f"isotropic variance {settings.isotropic:g}"] if settings.isotropic else []
    return " and ".join(noise) or "no noise"


def error_in_words(error: float) -> str:
    """An error in a few digits; below `SMALL` only that it is smaller.

    >>> error_in_words(0.48871), error_in_words(2.06e-5), error_in_words(1e-9)
    ('0.4887', '2.1e-05', '< 1e-06')
    """
    return f"< {SMALL:.0e}" if error < SMALL else f"{error:.4f}" if error >= 1e-4 else f"{error:.1e}"


def _scales_table(found: Robustness) -> Table:
    heads, beside = found.settings.heads, found.heads_beside
    more = heads_in_words(max(heads, beside)).partition(" ")[0]
    names = ("C", "E[α_a]", "sd[α_a]", "E[α_b]", "E[other]", "error", "±", heads_in_words(beside), f"one/{more}")
    strong = [place for place, row in enumerate(found.rows) if row.scale == found.scale]
    rows = [_scale_cells(row, marked=place in strong) for place, row in enumerate(found.rows)]
    fewer = max(row.fewer_draws or 0 for row in found.rows)
    note = f"{fewer:,} draws at most in the rows without ▸, and for {heads_in_words(beside)}" if fewer else ""
    return borderless(names, rows, words=0, strong=strong, note=note)


def _scale_cells(row: ScaleRow, marked: bool) -> list[str]:
    weights = (row.weight_mean.a, row.weight_sd.a, row.weight_mean.b, row.weight_mean.other)
    return [
        f"▸ {row.scale:.4g}" if marked else f"{row.scale:.4g}",
        *("" if weight is None else f"{weight:.4f}" for weight in weights),
        f"{row.error:.4f}",
        f"{row.error_bound:.0e}",
        f"{row.error_beside:.4f}",
        "" if row.ratio is None else f"{row.ratio:,.{0 if row.ratio >= 1000 else 2}f}",
    ]


def method_in_words(found: Robustness | Weighed) -> str:
    """How the numbers were computed: exactly, or from how many draws."""
    made = found.distribution
    if made.method == "exact":
        return f"exact: quadrature over {made.directions} noisy direction{'s' * (made.directions != 1)}"
    kind = "quasi-random" if made.method == "quasi-monte-carlo" else "random"
    return f"{made.points:,} {kind} draws, seed {found.settings.seed}; {DRAWN}"


def law_draws_in_words(found: Distribution) -> str:
    """From how many draws the law of a weight is, if its moments are not from them."""
    return "" if found.method == found.law_method else f" ({found.law_draws:,} random draws)"


def _error(error: float, first: float, bound: float) -> tuple[str, str, str]:
    """The error, its bound, and how many times smaller than the first error it is."""
    less = f"> {first / SMALL:.0e}" if error < SMALL else f"{first / error:.3g}"
    return error_in_words(error), f"{bound:.0e}", less


def _vector(numbers: Sequence[float]) -> str:
    # Coordinates as small as rounding errors of the largest are shown as 0.
    least = 1e-12 * max(map(abs, numbers))
    shown = ", ".join(f"{x if abs(x) > least else 0.0:.6g}" for x in numbers[:MOST_ROWS])
    return f"({shown}{', …' if len(numbers) > MOST_ROWS else ''})"


def _matrix_table(name: str, matrix: Sequence[Sequence[float]]) -> Table:
    """The rows of a matrix, numbered from 0; a large matrix is cut off."""
    shown = [row[:MOST_COLUMNS] for row in matrix[:MOST_COLUMNS]]
    rows = [[place, *(f"{round(x, 5) + 0.0:.5f}" for x in row)] for place, row in enumerate(shown)]  # + 0.0: no −0
    note = f"the first {MOST_COLUMNS} of {len(matrix)} rows and columns" if len(matrix) > MOST_COLUMNS else ""
    return borderless((name, *map(str, range(len(shown[0])))), rows, note=note)


def _within(beta: float, bound: float) -> str:
    return f"at β = {beta:g} the outputs are within {bound:.2g} of these values (in units of β)"


def _attention(found: Constructed | Evaluated, blocks: list[Block]) -> Presentation:
    """The blocks, with the attention weights as a heat map."""
    names = [f"x{row + 1}" for row in range(len(found.weights))]
    title = f"The attention weights at β = {found.beta:g}"
    rows = [dict(zip(names, row, strict=True)) for row in found.weights]
    return Presentation(
        blocks, _heat_map(found.weights, names, names, title, "input that asks", "input that is read"), rows=rows
    )


def _heat_map(*given: Any) -> Callable[[], Drawing]:
    """What draws a matrix, with the arguments of `draw_matrix`, which is imported when it is called."""

    def draw() -> Drawing:
        from attnlab.report.attention.charts import draw_matrix

        return draw_matrix(*given)

    return draw


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    """The row with nested values in columns of their own, such as `weight_mean_a`."""
    inner = {
        f"{name}_{key}": each for name, value in row.items() if isinstance(value, dict) for key, each in value.items()
    }
    return {name: value for name, value in row.items() if not isinstance(value, dict)} | inner
