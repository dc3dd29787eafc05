"""The page of a text as heads see it: a small map of each head, one large map, and arcs over the text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attnlab.report.heads.look.embedded import LARGEST_PAGE, embedded
from attnlab.report.page.pages import render
from attnlab.report.writing.lines import visible

if TYPE_CHECKING:
    from attnlab.benches.heads.look import HeadPatterns

EXACT = "The numbers are exact to float32."
ROUNDED = (
    "To keep this page small, a weight w has an error of up to √w / 255, which the numbers show: 0.0100 ± 0.0004. "
    "A page of fewer heads (--head) has exact numbers, and so have the files of --save."
)


def look_page(found: HeadPatterns, largest: int = LARGEST_PAGE) -> str:
    """The page. Its weights are in the file, so that it needs no network; `largest` is the most bytes for them."""
    carried = embedded(found, largest)
    named = [name for name, _ in carried.heads]
    data = {
        "tokens": [visible(each) for each in found.tokens],
        "heads": found.heads,
        "layers": list(dict.fromkeys(each.partition(".")[0] for each in found.heads)),
        "exact": carried.exact,
        "side": carried.side,
        "query": found.query,
    }
    return render(
        "look/page.html",
        [],
        scripts=["look/page.js"],
        title=f"What the heads of {visible(found.model)} attend to",
        count="1 head" if len(found.heads) == 1 else f"{len(found.heads)} heads",
        found=found,
        data=data,
        carried=carried,
        columns=1 + max(int(each.partition(".")[2]) for each in found.heads),
        precision=EXACT if carried.exact else ROUNDED,
        left_out=[each for each in found.heads if each not in named],
        start=visible(found.tokens[0]) if found.started else None,
    )
