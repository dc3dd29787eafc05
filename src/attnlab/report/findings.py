"""The report: what running the ledger found, as one page that a teacher can hand out.

It is made from the value that `findings.json` holds and from nothing else, so it can be made again from that file.
"""

import shlex
from collections import Counter
from collections.abc import Mapping
from typing import Any

from attnlab.report.figures import draw_chart, read_chart
from attnlab.report.pages import Figure, figure, render
from attnlab.report.verdicts import SYMBOLS, in_words

STILL_WIDTH = 620
"""The width of a chart's panel before the page has drawn it to fit."""


def report_page(found: Mapping[str, Any]) -> str:
    """The page of the findings: a summary of what holds and what does not, then a section a family."""
    findings = found["findings"]
    figures = {each["id"]: _figure(each["chart"]) for each in findings if each["chart"]}
    families = [
        {**family, "findings": [each for each in findings if each["family"] == family["name"]]}
        for family in found["families"]
    ]
    return render(
        "report.html",
        list(figures.values()),
        title="What holds, and what does not",
        found=found,
        families=[family for family in families if family["findings"]],
        counts=in_words(Counter(each["verdict"] for each in findings)),
        symbols=SYMBOLS,
        figure_of=figures,
        number_of={name: number for number, name in enumerate(figures)},
        seconds=sum(each["seconds"] for each in findings),
        command=_command(found),
    )


def _figure(chart: Mapping[str, Any]) -> Figure:
    """A finding's chart for the page."""
    spec = draw_chart(read_chart(chart)).to_dict()
    return figure(spec | {"width": STILL_WIDTH}, chart["description"], chart["title"])


def _command(found: Mapping[str, Any]) -> str:
    """What to type to find the same again."""
    only = ["--only", ",".join(found["only"])] if found["only"] else []
    return shlex.join(["attnlab", "run", *only, "--seed", str(found["seed"])])
