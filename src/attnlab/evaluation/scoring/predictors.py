"""Models as evaluation sees them: token ids in, the log-probability of every next token out.

Everything that is measured or audited is a `Predictor`: n-gram counts, a network of the lab, or a foreign network.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional

from attnlab.models.bigram import Bigram
from attnlab.models.context_tree import ContextTree
from attnlab.models.kinds import Model, StepwiseModel

LOGITS_AT_ONCE = {"cpu": 1 << 25, "cuda": 1 << 28}
"""The most logits to hold at a time; a GPU needs more of them to be busy."""


class Predictor(ABC):
    """A model that gives every next token a probability.

    `context` is the most tokens that it sees, the latest included; `size` is how many tokens it can predict. `module`
    is its network, if there is one: an audit changes the weights for a moment to find leaking masks.
    """

    context: int
    size: int
    device = torch.device("cpu")
    dtype = torch.float32
    """The precision of its matrix products; rounding errors depend on it."""
    module: nn.Module | None = None

    @abstractmethod
    def log_probs(self, ids: Int[Tensor, "batch positions"]) -> Float[Tensor, "batch positions vocab"]:
        """ln p of every token after each position, given the tokens up to it."""

    def last_log_probs(self, ids: Int[Tensor, "batch positions"]) -> Float[Tensor, "batch vocab"]:
        """ln p of every token after the last position."""
        return self.log_probs(ids)[:, -1]

    @abstractmethod
    def nats(
        self, ids: Int[Tensor, "batch positions"], targets: Int[Tensor, "batch last"]
    ) -> Float[Tensor, "batch last"]:
        """−ln p of the targets: the tokens that follow the last positions, each given the tokens before it."""

    def at_once(self, ids: Int[Tensor, "tokens"]) -> Float[Tensor, "tokens-1"] | None:
        """−ln p of every token but the first; None if the result depends on windows."""
        return None

    def shortened(self, context: int) -> "Predictor":
        """The same model with at most `context` tokens in sight; a model measured in windows is returned unchanged."""
        return self

    @property
    def windowed(self) -> bool:
        """Whether windows make a difference."""
        return self.at_once(torch.zeros(2, dtype=torch.long)) is None


class NGramPredictor(Predictor):
    """An n-gram model, interpolated or of the back-off kind."""

    def __init__(self, model: ContextTree):
        self.model = model
        self.context, self.size = max(model.order - 1, 1), model.size

    def log_probs(self, ids: Int[Tensor, "batch positions"]) -> Float[Tensor, "batch positions vocab"]:
        """ln p of every token after each position."""
        rows = [[self.model.next(row[: end + 1]) for end in range(len(row))] for row in ids.numpy()]
        return torch.from_numpy(np.log(np.array(rows)))

    def last_log_probs(self, ids: Int[Tensor, "batch positions"]) -> Float[Tensor, "batch vocab"]:
        """ln p of every token after the last position; no other position is computed."""
        rows = np.array([self.model.next(row) for row in ids.numpy()])
        return torch.from_numpy(np.log(rows, out=rows))

    def nats(
        self, ids: Int[Tensor, "batch positions"], targets: Int[Tensor, "batch last"]
    ) -> Float[Tensor, "batch last"]:
        """−ln p of the targets."""
        last = targets.shape[1]
        rows = torch.cat([ids, targets[:, -1:]], 1).numpy()
        return torch.from_numpy(self.model.rows_nats(rows)[:, -last:])

    def at_once(self, ids: Int[Tensor, "tokens"]) -> Float[Tensor, "tokens-1"]:
        """−ln p of every token but the first."""
        return torch.from_numpy(self.model.nats(ids.numpy())[1:])

    def shortened(self, context: int) -> "NGramPredictor":
        """The model with counts of shorter n-grams only."""
        return NGramPredictor(self.model.shortened(context))


class NetworkPredictor(Predictor):
    """A network that maps ids to logits; `logits(ids, last)` returns the logits of the last positions only."""

    def __init__(
        self,
        logits: Callable[[Tensor, int], Tensor],
        context: int,
        size: int,
        device: torch.device,
        module: nn.Module | None = None,
    ):
        self.logits, self.context, self.size, self.device, self.module = logits, context, size, device, module

    @torch.no_grad()
    def log_probs(self, ids: Int[Tensor, "batch positions"]) -> Float[Tensor, "batch positions vocab"]:
        """ln p of every token after each position."""
        return torch.log_softmax(self.logits(ids.to(self.device), ids.shape[1]).float(), -1)

    @torch.no_grad()
    def nats(
        self, ids: Int[Tensor, "batch positions"], targets: Int[Tensor, "batch last"]
    ) -> Float[Tensor, "batch last"]:
        """−ln p of the targets."""
        logits = self.logits(ids.to(self.device), targets.shape[1]).float()
        costs = functional.cross_entropy(logits.flatten(0, 1), targets.to(self.device).flatten(), reduction="none")
        return costs.view(targets.shape)


def halved(network: NetworkPredictor) -> NetworkPredictor:
    """The same network with its matrix products in bfloat16."""

    def logits(ids: Tensor, last: int) -> Tensor:
        with torch.autocast(network.device.type, torch.bfloat16):
            return network.logits(ids, last)

    found = NetworkPredictor(logits, network.context, network.size, network.device, network.module)
    found.dtype = torch.bfloat16
    return found


class BigramPredictor(NetworkPredictor):
    """A neural bigram model, which sees one token."""

    def __init__(self, model: Bigram):
        super().__init__(lambda ids, last: model(ids[:, -last:]), 1, model.size, model.vectors.device, model)
        self.model = model

    def at_once(self, ids: Int[Tensor, "tokens"]) -> Float[Tensor, "tokens-1"]:
        """−ln p of every token but the first."""
        return self.model.nats(ids.to(self.device))


def predictor_of(model: Model | ContextTree) -> Predictor:
    """A model of the lab as a predictor; turns dropout off."""
    if isinstance(model, ContextTree):
        return NGramPredictor(model)
    model.eval()
    if isinstance(model, Bigram):
        return BigramPredictor(model)
    device = next(model.parameters()).device
    return NetworkPredictor(_last_logits(model), model.config.context, model.readout.out_features, device, model)


def _last_logits(model: StepwiseModel) -> Callable[[Tensor, int], Tensor]:
    return lambda ids, last: model.readout(model.hidden(ids)[:, -last:])
