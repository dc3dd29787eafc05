"""Charts as files and still images, drawn by vl-convert: .png, .svg, or an .html page that needs no network."""

import html
from pathlib import Path
from typing import TYPE_CHECKING, Any

import vl_convert

from attnlab.errors import ArgumentError, FileError
from attnlab.files import write_whole
from attnlab.report.charts.look import vega_config
from attnlab.report.writing.lines import on_one_line

if TYPE_CHECKING:
    import altair as alt

ENDINGS = (".png", ".svg", ".html")
PNG_SCALE = 2
"""Pixels per unit: 2 is sharp on dense screens and in print."""


def check_plot_path(path: Path) -> None:
    """Raise unless `path` can name a chart. Call this before the long computation that the chart shows."""
    if path.suffix.lower() not in ENDINGS:
        raise ArgumentError("plot", f"expected a file that ends in .png, .svg or .html, got '{path}'")
    try:
        if path.is_dir():
            raise FileError(path, "expected a file, got a folder")
    except OSError as error:
        raise FileError.unwritable(path, error) from error


def save_chart(chart: "alt.TopLevelMixin", path: Path, *, title: str, description: str) -> None:
    """Write the chart to `path` in the format of its ending: .png, .svg, or .html, a page that needs no network.

    The chart's own title becomes the subtitle below `title`. Screen readers read the `description`. The file is written
    whole or not at all.
    """
    check_plot_path(path)
    spec, ending = visible_spec(chart.to_dict()), path.suffix.lower()
    write_whole(path, _rendered(spec, ending, on_one_line(title), on_one_line(description)))


def svg(spec: dict[str, Any]) -> str:
    """The chart as SVG."""
    return vl_convert.vegalite_to_svg(_still(spec))


def png(spec: dict[str, Any]) -> bytes:
    """The chart as PNG."""
    return vl_convert.vegalite_to_png(_still(spec), scale=PNG_SCALE)


def visible_spec(value: Any) -> Any:
    """The specification with control characters in its strings made visible: vl-convert ends the whole program at one.
    Newlines stay, since some charts have labels of two lines."""
    if isinstance(value, str):
        return "\n".join(map(on_one_line, value.split("\n")))
    if isinstance(value, dict):
        return {name: visible_spec(each) for name, each in value.items()}
    return [visible_spec(each) for each in value] if isinstance(value, list) else value


def _rendered(spec: dict[str, Any], ending: str, title: str, description: str) -> bytes:
    """The content of the file."""
    own = spec.pop("title", None)
    subtitle = own["text"] if isinstance(own, dict) else own or ""
    if ending == ".html":
        from attnlab.report.page.pages import chart_page

        return chart_page(spec, title=title, subtitle=subtitle, description=description).encode()
    heading = {"text": title, "subtitle": subtitle, "fontSize": 17, "offset": 14}
    spec |= {"title": heading, "config": vega_config()}
    if ending == ".png":
        return png(spec)
    described = f'<svg role="img" aria-label="{html.escape(description)}" '
    return svg(spec).replace("<svg ", described, 1).encode()


def _still(spec: dict[str, Any]) -> dict[str, Any]:
    """The chart without the invisible layers, which only carry tooltips."""
    for name in {"hconcat", "vconcat"} & spec.keys():
        return spec | {name: [_still(panel) for panel in spec[name]]}
    if "layer" in spec:
        return spec | {"layer": [layer for layer in spec["layer"] if layer["mark"].get("opacity") != 0]}
    return spec
