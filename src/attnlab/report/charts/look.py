"""The lab's look: colours, sizes and lines of all charts."""

PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#8C7300", "#7E57C2", "#6C7A89", "#C8303C")
"""First four of Okabe and Ito's colours, which colour-blind people can tell apart; then olive, purple, slate and red.
Each has a contrast of at least 3 both on white and on PAPER_DARK."""

DASHES = ((1, 0), (8, 3), (2, 3), (10, 3, 2, 3), (4, 2))
"""Each line of a chart has its own dashes, for prints without colour and for colour-blind readers."""

GREY = "#808080"
"""Visible on white and on dark paper."""

INK = "#1f2328"
PAPER = "#ffffff"
INK_DARK = "#e6e8eb"
PAPER_DARK = "#16181d"


def vega_config(ink: str = INK, paper: str = PAPER, font: str = "sans-serif") -> dict[str, object]:
    """The Vega configuration of every chart, with text and axes in `ink` on `paper`."""
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
    """The colours of `count` lines."""
    return [PALETTE[number % len(PALETTE)] for number in range(count)]


def dashes(count: int) -> list[list[int]]:
    """The dashes of `count` lines; the first five differ."""
    return [list(DASHES[number % len(DASHES)]) for number in range(count)]
