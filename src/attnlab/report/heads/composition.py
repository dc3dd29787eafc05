"""How the composition of heads is shown: the pairs farthest above chance, and maps of all pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attnlab.report.blocks import Drawing, Presentation, borderless
from attnlab.report.writing.lines import on_one_line

if TYPE_CHECKING:
    import altair as alt

    from attnlab.benches.heads.composition import ComposedPair, Composition
    from attnlab.evaluation.heads.composition import Reading

MOST = 12
"""How many pairs the table has."""
COLUMNS = ("later head", "earlier head", "in its", "score", "chance", "above by")
READ = {"query": "queries", "key": "keys", "value": "values"}
MEANING = (
    "score     how strongly the later head reads what the earlier one writes, from 0 to 1",
    "chance    the score of two heads with random matrices",
    "above by  the distance from chance, in standard deviations (sd) of such pairs",
)


def composition(found: Composition) -> Presentation:
    """The pairs farthest above chance."""
    pairs = found.pairs
    cells = [
        (
            str(each.later),
            str(each.earlier),
            READ[each.reading],
            f"{each.score:.3f}",
            _chance(found, each),
            _above(each),
        )
        for each in pairs[:MOST]
    ]
    rows = [
        {"later": str(each.later), "earlier": str(each.earlier), "reading": each.reading, "score": each.score}
        | {"chance": found.chance[each.reading].value, "above": each.above}
        for each in pairs
    ]
    note = f"{MOST} of {len(pairs):,} pairs, those farthest above chance" if len(pairs) > MOST else ""
    title = f"Composition of the heads of {on_one_line(found.model)}"
    table = borderless(COLUMNS, cells, words=3, note=note)
    return Presentation([title, table, "", *MEANING], lambda: _drawing(found, title), rows=rows)


def _chance(found: Composition, pair: ComposedPair) -> str:
    return f"{found.chance[pair.reading].value:.3f}"


def _above(pair: ComposedPair) -> str:
    return f"{pair.above:.1f} sd"


def _drawing(found: Composition, title: str) -> Drawing:
    import altair as alt

    first = found.pairs[0]
    maps = [_map(found, reading) for reading in found.scores]
    words = (
        f"A cell is a pair of heads; the stronger its colour, the more the later head reads what the earlier one "
        f"writes. Farthest above chance is {first.later}, which reads {first.earlier} in its {READ[first.reading]}: "
        f"{first.score:.3f}."
    )
    return Drawing(alt.hconcat(*maps).properties(title=title), title, words)


def _map(found: Composition, reading: Reading) -> alt.LayerChart:
    from attnlab.report.charts.heat_map import heat_map

    pairs = [each for each in found.pairs if each.reading == reading]
    later = sorted({each.later for each in pairs})
    earlier = sorted({each.earlier for each in pairs})
    cells = [
        {
            "row": later.index(each.later),
            "column": earlier.index(each.earlier),
            "strength": each.score,
            "text": f"{each.score:.2f}",
            "told": f"{each.later} reads {each.earlier} in its {READ[reading]}: {each.score:.3f}",
        }
        for each in pairs
    ]
    names = [str(each) for each in later], [str(each) for each in earlier]
    return heat_map(cells, *names, "later head", f"earlier head, read in {READ[reading]}")
