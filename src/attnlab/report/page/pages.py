"""Pages: single HTML files that need no network.

A chart on a page is first a still SVG, which prints and needs no script. Where scripts run, it is drawn again with
tooltips and to fit the window.
"""

from dataclasses import dataclass
from functools import cache
from typing import Any

import vl_convert
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from attnlab.numbers import format_seconds
from attnlab.report.charts.files import svg
from attnlab.report.charts.look import INK, INK_DARK, PALETTE, PAPER, PAPER_DARK, vega_config
from attnlab.report.writing.maths import set_formulas

NAMESPACES = ' xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'


@dataclass(frozen=True)
class Figure:
    """A chart on a page: its Vega-Lite specification and a description in words."""

    spec: dict[str, Any]
    description: str
    title: str = ""

    @property
    def drawing(self) -> Markup:
        """The chart as inline SVG, which needs no namespaces."""
        return Markup(svg(self.spec).replace(NAMESPACES, "", 1))


def figure(spec: dict[str, Any], description: str, title: str = "") -> Figure:
    """The chart in the page's own text colour, so that it follows light mode, dark mode and print."""
    config = vega_config("currentColor", "transparent", "system-ui") | {"padding": 2}  # the page has its own
    return Figure(spec | {"description": description, "config": config}, description, title)


def chart_page(spec: dict[str, Any], *, title: str, subtitle: str, description: str) -> str:
    """A page with one Vega-Lite chart and its caption, as wide as the window; panels stack in a narrow window."""
    return render("chart.html", [figure(spec, description)], title=title, subtitle=subtitle)


def render(template: str, figures: list[Figure], **words: Any) -> str:
    """A page of the lab from a template in `templates/`, with its figures and the libraries that draw them."""
    colours = {"ink": INK, "paper": PAPER, "ink_dark": INK_DARK, "paper_dark": PAPER_DARK, "palette": PALETTE}
    specs = [each.spec for each in figures]
    page = _environment().get_template(template)
    return page.render(colours, figures=figures, specs=specs, libraries=_libraries() if figures else "", **words)


@cache
def _environment() -> Environment:
    """The templates. All text is escaped; NaN and infinity in a chart raise an error."""
    made = Environment(
        loader=PackageLoader("attnlab.report.page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.policies["json.dumps_kwargs"] = {"allow_nan": False}
    made.filters |= {"seconds": format_seconds, "formulas": set_formulas}
    return made


@cache
def _libraries() -> Markup:
    """The code of Vega, Vega-Lite and Vega-Embed."""
    return Markup(vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;").replace("</script", "<\\/script"))
