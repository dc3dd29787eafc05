"""The theory of attention held against the heads of a trained model."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np

from attnlab.benches.heads.opening import HeadsModel, first_tokens, heads_text, open_model_heads, text_option
from attnlab.benches.perplexity.texts import AnyText
from attnlab.calls import Call
from attnlab.contents import Content
from attnlab.evaluation.heads.passes import text_windows
from attnlab.evaluation.heads.settings import TheorySettings
from attnlab.evaluation.heads.theory.equal_lengths import change, equal_lengths, window_bits
from attnlab.evaluation.heads.theory.reach import Reach, reach
from attnlab.evaluation.heads.theory.rows import HeadRows, draw_rows
from attnlab.evaluation.heads.theory.scales import Scale, scale_of
from attnlab.evaluation.heads.theory.sinks import Sink, sink_of
from attnlab.evaluation.heads.theory.spread import LEAST, Spread, predicted_and_observed
from attnlab.evaluation.scoring.intervals import Estimate
from attnlab.models.lens import Head, check_head
from attnlab.progress import SILENT, Observer
from attnlab.records import Called, record
from attnlab.settings import changes

REACHED = 25
"""How many rows of a head are asked what the best query could do, which takes longer than the rest."""


@dataclass(frozen=True)
class Reached:
    """The weight of the attended key, as means over rows: what the head gives; the most that a query of its length can
    give, with a proven bound; and how often the key is in the hull of the others, so that no query can give it all."""

    given: float
    best: float
    bound: float
    hull: int
    rows: int
    lowest: float
    """The least limit of a key in the hull; 1 if there is none."""
    reason: str
    """The proof of that limit in words."""


@dataclass(frozen=True)
class HeadTheory:
    """A head beside the theory."""

    head: Head
    keys: int
    """How many keys its queries see, on average."""
    length: float
    variation: float
    """The mean length of its keys, and the coefficient of variation of the lengths."""
    spread: Spread
    reached: Reached
    scale: Scale
    sink: Sink
    equal: Estimate
    """How many bits per token more the model needs if all keys of this head have the same length."""

    @property
    def normalised(self) -> bool:
        """Whether its keys have one length, so that there is no noise of lengths."""
        return self.variation < LEAST


@record
class Theory(Called):
    """The theory of attention, held against heads of a model."""

    shown_by: ClassVar[str] = "heads.theory.presentation.theory"

    model: str
    text: str
    """The name of the text."""
    heads: Sequence[HeadTheory]
    bits: float
    """The bits per token of the model in these windows."""
    equal: Estimate
    """How many bits per token more it needs if the keys of each head have the same length, in all heads."""
    windows: int
    window: int
    """The number of windows, and the tokens in each."""
    settings: TheorySettings

    @Content(
        "model",
        "text",
        windows=Content(count=int, tokens=int),
        bits_per_token=float,
        equal_lengths=Estimate,
        heads=[Content(HeadTheory, head=str)],
    )
    def to_dict(self) -> dict[str, Any]:
        """The whole content."""
        return {
            "model": self.model,
            "text": self.text,
            "windows": {"count": self.windows, "tokens": self.window},
            "bits_per_token": self.bits,
            "equal_lengths": asdict(self.equal),
            "heads": [{**asdict(each), "head": str(each.head)} for each in self.heads],
        }


def theory(
    model: HeadsModel,
    text: AnyText | None = None,
    heads: str = "",
    settings: TheorySettings | None = None,
    observer: Observer = SILENT,
) -> Theory:
    """Hold the theory against the heads of a model, or against some: "2.1" or "0.3,2.1"."""
    how = settings or TheorySettings()
    opened = open_model_heads(model, how.device)
    wanted = [Head.read(each) for each in heads.split(",")] if heads else []
    for head in wanted:
        check_head(head, opened.inside)
    read = heads_text(opened.subject, text)
    inside, ids = opened.inside, first_tokens(opened.subject, read, how.tokens)
    windows = text_windows(ids, inside.context, opened.subject.start)
    tokens = windows.shape[1] - 1
    drawn = draw_rows(inside, windows, how.rows, how.seed)
    lengths = {each.head: each.length for each in drawn}
    plain = window_bits(inside, windows)
    found = []
    chosen = [each for each in drawn if not wanted or each.head in wanted]
    with observer.task(f"theory beside the heads of {opened.subject.name}", len(chosen)) as task:
        for each in chosen:
            costs = window_bits(inside, windows, equal_lengths(lengths, [each.head]))
            found.append(_beside(each, change(plain, costs, tokens)))
            task.advance(1)
    every = change(plain, window_bits(inside, windows, equal_lengths(lengths, [*lengths])), tokens)
    bits = float(plain.sum()) / (tokens * len(windows))
    count, length = windows.shape
    options = text_option(text, read) | ({"head": heads} if heads else {}) | changes(how, TheorySettings())
    call = Call("heads theory", (opened.subject.name,), options)
    return Theory(opened.subject.name, read.name, found, bits, every, count, length, how, made_by=call)


def _beside(head: HeadRows, equal: Estimate) -> HeadTheory:
    """One head beside the theory."""
    spread, scale, sink = predicted_and_observed(head), scale_of(head), sink_of(head)
    return HeadTheory(head.head, head.keys, head.length, head.variation, spread, _reached(head), scale, sink, equal)


def _reached(head: HeadRows) -> Reached:
    """What the best queries could do in some rows, spread over all."""
    rows = head.rows[:: max(1, len(head.rows) // REACHED)]
    found: list[Reach] = [reach(row) for row in rows]
    inside = [each for each in found if each.limit < 1]
    lowest = min(inside, key=lambda each: each.limit, default=None)
    return Reached(
        *(float(np.mean([getattr(each, name) for each in found])) for name in ("given", "best", "bound")),
        hull=len(inside),
        rows=len(found),
        lowest=lowest.limit if lowest else 1.0,
        reason=lowest.hull if lowest else "",
    )
