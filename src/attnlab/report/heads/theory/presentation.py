"""How the theory beside trained heads is shown: a row for each head, what the columns mean, and a chart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attnlab.numbers import whole_percent
from attnlab.report.blocks import Block, Drawing, Presentation, borderless
from attnlab.report.heads.theory.spread import NEAR, spread_sentence
from attnlab.report.writing.estimates import NONE, typed_signed
from attnlab.report.writing.lines import on_one_line

if TYPE_CHECKING:
    from attnlab.benches.heads.theory import HeadTheory, Theory
    from attnlab.evaluation.scoring.intervals import Estimate

COLUMNS = (
    "head",
    "length spread",
    "predicted",
    "observed",
    "equal lengths",
    "weight",
    "at best",
    "scale",
    "best scale",
    "first",
    "by length",
    "by angle",
)


def theory(found: Theory) -> Presentation:
    """Every head beside the theory."""
    on = f"{on_one_line(found.model)} on {on_one_line(found.text)}"
    blocks: list[Block] = [
        f"{on}: {found.windows:,} windows of {found.window:,} tokens, {found.bits:.3f} bits per token",
        "",
        *_findings(found),
        "",
        borderless(COLUMNS, [_row(each) for each in found.heads]),
        "",
        *MEANING,
    ]
    return Presentation(blocks, lambda: _drawing(found), rows=[_numbers(each) for each in found.heads])


MEANING = (
    "length spread   the standard deviation of key lengths, as a share of their mean",
    "predicted       how far the weight of the key attended to most lies from its weight at the mean length",
    "                (root mean square), by the exact law for keys whose lengths vary as these do",
    "observed        the same in the model; above the law, the head uses the lengths of its keys",
    "equal lengths   bits per token that the model needs more if all keys of the head have one length",
    "weight          the weight of the key that a query attends to most, on average",
    "at best         the most that any query of the same length could give to that key",
    "scale           how far the largest logit is above the mean of the others",
    "best scale      the C that averages two keys best if their lengths are as noisy as this head's",
    "first           the weight of the first token; by length, by angle: what the length and the angle of its key",
    "                add to its logit, compared with the mean key",
)


def _row(each: HeadTheory) -> tuple[str, ...]:
    """A head in the table."""
    best = NONE if each.scale.best is None else f"{each.scale.best:.1f}"
    return (
        str(each.head),
        whole_percent(each.variation),
        f"{each.spread.predicted:.3f}",
        f"{each.spread.observed:.3f}",
        typed_signed(each.equal.value, 4),
        f"{each.reached.given:.2f}",
        f"{each.reached.best:.2f}",
        f"{each.scale.trained:.1f}",
        best,
        f"{each.sink.weight:.2f}",
        typed_signed(each.sink.length, 2),
        typed_signed(each.sink.angle, 2),
    )


def _findings(found: Theory) -> list[str]:
    """What the numbers say."""
    noisy = [each for each in found.heads if each.spread.ratio is not None]
    lines = [spread_sentence(found.heads[0])] if len(found.heads) == 1 else []
    if noisy and not lines:
        close = sum(NEAR[0] <= each.spread.ratio.value <= NEAR[1] for each in noisy if each.spread.ratio)
        far = max(noisy, key=lambda each: each.spread.ratio.value if each.spread.ratio else 0.0)
        lines.append(
            f"the exact law predicts the spread of weights within a quarter for {close} of {len(noisy)} heads;"
        )
        lines.append(f"  farthest above it is head {far.head}. {spread_sentence(far)}")
    if len(found.heads) > 1 and any(each.normalised for each in found.heads):
        lines.append("keys of one length, as normalised keys have, leave no noise of lengths for the law to speak of")
    lines.append(f"keys of equal length in all heads would cost {_signed(found.equal)} bits per token")
    return [*lines, *_hull(found)]


def _signed(found: Estimate) -> str:
    known = [each for each in (found.value, found.low, found.high) if each is not None]
    if max(map(abs, known)) < 0.00005:
        return "less than 0.0001"
    value, *ends = [typed_signed(each, 4) for each in known]
    return f"{value} ({ends[0]} to {ends[1]})" if ends else value


def _hull(found: Theory) -> list[str]:
    """How often a key is in the hull of the others, and how sure the best weights are, in words."""
    inside, rows = (sum(getattr(each.reached, name) for each in found.heads) for name in ("hull", "rows"))
    if not inside:
        return [
            f"no attended key is in the hull of the others ({rows:,} rows), so a long query could give it any weight"
        ]
    worst = min(found.heads, key=lambda each: each.reached.lowest)
    return [
        f"{inside:,} of {rows:,} attended keys are in the hull of the others, so no query gives them all",
        f"  the lowest limit is {worst.reached.lowest:.3f}, in head {worst.head}: {worst.reached.reason}",
    ]


def _numbers(each: HeadTheory) -> dict[str, Any]:
    """A row of a .csv file."""
    ratio, equal = each.spread.ratio, each.equal
    return {
        "head": str(each.head),
        "keys": each.keys,
        "key_length": each.length,
        "length_variation": each.variation,
        "predicted_spread": each.spread.predicted,
        "observed_spread": each.spread.observed,
        "ratio": None if ratio is None else ratio.value,
        "ratio_low": None if ratio is None else ratio.low,
        "ratio_high": None if ratio is None else ratio.high,
        "bias": each.spread.bias,
        "within": each.spread.within,
        "equal_lengths": equal.value,
        "equal_lengths_low": equal.low,
        "equal_lengths_high": equal.high,
        "weight": each.reached.given,
        "best_weight": each.reached.best,
        "bound": each.reached.bound,
        "in_hull": each.reached.hull,
        "hull_rows": each.reached.rows,
        "scale": each.scale.trained,
        "best_scale": each.scale.best,
        "first_weight": each.sink.weight,
        "first_lead": each.sink.lead,
        "first_by_length": each.sink.length,
        "first_by_angle": each.sink.angle,
        "first_rest": each.sink.rest,
    }


def _drawing(found: Theory) -> Drawing:
    from attnlab.report.heads.theory.chart import theory_drawing

    return theory_drawing(found)
