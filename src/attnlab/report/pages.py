"""Pages: one HTML file that carries everything it needs and opens without a network."""

import html
import json
from importlib.resources import files
from string import Template
from typing import Any

import vl_convert

from attnlab.report.look import INK, INK_DARK, PAPER, PAPER_DARK, vega_config


def chart_page(spec: dict[str, Any], *, title: str, subtitle: str, description: str) -> str:
    """A page with one Vega-Lite chart, its caption, and the libraries that draw it.

    The chart is as wide as the window, its panels one below the other where that is narrow. It is drawn in the page's
    own text colour, so it follows light, dark and print as the page does.
    """
    config = vega_config("currentColor", "transparent", "system-ui") | {"padding": 2}  # the page has its own
    spec = spec | {"description": description, "config": config}
    colours = {"ink": INK, "paper": PAPER, "ink_dark": INK_DARK, "paper_dark": PAPER_DARK}
    words = {"title": title, "subtitle": subtitle, "description": description}
    page = Template(files("attnlab.report").joinpath("page.html").read_text(encoding="utf-8"))
    return page.substitute(
        colours,
        **{name: html.escape(text) for name, text in words.items()},
        spec=_in_script(json.dumps(spec, allow_nan=False)),
        libraries=_libraries(),
    )


def _in_script(code: str) -> str:
    """JSON that no text in it can turn into the end of the <script> around it."""
    return code.replace("<", "\\u003c")


def _libraries() -> str:
    """The code of Vega, Vega-Lite and Vega-Embed."""
    return vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;").replace("</script", "<\\/script")
