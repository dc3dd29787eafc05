"""The chart of the kinds of errors: how often each is the first kind of an error, and how often it is one at all.

Importing this module brings altair along, which takes half a second.
"""

from dataclasses import dataclass
from pathlib import Path

import altair as alt

from attnlab.report.charts import save_chart
from attnlab.report.figures import BAR_STEP
from attnlab.report.look import PALETTE


@dataclass(frozen=True)
class KindBar:
    """A kind, and how many errors have it as their first and at all."""

    kind: str
    first: int
    held: int


@dataclass(frozen=True)
class KindsOfErrors:
    """The kinds of the errors of a classifier on some data."""

    classifier: str
    data: str
    texts: int
    errors: int
    bars: tuple[KindBar, ...]

    @property
    def title(self) -> str:
        """What is shown."""
        return f"Why {self.classifier} misreads {self.data}"

    @property
    def subtitle(self) -> str:
        """Of how many errors."""
        return (
            f"{self.errors:,} errors in {self.texts:,} texts. Blue: an error's first kind; with grey: any of its kinds"
        )

    @property
    def description(self) -> str:
        """In words what the chart shows."""
        told = ", ".join(f"{each.kind} {each.first:,} (in all {each.held:,})" for each in self.bars)
        return f"Errors by their first kind: {told}. An error may be of several kinds."


def draw_kinds(kinds: KindsOfErrors) -> alt.LayerChart:
    """Two bars on one line a kind: grey for all errors that have it, and on it blue for those that have it first."""
    count = max(kinds.errors, 1)
    rows = [
        {
            "row": place,
            "first": each.first / count,
            "held": each.held / count,
            "text": f"{each.kind}: {each.first / count:.0%} first, {each.held / count:.0%} in all",
        }
        for place, each in enumerate(kinds.bars)
    ]
    x = alt.X("held:Q", title="share of the errors", axis=alt.Axis(format="%", tickCount=5), scale=alt.Scale(nice=True))
    y = alt.Y("row:O", axis=None, scale=alt.Scale(paddingInner=0.62, paddingOuter=0.31))
    base = alt.Chart(alt.Data(values=rows)).encode(y=y)
    tooltip = [alt.Tooltip("text:N", title="kind")]
    return alt.LayerChart(
        layer=[
            base.mark_bar(color="#808080", opacity=0.45).encode(x=x, tooltip=tooltip),
            base.mark_bar(color=PALETTE[0]).encode(x=alt.X("first:Q"), tooltip=tooltip),
            base.mark_text(align="left", baseline="bottom", dy=-10, limit=0).encode(x=alt.value(0), text="text:N"),
        ],
        height=alt.Step(BAR_STEP),
    )


def save_kinds(kinds: KindsOfErrors, path: Path) -> None:
    """Write the chart to a file: .png, .svg or .html."""
    chart = draw_kinds(kinds).properties(title=kinds.subtitle)
    save_chart(chart, path, title=kinds.title, description=kinds.description)
