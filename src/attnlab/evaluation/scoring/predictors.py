"""Models as evaluation sees them: tokens in, the logarithm of every next token's probability out.

Whatever is measured or audited is a `Predictor`, be it counts, a network of the lab or one from elsewhere.
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
from attnlab.models.ngram import NGram

LOGITS_AT_ONCE = {"cpu": 1 << 25, "cuda": 1 << 28}
"""How many logits are held at a time; a GPU needs more of them to be busy."""


class Predictor(ABC):
    """What gives the next token a probability.

    `context` is how many tokens it sees at most, the latest included; `size` how many it can predict. `module` is the
    network that it asks, where that is at hand: an audit changes its weights for a moment to see what its mask hides.
    """

    context: int
    size: int
    device = torch.device("cpu")
    dtype = torch.float32
    """What it multiplies in: what rounding may change follows from it."""
    module: nn.Module | None = None

    @abstractmethod
    def log_probs(self, ids: Int[Tensor, "batch positions"]) -> Float[Tensor, "batch positions vocab"]:
        """ln p of every token after each position, given the tokens up to it."""

    @abstractmethod
    def nats(
        self, ids: Int[Tensor, "batch positions"], targets: Int[Tensor, "batch last"]
    ) -> Float[Tensor, "batch last"]:
        """−ln p of the targets: the tokens that follow the last positions, each given the tokens before it."""

    def at_once(self, ids: Int[Tensor, "tokens"]) -> Float[Tensor, "tokens-1"] | None:
        """−ln p of every token but the first, where a model sees so little that windows make no difference."""
        return None

    def shortened(self, context: int) -> "Predictor":
        """The same model where it sees at most `context` tokens. One that is measured in windows is left as it is."""
        return self

    @property
    def windowed(self) -> bool:
        """Whether windows make a difference."""
        return self.at_once(torch.zeros(2, dtype=torch.long)) is None


class NGramPredictor(Predictor):
    """An n-gram model."""

    def __init__(self, model: NGram):
        self.model = model
        self.context, self.size = max(model.order - 1, 1), model.size

    def log_probs(self, ids: Int[Tensor, "batch positions"]) -> Float[Tensor, "batch positions vocab"]:
        """ln p of every token after each position."""
        rows = [[self.model.next(row[: end + 1]) for end in range(len(row))] for row in ids.numpy()]
        return torch.from_numpy(np.log(np.array(rows)))

    def nats(
        self, ids: Int[Tensor, "batch positions"], targets: Int[Tensor, "batch last"]
    ) -> Float[Tensor, "batch last"]:
        """−ln p of the targets."""
        last = targets.shape[1]
        rows = torch.cat([ids, targets[:, -1:]], 1).numpy()
        return torch.from_numpy(np.stack([self.model.nats(row)[-last:] for row in rows]))

    def at_once(self, ids: Int[Tensor, "tokens"]) -> Float[Tensor, "tokens-1"]:
        """−ln p of every token but the first."""
        return torch.from_numpy(self.model.nats(ids.numpy())[1:])

    def shortened(self, context: int) -> "NGramPredictor":
        """The counts of shorter n-grams."""
        return NGramPredictor(NGram(self.size, self.model.levels[: context + 1]))


class NetworkPredictor(Predictor):
    """A network that maps ids to logits; `logits(ids, last)` gives those of the last positions alone."""

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


def predictor_of(model: Model) -> Predictor:
    """A model of the lab as a predictor; dropout is off from here on."""
    if isinstance(model, NGram):
        return NGramPredictor(model)
    model.eval()
    if isinstance(model, Bigram):
        return BigramPredictor(model)
    device = next(model.parameters()).device
    return NetworkPredictor(_last_logits(model), model.config.context, model.readout.out_features, device, model)


def _last_logits(model: StepwiseModel) -> Callable[[Tensor, int], Tensor]:
    return lambda ids, last: model.readout(model.hidden(ids)[:, -last:])
