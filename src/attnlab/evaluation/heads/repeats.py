"""Random tokens that repeat with a period drawn anew for each row, and the scores of heads on them.

A head that continues repeated text must match tokens: the period differs from row to row, so "look n − 1 back" helps in
few rows. The control has the same tokens with each later copy shuffled: there, the same offsets mean nothing.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from attnlab.evaluation.heads.patterns import uniform

LONGEST = 128
"""The most tokens in a row."""
SHORTEST = 4
"""The shortest period."""
ROWS = 16
"""The number of repeated rows, and of control rows."""

Rows = Int[Tensor, "rows positions"]
Places = Float[Tensor, "rows measures queries keys"]
"""How much each weight counts in each measure; a measure is a sum over a row's weights, each times this."""


@dataclass(frozen=True)
class Repeats:
    """Rows of random tokens that repeat, and their controls. In each period, no token occurs twice."""

    ids: Rows
    shuffled: Rows
    """The control: the same first copy, and each later copy in a new order."""
    periods: Int[Tensor, " rows"]
    before: int
    """How many tokens stand before the first copy: 1 if the model has a start token."""

    @property
    def compared(self) -> int:
        """How many tokens of the first copy every row has; copying by logits compares these."""
        return int(self.periods.min())


def draw_repeats(known: Int[Tensor, " tokens"], length: int, seed: int = 0, start: int | None = None) -> Repeats | None:
    """Draw rows from the known tokens. None if they, or the length, are too few for a period of 4.

    >>> found = draw_repeats(torch.arange(100), 12, seed=1)
    >>> found.periods.tolist()[:4], found.ids[0].tolist()
    ([5, 6, 4, 6], [2, 88, 20, 17, 34, 2, 88, 20, 17, 34, 2, 88])
    """
    before = [] if start is None else [start]
    known, length = known[known != start] if before else known, min(length, LONGEST) - len(before)
    longest = min(length // 2, len(known))
    if longest < SHORTEST:
        return None
    draw = torch.Generator().manual_seed(seed)
    shortest = max(SHORTEST, min(length // 4, longest))
    periods = torch.randint(shortest, longest + 1, (ROWS,), generator=draw)
    ids, shuffled = [], []
    for period in periods.tolist():
        tokens = known[torch.randperm(len(known), generator=draw)[:period]]
        orders = [torch.arange(period)]
        while len(orders) * period < length:
            order = torch.randperm(period, generator=draw)
            if len(orders) > 1 or not order.equal(orders[0]):  # else the first later copy would not be shuffled
                orders.append(order)
        opening = torch.tensor(before, dtype=known.dtype)
        ids.append(torch.cat([opening, tokens.repeat(len(orders))[:length]]))
        shuffled.append(torch.cat([opening, torch.cat([tokens[order] for order in orders])[:length]]))
    return Repeats(torch.stack(ids), torch.stack(shuffled), periods, len(before))


def repeated_places(repeats: Repeats) -> Places:
    """The places of induction, duplicate and induction_stripe in the repeated rows."""
    return torch.stack(
        [
            torch.stack([*_copies(row, row, int(period), repeats.before), _stripe(len(row), int(period))])
            for row, period in zip(repeats.ids, repeats.periods, strict=True)
        ]
    )


def control_places(repeats: Repeats) -> Places:
    """The same places for induction and duplicate in the shuffled rows. A query that meets its own token there by
    chance is left out."""
    rows = zip(repeats.ids, repeats.shuffled, repeats.periods, strict=True)
    return torch.stack([torch.stack(_copies(row, other, int(each), repeats.before)) for row, other, each in rows])


def placed_scores(
    weights: Float[Tensor, "rows heads queries keys"], places: Places
) -> Float[Tensor, "rows measures heads"]:
    """Σ over a row's weights, each times how much it counts: one product for all measures."""
    return places.to(weights).flatten(2) @ weights.flatten(2).mT


def placed_chance(places: Places) -> Float[Tensor, " measures"]:
    """The scores of a head that attends evenly to all tokens so far."""
    return (places.double() * uniform(places.shape[-1])).sum((-1, -2)).mean(0)


def stripe(weights: Float[Tensor, "rows heads queries keys"], period: int) -> Float[Tensor, "rows heads"]:
    """The induction score of TransformerLens' demos: the mean of the diagonal with offset 1 − n, for a fixed period."""
    return weights.diagonal(1 - period, -2, -1).mean(-1)


def copying_scores(
    values: Float[Tensor, "rows heads keys dim"],
    tokens: Int[Tensor, "rows compared"],
    before: int,
    out: Float[Tensor, "heads width dim"],
    read: Float[Tensor, "vocab width"],
    middle: Float[Tensor, " width"],
) -> Float[Tensor, "rows heads"]:
    """The share on the attended token of what a head's direct logits raise, among the first tokens of each row.

    `read` has a row for each token, `middle` is the mean of its rows: the logits' mean over the vocabulary.
    """
    values = values[:, :, before : before + tokens.shape[1]]
    towards = (read[tokens.to(read.device)] - middle).to(values)
    raised = (values @ torch.einsum("rtw,hwd->rhtd", towards, out.to(values)).mT).relu()
    return (raised.diagonal(0, -2, -1) / raised.sum(-1).clamp_min(torch.finfo(raised.dtype).tiny)).mean(-1)


def _copies(
    row: Int[Tensor, " positions"], shown: Int[Tensor, " positions"], period: int, before: int
) -> tuple[Float[Tensor, "queries keys"], Float[Tensor, "queries keys"]]:
    """Where earlier copies of each token of a row are: after them (induction), and at them (duplicate).

    Each query counts alike, and all of them together count as 1. In a shuffled row, `shown`, queries that meet their
    own token at such an offset are left out.
    """
    copies = _same(row).tril(-1)
    copies[:, :before] = False
    counted = copies.any(-1)
    if shown is not row:
        counted &= ~(_same(shown) & copies).any(-1)
    share = (copies & counted[:, None]).float() / counted.sum()
    return share.roll(1, -1), share


def _same(row: Int[Tensor, " positions"]) -> Bool[Tensor, "queries keys"]:
    return row[:, None] == row[None, :]


def _stripe(length: int, period: int) -> Float[Tensor, "queries keys"]:
    return torch.ones(length - period + 1).diag_embed(1 - period) / (length - period + 1)
