"""Models whose costs are known, or depend on all that they see."""

from collections.abc import Callable

import numpy as np
import pytest
import torch

from attnlab.data.texts.loading import TrainingText
from attnlab.evaluation.scoring.predictors import NetworkPredictor, Predictor
from attnlab.evaluation.scoring.subjects import Subject
from attnlab.text import Tokenizer, train_tokenizer


class Priced(Predictor):
    """Each token has a price in nats, whatever comes before it."""

    def __init__(self, prices: np.ndarray, context: int = 8):
        self.prices, self.size, self.context = torch.from_numpy(prices), len(prices), context

    def log_probs(self, ids: torch.Tensor) -> torch.Tensor:
        """The prices, everywhere."""
        return -self.prices.expand(*ids.shape, -1)

    def nats(self, ids: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        """The targets' prices."""
        return self.prices[targets]


def restless(seed: int, size: int, context: int) -> NetworkPredictor:
    """A model that predicts something else whenever anything in its window changes."""
    table = torch.randn(97, size, generator=torch.Generator().manual_seed(seed))

    def logits(ids: torch.Tensor, last: int) -> torch.Tensor:
        return table[(ids * 31 + 7).cumsum(1) % 97][:, -last:]

    return NetworkPredictor(logits, context, size, torch.device("cpu"))


def subject(kind: str, text: str, seed: int, context: int, **options: object) -> Subject:
    """A restless model with the tokenizer of a kind for a text."""
    tokens: Tokenizer = train_tokenizer(kind, text, **options)
    unknown = 0 if kind in ("words", "characters") else None
    return Subject(f"{kind} {seed}", tokens, restless(seed, tokens.size, context), unknown=unknown)


@pytest.fixture
def restless_subject() -> Callable[..., Subject]:
    return subject


@pytest.fixture
def priced_subject() -> Callable[..., Subject]:
    """A model of bytes: 1 nat each, but for those with another price."""

    def make(name: str = "priced", trained_on: str | None = None, **prices: float) -> Subject:
        table = np.ones(256)
        for characters, price in prices.items():
            table[[*characters.encode()]] = price
        return Subject(
            name,
            train_tokenizer("bytes", ""),
            Priced(table),
            trained_on=TrainingText(trained_on) if trained_on else None,
        )

    return make
