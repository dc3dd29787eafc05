"""Models as evaluation sees them: token ids in, the log-probability of every next token out.

Everything that is measured or audited is a `Predictor`: n-gram counts, a network of the lab, or an external network.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional

from attnlab.models.bigram import Bigram
from attnlab.models.kinds import Model, StepwiseModel
from attnlab.models.ngrams.context_tree import ContextTree
from attnlab.models.transformer import Transformer

LOGITS_AT_ONCE = {"cpu": 1 << 25, "cuda": 1 << 28}
"""The most logits to hold at a time; a GPU needs more of them to be busy."""
LOGITS_IN_CACHE = 1 << 20
"""The logits of a block that stays in a core's cache while its exponentials are added."""
TOKENS_IN_CACHE = 1024
"""The tokens that a Transformer reads at a time on a CPU: enough for matrix products, and few enough for the cache."""


class Predictor(ABC):
    """A model that gives every next token a probability.

    `context` is the most tokens that it sees, the latest included; `size` is how many tokens it can predict. `module`
    is its network, if there is one: an audit changes the weights for a moment to find leaking masks.
    """

    context: int
    size: int
    most_tokens = 1 << 20
    """The most tokens to read at once."""
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


class ReadoutPredictor(NetworkPredictor):
    """A network of the lab: hidden vectors, and a linear read-out of their logits."""

    def __init__(self, model: StepwiseModel):
        device = next(model.parameters()).device
        super().__init__(_last_logits(model), model.config.context, model.readout.out_features, device, model)
        self.model = model
        if device.type == "cpu" and isinstance(model, Transformer):
            self.most_tokens = TOKENS_IN_CACHE

    @torch.no_grad()
    def nats(
        self, ids: Int[Tensor, "batch positions"], targets: Int[Tensor, "batch last"]
    ) -> Float[Tensor, "batch last"]:
        """−ln p of the targets. A CPU computes the logits in blocks of the vocabulary: all logits of a window would
        not fit into its cache, and moving them costs more than their exponentials."""
        if self.device.type != "cpu":
            return super().nats(ids, targets)
        hidden = self.model.hidden(ids)[:, -targets.shape[1] :].flatten(0, 1)
        return blockwise_nats(hidden, self.model.readout, targets.flatten()).view(targets.shape)


def blockwise_nats(
    hidden: Float[Tensor, "rows width"], readout: nn.Linear, targets: Int[Tensor, "rows"]
) -> Float[Tensor, "rows"]:
    """−ln softmax(readout(hidden)) of the targets: the cross-entropy, with only some of the logits in memory."""
    columns = max(1, LOGITS_IN_CACHE // max(1, len(hidden)))
    blocks = readout.weight.split(columns)
    biases = [None] * len(blocks) if readout.bias is None else readout.bias.split(columns)
    right = torch.zeros(len(hidden))
    sums = []
    for number, (weight, bias) in enumerate(zip(blocks, biases, strict=True)):
        logits = functional.linear(hidden, weight, bias).float()
        rows = (targets // columns == number).nonzero()[:, 0]
        right[rows] = logits[rows, targets[rows] % columns]
        top = logits.amax(1, keepdim=True).clamp_(min=torch.finfo(torch.float32).min)  # −∞ − (−∞) would be NaN
        sums.append(logits.sub_(top).exp_().sum(1).log_() + top[:, 0])
    return (torch.stack(sums, 1).double().logsumexp(1) - right).float()


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
    return ReadoutPredictor(model)


def _last_logits(model: StepwiseModel) -> Callable[[Tensor, int], Tensor]:
    return lambda ids, last: model.readout(model.hidden(ids)[:, -last:])
