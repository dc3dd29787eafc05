"""How runs, samples and scores of language models are shown."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from attnlab.numbers import percent
from attnlab.report.blocks import Block, Drawing, Presentation, Table, borderless
from attnlab.report.writing.estimates import NONE
from attnlab.report.writing.lines import on_one_line, visible

if TYPE_CHECKING:
    from attnlab.benches.language import RunRow, RunTable, TextScore, TokenCost, TrainedRun, Written
    from attnlab.benches.language.live_sampling import Drawn
    from attnlab.report.language.curves import Metrics

STRONGEST = 12
"""How many of the costliest tokens are shown."""
MOST_SHOWN = 200
"""The most tokens that a table or a chart shows, one by one."""
MOST_NAMED = 60
"""The most bars that have their token below them."""


def trained_run(found: TrainedRun) -> Presentation:
    """A run: its size, its scores, and its folder."""
    result = found.result
    counted = found.config.model.kind == "ngram"
    size = f"{result['parameters']:,} {'n-grams, counted' if counted else 'parameters'}"
    steps = "" if counted else f", {result['steps']:,} steps"
    blocks = [f"{size}{steps} in {result['seconds']:.1f} seconds"]
    for part, words in (("validation", "validation"), ("test", "test (not used to pick the checkpoint)")):
        if result[part] is not None:
            score = result[part]
            numbers = f"{score['nats_per_token']:.4f} nats per token, perplexity {score['perplexity']:.4g}"
            blocks.append(f"{words}: {numbers}, {score['bits_per_byte']:.4f} bits per byte")
            if score["unknown"]:
                blocks.append(
                    f"  {percent(score['unknown'], decimals=2)} of the tokens are unknown words; bits per byte "
                    "include their spelling"
                )
    blocks.append(f"the run is in {found.path}; let it write: attnlab sample {found.path}")
    draw = (lambda: _score_bars(found)) if counted else (lambda: _curves({found.path.name: found.metrics()}))
    return Presentation(blocks, draw, rows=[dict(result)])


def written(found: Written) -> Presentation:
    """The text that a model generated; its rows are the tokens."""
    decode = found.model.tokenizer.decode
    if found.pieces:
        shown = [(visible(each.text), f"{each.probability:.4g}", _expected(each.likeliest)) for each in found.pieces]
        table = borderless(("token", "probability", "expected"), shown, words=1)
        return Presentation([str(found), table], rows=[_token_row(each) for each in found.pieces])
    return Presentation([str(found)], rows=[{"token": id, "text": visible(decode([id]))} for id in found.ids])


def text_score(found: TextScore) -> Presentation:
    """The surprise of a text under a model, token by token; of a long text, its most surprising tokens."""
    tokens, places = found.tokens, [*range(len(found.tokens))]
    title = "each token; positions count from 0:"
    if len(tokens) > MOST_SHOWN:
        places = sorted(places, key=lambda place: -tokens[place].bits)[:STRONGEST]
        title = f"the costliest tokens; .json and .csv have all {len(tokens):,}:"
    mark = ">" if found.lower_bound else ""
    head = f"{mark}{found.bits_per_byte:.4f} bits per byte, {found.nats_per_token:.4f} nats per token"
    blocks: list[Block] = [
        f"{head}, perplexity {found.perplexity:.4g}, {len(tokens):,} token{'s' * (len(tokens) != 1)}",
        *([f"> marks a lower bound: {found.lower_bound}"] if found.lower_bound else []),
        title,
        _token_table(tokens, places, bool(found.likeliest)),
    ]
    if any(tokens[place].unknown for place in places):
        blocks.append("* marks text that the tokenizer does not know; its bits include its spelling")
    return Presentation(blocks, lambda: _token_bars(found), rows=[_token_row(each) for each in tokens])


def _token_table(tokens: Sequence[TokenCost], places: Sequence[int], likeliest: bool) -> Table:
    """Some tokens of a text, with their costs and, if they are asked for, the likeliest tokens in their places."""
    names = ("position", "token", *(["likeliest"] if likeliest else []), "bits")
    rows = []
    for place in places:
        each = tokens[place]
        token = visible(each.text) + ("*" if each.unknown else "")
        rows.append((f"{place:,}", token, *([_expected(each.likeliest)] if likeliest else []), f"{each.bits:.2f}"))
    return borderless(names, rows, words=len(names) - 1)


def _expected(likeliest: Sequence[tuple[str, float]]) -> str:
    return ", ".join(f"{visible(text)} {share:.2f}" for text, share in likeliest)


def _token_row(token: TokenCost | Drawn) -> dict[str, Any]:
    """A token and its cost; the likeliest tokens in its place, each with its probability, in columns of their own."""
    row = asdict(token)
    for place, (text, share) in enumerate(row.pop("likeliest"), 1):
        row |= {f"likeliest_{place}": text, f"probability_{place}": share}
    return row


def run_table(found: RunTable) -> Presentation:
    """The runs, best first, and which numbers cannot be compared."""
    rows = [asdict(row) for row in found.rows]
    if not rows:
        return Presentation(["there are no runs here; make a run with attnlab train"])
    names = ("run", "text", "model", "tokens", "steps", "nats/token", "perplexity", "bits/byte", "")
    blocks: list[Block] = [borderless(names, [_cells(row) for row in found.rows], words=4)]
    if any(row.lower_bound for row in found.rows):
        blocks.append(
            "> marks a lower bound: an older attnlab left out the spelling of unknown words. Such a run is not ranked, "
            "nor drawn in bits per byte; attnlab perplexity measures it in full"
        )
    if len({row.text for row in found.rows if row.text}) > 1:
        blocks.append("runs on different texts cannot be compared")
    return Presentation(blocks, lambda: _side_by_side(found), rows=rows)


def _cells(row: RunRow) -> list[str]:
    shown = [
        NONE if value is None else f"{value:{how}}"
        for value, how in (
            (row.steps, ",d"),
            (row.nats_per_token, ".4f"),
            (row.perplexity, ".4g"),
            (row.bits_per_byte, ".4f"),
        )
    ]
    if row.lower_bound:
        shown[-1] = f">{shown[-1]}"
    state = "" if row.state == "finished" else row.state
    if row.answered_correctly is not None:
        state = f"answers {percent(row.answered_correctly)} of the questions about kept-out people correctly"
    return [row.run, row.text, row.model, row.tokens, *shown, state]


def _side_by_side(found: RunTable) -> Drawing:
    """The curves of the runs: nats per token if all have the same tokenizer, otherwise bits per byte of the runs that
    have them."""
    metrics = found.metrics()
    if len({row.tokens for row in found.rows}) == 1:
        return _curves(metrics)
    comparable = {row.run for row in found.rows if row.comparable is not None}
    return _curves({name: each for name, each in metrics.items() if name in comparable}, per_byte=True)


def _curves(runs: Mapping[str, Metrics], *, per_byte: bool = False) -> Drawing:
    from attnlab.report.language.curves import draw_curves

    return draw_curves(runs, per_byte=per_byte)


def _score_bars(found: TrainedRun) -> Drawing:
    """The scores of a model that only counts, which has no learning curve."""
    from attnlab.charts import Bar, Bars
    from attnlab.report.charts.bars import draw_bars

    scores = {part: found.result[part] for part in ("validation", "test") if found.result[part] is not None}
    bars = tuple(Bar(part, score["bits_per_byte"]) for part, score in scores.items())
    told = ", ".join(f"{bar.name} {bar.value:.4f}" for bar in bars) or "not measured"
    title, unit = f"{found.path.name}: what it counted is worth", "bits per byte (fewer are better)"
    chart = Bars(title, unit, bars, f"Bits per byte: {told}. A model that only counts has no learning curve.")
    return Drawing(draw_bars(chart), chart.title, chart.description)


def _token_bars(found: TextScore) -> Drawing:
    """The bits of each token of a text, in order."""
    import altair as alt

    from attnlab.report.charts.look import PALETTE

    rows = [
        {"place": place, "token": visible(each.text), "bits": each.bits}
        for place, each in enumerate(found.tokens[:MOST_SHOWN])
    ]
    names = json.dumps([each["token"] for each in rows])
    axis = (
        alt.Axis(labelExpr=f"{names}[datum.value]", labelAngle=0, labelOverlap=False, ticks=False)
        if len(rows) <= MOST_NAMED
        else alt.Axis(labels=False, ticks=False)
    )
    chart = (
        alt.Chart(alt.Data(values=rows), height=160)
        .mark_bar(color=PALETTE[0])
        .encode(
            x=alt.X("place:O", title="token", axis=axis),
            y=alt.Y("bits:Q", title="bits"),
            tooltip=["token:N", alt.Tooltip("bits:Q", format=".2f")],
        )
    )
    layered = alt.LayerChart(layer=[chart], width=640)
    name = on_one_line(found.model.name)
    told = f"The bits that each token costs {name}; a byte costs {found.bits_per_byte:.4f} bits on average."
    return Drawing(layered, f"The cost of each token under {found.model.name}", told)
