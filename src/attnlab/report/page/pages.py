"""Pages: single HTML files that need no network.

A chart on a page is first a still SVG, which prints and needs no script. Where scripts run, it is drawn again with
tooltips and to fit the window.
"""

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from attnlab.numbers import format_seconds
from attnlab.report.charts.files import svg, visible_spec
from attnlab.report.charts.look import INK, INK_DARK, PALETTE, PAPER, PAPER_DARK, vega_config
from attnlab.report.page.libraries import vega_code
from attnlab.report.writing.lines import harmless
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
    return Figure(visible_spec(spec | {"description": description}) | {"config": config}, description, title)


def chart_page(spec: dict[str, Any], *, title: str, subtitle: str, description: str) -> str:
    """A page with one Vega-Lite chart and its caption, as wide as the window; panels stack in a narrow window."""
    return render("chart.html", [figure(spec, description)], title=title, subtitle=subtitle)


def render(template: str, figures: list[Figure], *, scripts: Sequence[str] = (), **words: Any) -> str:
    """A page of the lab from a template in `templates/`, with its figures and the libraries that draw them. `scripts`
    are the names of further scripts there."""
    colours = {"ink": INK, "paper": PAPER, "ink_dark": INK_DARK, "paper_dark": PAPER_DARK, "palette": PALETTE}
    specs = [each.spec for each in figures]
    code = [_libraries(), _script("base/figures.js", specs=specs)] if figures else []
    code += [_script(name) for name in scripts]
    page = _environment().get_template(template)
    return page.render(colours, figures=figures, scripts=code, policy=_policy(code, charts=bool(figures)), **words)


@cache
def _environment() -> Environment:
    """The templates. All text is escaped, and what is invisible in it is made visible; NaN and infinity in a chart
    raise an error."""
    made = Environment(
        loader=PackageLoader("attnlab.report.page"),
        autoescape=True,
        finalize=shown,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.policies["json.dumps_kwargs"] = {"allow_nan": False}
    made.filters |= {"seconds": format_seconds, "formulas": set_formulas, "shown": shown}
    return made


def shown(value: Any) -> Any:
    """A text for a page, with characters that are invisible or turn others around made visible. Markup, which was made
    of such texts, stays."""
    return harmless(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _script(name: str, **words: Any) -> Markup:
    """A script in `templates/`."""
    return Markup(_environment().get_template(name).render(words))


def _policy(scripts: Sequence[str], *, charts: bool) -> Markup:
    """The Content-Security-Policy of a page: nothing is loaded from anywhere, and only these scripts run. Vega compiles
    the expressions of charts, hence unsafe-eval."""
    hashes = [f"'sha256-{b64encode(sha256(each.encode()).digest()).decode()}'" for each in scripts]
    hashes += ["'unsafe-eval'"] if charts else []
    allowed = f"; script-src {' '.join(hashes)}" if hashes else ""
    rest = "style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
    return Markup(f"default-src 'none'{allowed}; {rest}")


@cache
def _libraries() -> Markup:
    """The code of Vega, Vega-Lite and Vega-Embed."""
    code = vega_code().replace("\r", "")  # a browser would drop \r before it computes the hash
    return Markup(code.replace("</script", "<\\/script"))
