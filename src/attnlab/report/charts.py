"""Charts as files: a picture, a drawing, or a page that opens anywhere.

Importing this module brings altair along, which takes half a second: a command imports it when a chart is asked for.
"""

import html
from pathlib import Path
from typing import Any

import altair as alt

from attnlab.errors import ArgumentError, FileError
from attnlab.files import write_whole
from attnlab.report import stills
from attnlab.report.lines import on_one_line
from attnlab.report.look import vega_config
from attnlab.report.pages import chart_page

ENDINGS = (".png", ".svg", ".html")


def check_plot_path(path: Path) -> None:
    """Raise unless `path` can name a chart: before time is spent on what the chart is to show."""
    if path.suffix.lower() not in ENDINGS:
        raise ArgumentError("plot", f"expected a file that ends in .png, .svg or .html, got '{path}'")
    try:
        if path.is_dir():
            raise FileError(path, "expected a file, got a folder")
    except OSError as error:
        raise FileError.unwritable(path, error) from error


def save_chart(chart: alt.TopLevelMixin, path: Path, *, title: str, description: str) -> None:
    """Write the chart to `path` as its ending says: .png, .svg, or .html, a page that needs no network.

    `title` heads the chart; the chart's own title, if it has one, stands below. `description` says in words what the
    chart shows, for those who cannot see it. The file is written whole or not at all.
    """
    check_plot_path(path)
    spec, ending = _visible(chart.to_dict()), path.suffix.lower()
    write_whole(path, _rendered(spec, ending, on_one_line(title), on_one_line(description)))


def _visible(value: Any) -> Any:
    """A specification whose strings a drawing can hold: at a control character in one of them, the library that draws
    would end the whole program. Ends of line stay; some charts have labels of two lines."""
    if isinstance(value, str):
        return "\n".join(map(on_one_line, value.split("\n")))
    if isinstance(value, dict):
        return {name: _visible(each) for name, each in value.items()}
    return [_visible(each) for each in value] if isinstance(value, list) else value


def _rendered(spec: dict[str, Any], ending: str, title: str, description: str) -> bytes:
    """The file's content."""
    own = spec.pop("title", None)
    subtitle = own["text"] if isinstance(own, dict) else own or ""
    if ending == ".html":
        return chart_page(spec, title=title, subtitle=subtitle, description=description).encode()
    heading = {"text": title, "subtitle": subtitle, "fontSize": 17, "offset": 14}
    spec |= {"title": heading, "config": vega_config()}
    if ending == ".png":
        return stills.png(spec)
    described = f'<svg role="img" aria-label="{html.escape(description)}" '
    return stills.svg(spec).replace("<svg ", described, 1).encode()
