"""Blocks as HTML: a fragment for a notebook, where scripts may not run, or a whole page."""

import base64
from collections.abc import Sequence
from typing import Any

from markupsafe import Markup, escape

from attnlab.report.blocks import Block, Drawing, Marked, Table
from attnlab.report.charts.files import svg, visible_spec
from attnlab.report.charts.look import PALETTE, vega_config
from attnlab.report.page.pages import figure, render, shown

CELL = "padding:.1em .8em .1em 0;text-align:{};vertical-align:top"
SIDES = {"for": PALETTE[0], "against": PALETTE[1]}
SHADES = (14, 26, 40, 56)
"""The opacity of each mark's colour in per cent; text stays readable on all of them."""
LONGEST_TITLE = 120
"""A longer first line is not the title of a page, in characters."""
WIDTH = 420
"""The width of a panel in a notebook, in pixels."""


def fragment(blocks: Sequence[Block], drawing: Drawing | None = None) -> str:
    """The blocks as HTML, and below them the chart as an image. All text is escaped."""
    chart = Markup("\n") + _still(drawing) if drawing else ""
    return str(Markup("<div>{}{}</div>").format(html_of(blocks), chart))


def html_of(blocks: Sequence[Block]) -> Markup:
    """The blocks as HTML. All text is escaped."""
    return Markup("\n").join(_block(each) for each in paragraphs(blocks))


def record_page(blocks: Sequence[Block], drawing: Drawing | None = None) -> str:
    """A page of the blocks and the chart."""
    first, *rest = paragraphs(blocks)
    alone = isinstance(first, str) and "\n" not in first and len(first) <= LONGEST_TITLE
    title, body = (first, rest) if alone else (drawing.title if drawing else "attnlab", [first, *rest])
    named = drawing.title if drawing and drawing.title != title else ""
    figures = [figure(_spec(drawing), drawing.description, named)] if drawing else []
    return render("record.html", figures, title=title, body=html_of(body))


def paragraphs(blocks: Sequence[Block]) -> list[Block]:
    """The blocks, with indented lines in the paragraph of the line above them, and without empty lines."""
    joined: list[Block] = []
    for each in blocks:
        if isinstance(each, str) and each.startswith("  ") and joined and isinstance(joined[-1], str):
            joined[-1] = f"{joined[-1]}\n{each}"
        elif each != "":
            joined.append(each)
    return joined


def _block(block: Block) -> Markup:
    if isinstance(block, Table):
        return _table(block)
    if isinstance(block, Marked):
        return _marked(block)
    return Markup('<p style="white-space:pre-wrap">{}</p>').format(shown(block)) if block else Markup("")


def _table(table: Table) -> Markup:
    def row(cells: Sequence[str], tag: str, strong: bool = False) -> Markup:
        made = [
            Markup('<{0} style="{1}{2}">{3}</{0}>').format(
                tag,
                CELL.format("left" if place < table.words else "right"),
                ";font-weight:bold" if strong or tag == "th" else "",
                shown(cell),
            )
            for place, cell in enumerate(cells)
        ]
        return Markup("<tr>{}</tr>").format(Markup("").join(made))

    rows = [row(each, "td", number in table.strong) for number, each in enumerate(table.rows)]
    note = Markup("<p>{}</p>").format(shown(table.note)) if table.note else ""
    head = row(table.columns, "th")
    body = Markup("").join(rows)
    return Markup("<table><thead>{}</thead><tbody>{}</tbody></table>{}").format(head, body, note)


def _marked(block: Marked) -> Markup:
    legend = [
        Markup('<span style="{}">{}</span>').format(_style(mark), shown(text)) for mark, text in block.legend.items()
    ]
    pieces = [
        Markup('<span style="{}">{}</span>').format(_style(mark), shown(text)) if mark else escape(shown(text))
        for text, mark in block.pieces
    ]
    told = Markup("<p>{}</p>").format(Markup(" ").join(legend)) if legend else ""
    return Markup('{}<p style="white-space:pre-wrap">{}</p>').format(told, Markup("").join(pieces))


def _style(mark: str) -> str:
    if mark == "unknown":
        return "text-decoration:underline dotted"
    side, strength = mark.rstrip("1234"), mark[-1:]
    if side not in SIDES or not strength.isdigit():
        return ""
    red, green, blue = (int(SIDES[side][place : place + 2], 16) for place in (1, 3, 5))
    return f"background-color:rgba({red},{green},{blue},{SHADES[int(strength) - 1] / 100})"


def _still(drawing: Drawing) -> Markup:
    """The chart as SVG inside an image: an untrusted notebook shows images, but strips SVG."""
    drawn = base64.b64encode(svg(_spec(drawing) | {"config": vega_config()}).encode()).decode()
    image = Markup('<img style="max-width:100%" alt="{}" src="data:image/svg+xml;base64,{}">').format(
        shown(drawing.description), drawn
    )
    return Markup("<p><b>{}</b></p>{}").format(shown(drawing.title), image)


def _spec(drawing: Drawing) -> dict[str, Any]:
    spec = visible_spec(drawing.chart.to_dict())
    if not {"width", "hconcat", "vconcat"} & spec.keys():
        spec["width"] = WIDTH
    return spec
