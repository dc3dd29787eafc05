"""The questions of an audit: a few rows of tokens, from the text and random, short enough to be quick."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Int, Integer
from torch import Tensor

from attnlab.evaluation.scoring.predictors import Predictor
from attnlab.models.devices import seed_device

ROWS = 4
"""The number of rows: all but the last are from the text; the last is random."""
MOST_LOGITS = 1 << 21
"""The most logits of a row."""
MOST_WORK = 3_000_000_000
"""The most parameters times positions of a row: 0.1 seconds a row for a large model."""
ROUNDING = 1e-4
"""Nats that rounding may change where another batch shape sums in another order …"""
LARGE = 50.0
"""… and proportionally more where a token costs more than this many nats, far more than a blind guess costs."""
COARSE = 2.0**-5
"""The share of the largest cost that rounding may change in bfloat16, whose relative precision is 2⁻⁸."""
FEWEST = 16
"""The fewest positions of a row, if the model's context is that long."""


@dataclass(frozen=True)
class Probe:
    """Rows of tokens for the model. Each row has one token more than the model is shown: the last target."""

    predictor: Predictor
    tokens: int
    """The tokenizer's vocabulary size: ids of a text are smaller."""
    rows: Int[Tensor, "rows tokens"]
    draws: torch.Generator

    @classmethod
    def of(cls, predictor: Predictor, ids: Integer[np.ndarray, " tokens"], tokens: int, seed: int = 0) -> "Probe":
        """Rows from all over a text; random tokens fill up the rows of a short text."""
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
        """The numbers of positions to ask with: all of them, and a third."""
        most = self.rows.shape[1] - 1
        return sorted({most, max(most // 3, 1)}, reverse=True)

    @property
    def tries(self) -> int:
        """How often to repeat a test: once for a large model, up to four times for a small one."""
        return max(1, min(4, MOST_WORK // (10 * parameters(self.predictor) * self.lengths[0])))

    def replaced(self, ids: Int[Tensor, "rows tokens"], after: int) -> Int[Tensor, "rows tokens"]:
        """The rows with every token after place `after` replaced by a different one."""
        behind = ids[:, after + 1 :]
        step = torch.randint(1, max(self.tokens, 2), behind.shape, generator=self.draws)
        return torch.cat([ids[:, : after + 1], (behind + step) % self.tokens], 1)

    def places(self, length: int, count: int) -> list[int]:
        """`count` places that have a token after them: the first, the last, and some between."""
        return np.unique(np.linspace(0, length - 2, count).astype(int)).tolist() if length > 1 else []

    def log_probs(self, ids: Int[Tensor, "batch positions"]) -> Float[Tensor, "batch positions vocab"]:
        """The model's ln p; the random generator starts from the same seed each time."""
        with fixed_seed(self.predictor.device):
            return self.predictor.log_probs(ids).cpu()

    def nats(
        self, ids: Int[Tensor, "batch positions"], targets: Int[Tensor, "batch last"]
    ) -> Float[Tensor, "batch last"]:
        """The model's costs; the random generator starts from the same seed each time."""
        with fixed_seed(self.predictor.device):
            return self.predictor.nats(ids, targets).cpu()


@contextmanager
def fixed_seed(device: torch.device) -> Iterator[None]:
    """Fixes the random seed inside the block, so that dropout left on fails the determinism check only."""
    with torch.random.fork_rng(devices=[] if device.type == "cpu" else [device]):
        seed_device(device, 0)
        yield


def tolerance(predictor: Predictor, costs: Float[Tensor, "*shape"]) -> float:
    """The nats that rounding may change in costs, or in log-probabilities, of this size."""
    largest = costs.abs().nan_to_num(0.0, 0.0).max().item()
    if predictor.dtype == torch.float32:
        return ROUNDING * max(1.0, largest / LARGE)
    return COARSE * max(1.0, largest)


def longest(predictor: Predictor) -> int:
    """How many positions a row has: the model's context, or fewer if that would be slow."""
    quick = min(MOST_LOGITS // predictor.size, MOST_WORK // parameters(predictor))
    return min(predictor.context, max(quick, FEWEST))


def parameters(predictor: Predictor) -> int:
    """The number of parameters of the network; 1 for a model without a network."""
    return max(1, sum(each.numel() for each in predictor.module.parameters())) if predictor.module is not None else 1


def largest_change(before: Float[Tensor, "*shape"], after: Float[Tensor, "*shape"]) -> float:
    """The largest difference between two answers. Places where both are NaN, or the same infinity, do not differ.

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
