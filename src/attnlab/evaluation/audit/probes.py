"""What a model is asked in an audit: rows of the text and of random tokens, few and short enough to be quick."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Int, Integer
from torch import Tensor

from attnlab.evaluation.scoring.predictors import Predictor

ROWS = 4
"""Rows that are asked: all of the text, but for the last."""
MOST_LOGITS = 1 << 21
"""Logits of a row at most."""
MOST_WORK = 3_000_000_000
"""Parameters times positions of a row at most: a row of a large model takes a tenth of a second."""
ROUNDING = 1e-4
"""Nats that rounding may change where sums are made in another order, as another shape of a batch does …"""
LARGE = 50.0
"""… and more in proportion where a token costs more than this, far beyond what is guessed blindly."""
COARSE = 2.0**-5
"""The share of the largest cost that rounding may change in bfloat16, whose own steps are 2⁻⁸ of a number."""
FEWEST = 16
"""Positions that a row has in any case, where the model can see as many."""


@dataclass(frozen=True)
class Probe:
    """Rows of tokens to ask a model with, each one longer than the model is shown: the last is what follows."""

    predictor: Predictor
    tokens: int
    """The ids that a text can have are below this."""
    rows: Int[Tensor, "rows tokens"]
    draws: torch.Generator

    @classmethod
    def of(cls, predictor: Predictor, ids: Integer[np.ndarray, " tokens"], tokens: int, seed: int = 0) -> "Probe":
        """Rows from all over a text; where it is too short, random tokens go on."""
        draws = torch.Generator().manual_seed(seed)
        length = longest(predictor) + 1
        rows = torch.randint(tokens, (ROWS, length), generator=draws)
        starts = np.linspace(0, max(len(ids) - length, 0), ROWS - 1).astype(int)
        for row, start in zip(rows[:-1], starts.tolist(), strict=True):
            some = torch.from_numpy(np.asarray(ids[start : start + length], np.int64))
            row[: len(some)] = some
        return cls(predictor, tokens, rows, draws)

    @property
    def lengths(self) -> list[int]:
        """How many positions are asked: as many as there are, and a few."""
        most = self.rows.shape[1] - 1
        return sorted({most, max(most // 3, 1)}, reverse=True)

    @property
    def tries(self) -> int:
        """How often a thing is tried: once with a large model, up to four times with a small one."""
        return max(1, min(4, MOST_WORK // (10 * parameters(self.predictor) * self.lengths[0])))

    def replaced(self, ids: Int[Tensor, "rows tokens"], after: int) -> Int[Tensor, "rows tokens"]:
        """The rows with every token behind place `after` replaced by another, where there is another."""
        behind = ids[:, after + 1 :]
        step = torch.randint(1, max(self.tokens, 2), behind.shape, generator=self.draws)
        return torch.cat([ids[:, : after + 1], (behind + step) % self.tokens], 1)

    def places(self, length: int, count: int) -> list[int]:
        """Places with at least one behind them: the first, the last, and some between."""
        return np.unique(np.linspace(0, length - 2, count).astype(int)).tolist() if length > 1 else []

    def log_probs(self, ids: Int[Tensor, "batch positions"]) -> Float[Tensor, "batch positions vocab"]:
        """What the model says, with whatever it draws at random drawn alike each time."""
        with drawn_alike(self.predictor.device):
            return self.predictor.log_probs(ids).cpu()

    def nats(
        self, ids: Int[Tensor, "batch positions"], targets: Int[Tensor, "batch last"]
    ) -> Float[Tensor, "batch last"]:
        """What the model charges, with whatever it draws at random drawn alike each time."""
        with drawn_alike(self.predictor.device):
            return self.predictor.nats(ids, targets).cpu()


@contextmanager
def drawn_alike(device: torch.device) -> Iterator[None]:
    """So that dropout that was left on fails the check that is for it, and no other."""
    with torch.random.fork_rng(devices=[] if device.type == "cpu" else [device]):
        torch.manual_seed(0)
        yield


def tolerance(predictor: Predictor, costs: Float[Tensor, "*shape"]) -> float:
    """Nats that rounding may change of such costs, or logarithms of probabilities."""
    largest = costs.abs().nan_to_num(0.0, 0.0).max().item()
    if predictor.dtype == torch.float32:
        return ROUNDING * max(1.0, largest / LARGE)
    return COARSE * max(1.0, largest)


def longest(predictor: Predictor) -> int:
    """How many positions a row has: all that the model can see, or as many as it can be asked quickly."""
    quick = min(MOST_LOGITS // predictor.size, MOST_WORK // parameters(predictor))
    return min(predictor.context, max(quick, FEWEST))


def parameters(predictor: Predictor) -> int:
    """How many numbers an answer takes; 1 of a model without a network, whose work they do not measure."""
    return max(1, sum(each.numel() for each in predictor.module.parameters())) if predictor.module is not None else 1


def largest_change(before: Float[Tensor, "*shape"], after: Float[Tensor, "*shape"]) -> float:
    """The largest difference between two answers; what is no number in both, or endless alike, does not differ.

    >>> largest_change(torch.tensor([1.0, torch.nan, torch.inf]), torch.tensor([1.5, torch.nan, torch.inf]))
    0.5
    >>> largest_change(torch.tensor([1.0]), torch.tensor([torch.nan]))
    inf
    """
    if not before.numel():
        return 0.0
    alike = (before == after) | (before.isnan() & after.isnan())
    change = (after.double() - before.double()).abs().masked_fill(alike, 0.0)
    return change.nan_to_num(nan=torch.inf, posinf=torch.inf).max().item()
