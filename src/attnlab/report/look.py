"""The lab's look: the one place for a chart's colours, sizes and lines."""

PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7")
"""Okabe and Ito's colours, told apart by colour-blind eyes; those of them that stand out from white and from PAPER_DARK
alike, with a contrast of at least 3 (their orange, yellow and sky blue are lost on white)."""

DASHES = ((1, 0), (8, 3), (2, 3), (10, 3, 2, 3), (4, 2))
"""Each line of a chart has a kind of its own, for those who print without colour or do not see it."""

INK = "#1f2328"
PAPER = "#ffffff"
INK_DARK = "#e6e8eb"
PAPER_DARK = "#16181d"


def vega_config(ink: str = INK, paper: str = PAPER, font: str = "sans-serif") -> dict[str, object]:
    """A Vega configuration: how every chart of the lab looks, with text and axes in `ink` on `paper`."""
    faint = {"gridColor": ink, "gridOpacity": 0.12, "domainColor": ink, "domainOpacity": 0.6, "tickColor": ink}
    return {
        "background": paper,
        "font": font,
        "padding": 8,
        "view": {"stroke": None, "continuousWidth": 400, "continuousHeight": 290},
        "axis": {
            **faint,
            "tickOpacity": 0.6,
            "labelColor": ink,
            "labelFontSize": 12,
            "titleColor": ink,
            "titleFontSize": 13,
            "titleFontWeight": "normal",
            "titlePadding": 8,
            "labelFlush": False,
        },
        "legend": {
            "labelColor": ink,
            "labelFontSize": 13,
            "titleColor": ink,
            "titleFontSize": 13,
            "symbolSize": 400,
            "symbolType": "stroke",
            "symbolStrokeWidth": 3,
            "orient": "top",
        },
        "title": {
            "anchor": "start",
            "color": ink,
            "fontSize": 14,
            "offset": 10,
            "subtitleColor": ink,
            "subtitleFontSize": 13,
            "subtitlePadding": 5,
        },
        "line": {"strokeWidth": 2.5, "strokeCap": "butt", "strokeJoin": "round"},
        "point": {"filled": True, "size": 90},
        "rule": {"color": ink, "opacity": 0.6, "strokeDash": [3, 3]},
        "text": {"color": ink, "fontSize": 12},
        "range": {"category": list(PALETTE)},
    }


def colours(count: int) -> list[str]:
    """The colours of `count` lines, the first ones first."""
    return [PALETTE[number % len(PALETTE)] for number in range(count)]


def dashes(count: int) -> list[list[int]]:
    """How each of `count` lines is dashed: no two alike among the first, so that they differ without colour too."""
    return [list(DASHES[number % len(DASHES)]) for number in range(count)]
