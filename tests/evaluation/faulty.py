"""Models and tokenizers with one fault each, as they are met in practice: an audit must find every one of them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import torch
from jaxtyping import Int, Integer
from torch import Tensor, nn

from attnlab.evaluation.scoring.predictors import NetworkPredictor, Predictor
from attnlab.text import Encoding
from attnlab.text.encoding import utf8

CONTEXT, WIDTH = 12, 16
CPU = torch.device("cpu")

Mask = Callable[[int], Tensor]
"""What is added to the logits, for a number of queries and keys."""


def later(positions: int, behind: int = 1) -> Tensor:
    """True where a key is at least this number of places behind the query."""
    return torch.ones(positions, positions).triu(behind).bool()


def sound(positions: int) -> Tensor:
    """−∞ for all that comes later."""
    return torch.zeros(positions, positions).masked_fill(later(positions), -torch.inf)


def no_mask(positions: int) -> Tensor:
    """Everything is seen."""
    return torch.zeros(positions, positions)


def finite(positions: int, lowest: float = -1e4) -> Tensor:
    """Not −∞ but a number that passes for it."""
    return torch.zeros(positions, positions).masked_fill(later(positions), lowest)


def shifted(positions: int) -> Tensor:
    """One too far: token t + 1 is seen."""
    return torch.zeros(positions, positions).masked_fill(later(positions, 2), -torch.inf)


def far(positions: int) -> Tensor:
    """The next tokens are hidden, and those more than five places off are forgotten."""
    hidden = later(positions) & ~later(positions, 6)
    return torch.zeros(positions, positions).masked_fill(hidden, -torch.inf)


def far_along(positions: int) -> Tensor:
    """In the second half of a full window, everything is seen."""
    hidden = later(positions) & (torch.arange(positions)[:, None] <= CONTEXT // 2)
    return torch.zeros(positions, positions).masked_fill(hidden, -torch.inf)


class Attending(nn.Module):
    """A Transformer in the layout of the lab's, with whatever mask it is given."""

    def __init__(self, size: int, mask: Mask, *, layers: int = 2, heads: int = 2, qk_norm: bool = False, seed: int = 0):
        super().__init__()
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.embedding, self.position = nn.Embedding(size, WIDTH), nn.Embedding(CONTEXT, WIDTH)
            self.norms = nn.ModuleList(nn.LayerNorm(WIDTH) for _ in range(layers + 1))
            self.qkv = nn.ModuleList(nn.Linear(WIDTH, 3 * WIDTH) for _ in range(layers))
            self.readout = nn.Linear(WIDTH, size)
            for each in self.parameters():
                if each.dim() == 2:
                    nn.init.normal_(each, std=0.1)
        self.mask, self.heads, self.qk_norm = mask, heads, qk_norm

    def forward(self, ids: Tensor) -> Tensor:
        """The logits."""
        x = self.embedding(ids) + self.position.weight[: ids.shape[1]]
        for norm, qkv in zip(self.norms, self.qkv, strict=False):
            q, k, v = (part.unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in qkv(norm(x)).chunk(3, -1))
            if self.qk_norm:
                q, k = (nn.functional.rms_norm(part, part.shape[-1:]) for part in (q, k))
            weights = torch.softmax(q @ k.mT / q.shape[-1] ** 0.5 + self.mask(ids.shape[1]), -1)
            x = x + (weights @ v).transpose(1, 2).flatten(2)
        return self.readout(self.norms[-1](x))


def attending(mask: Mask, size: int = 256, **options: Any) -> NetworkPredictor:
    """A predictor with a mask."""
    return as_network(Attending(size, mask, **options), size)


def as_network(module: nn.Module, size: int = 256) -> NetworkPredictor:
    """A module as a predictor."""
    return NetworkPredictor(lambda ids, last: module(ids)[:, -last:], CONTEXT, size, CPU, module)


class Changed(nn.Module):
    """A sound model whose logits something is done to."""

    def __init__(self, change: Callable[[Tensor], Tensor], size: int = 256):
        super().__init__()
        self.model, self.change = Attending(size, sound), change

    def forward(self, ids: Tensor) -> Tensor:
        """The changed logits."""
        return self.change(self.model(ids))


def by_batch_mean(logits: Tensor) -> Tensor:
    """As a batch norm that was left in training does: the mean over the batch is taken away."""
    return logits - logits.mean(0, keepdim=True)


def by_batch_size(logits: Tensor) -> Tensor:
    """Something adds up over the batch."""
    return logits * (1 + 0.1 * len(logits))


def not_a_number(logits: Tensor) -> Tensor:
    """0/0 at the fourth position."""
    places = torch.arange(logits.shape[1])[:, None]
    return logits.masked_fill(places == 3, torch.nan)


class Telling(nn.Module):
    """A sound model that gives one token away: where it comes next, it is taken for likely."""

    def __init__(self, token: int, from_place: int = 0):
        super().__init__()
        self.model, self.token, self.from_place = Attending(256, sound), token, from_place

    def forward(self, ids: Tensor) -> Tensor:
        """The logits, with 8 more for the token where it comes next."""
        logits = self.model(ids)
        comes = (ids[:, 1:] == self.token) & (torch.arange(1, ids.shape[1]) > self.from_place)
        logits[:, :-1, self.token] += 8.0 * comes
        return logits


class Peeking(nn.Module):
    """A sound model that looks at the row below: windows that follow each other, so it begins with what comes next."""

    def __init__(self, from_rows: int = 2):
        super().__init__()
        self.model, self.from_rows = Attending(256, sound), from_rows

    def forward(self, ids: Tensor) -> Tensor:
        """The logits, with 8 more at each row's end for the token that the next row begins with."""
        logits = self.model(ids)
        if len(ids) >= self.from_rows:
            logits[torch.arange(len(ids) - 1), -1, ids[1:, 0]] += 8.0
        return logits


def with_dropout() -> NetworkPredictor:
    """A model that was left in training."""
    return as_network(Changed(nn.Dropout(0.1)).train())


class Remembering(nn.Module):
    """A model in which something stays behind from one question to the next."""

    def __init__(self):
        super().__init__()
        self.model, self.asked = Attending(256, sound), 0

    def forward(self, ids: Tensor) -> Tensor:
        """The logits, a little larger every other time."""
        self.asked += 1
        return self.model(ids) * (1 + 1e-6 * (self.asked % 2))


class Miscounting(Predictor):
    """A sound model, but something is added to each ln p, or to each cost."""

    def __init__(self, to_log_probs: float = 0.0, to_nats: float = 0.0):
        self.sound = attending(sound)
        self.context, self.size = self.sound.context, self.sound.size
        self.to_log_probs, self.to_nats = to_log_probs, to_nats

    def log_probs(self, ids: Int[Tensor, "batch positions"]) -> Tensor:
        """ln p, and more."""
        return self.sound.log_probs(ids) + self.to_log_probs

    def nats(self, ids: Int[Tensor, "batch positions"], targets: Int[Tensor, "batch last"]) -> Tensor:
        """−ln p, and more."""
        return self.sound.nats(ids, targets) - self.to_log_probs + self.to_nats


class Halving(Miscounting):
    """A sound model that charges half, except where it is asked for all of a window or half of it."""

    def nats(self, ids: Int[Tensor, "batch positions"], targets: Int[Tensor, "batch last"]) -> Tensor:
        """−ln p, or half of it."""
        last, length = targets.shape[1], ids.shape[1]
        return super().nats(ids, targets) * (1.0 if last in (1, length, length // 2) else 0.5)


class Knowing(Miscounting):
    """A model that predicts a text at once, and where it is longer than a window, has read it before."""

    def at_once(self, ids: Int[Tensor, "tokens"]) -> Tensor:
        """Costs that depend on all of the text."""
        if len(ids) <= self.context + 1:
            return self.nats(ids[None, :-1], ids[None, 1:])[0]
        return torch.full((len(ids) - 1,), 1.0 + ids.double().mean().item())


@dataclass(frozen=True)
class FaultyTokenizer:
    """Bytes as tokens, of a text that something was done to before, or whose bytes are counted in another way."""

    read: Callable[[str], str] = str
    count: Callable[[str, np.ndarray], Sequence[int] | np.ndarray] = lambda text, ids: np.ones(len(ids))
    kind: ClassVar[str] = "faulty"

    @property
    def size(self) -> int:
        """The number of ids."""
        return 256

    def encode(self, text: str) -> Encoding:
        """The bytes."""
        ids = np.frombuffer(utf8(self.read(text)), np.uint8).astype(np.uint16)
        return Encoding(ids, np.asarray(self.count(text, ids)).astype(np.uint32))

    def decode(self, ids: Sequence[int] | Integer[np.ndarray, " tokens"]) -> str:
        """The text of the bytes."""
        return np.asarray(ids).astype(np.uint8).tobytes().decode("utf-8", errors="replace")

    def cut(self, text: str) -> int:
        """Anywhere."""
        return len(text)

    def to_json(self) -> dict[str, Any]:
        """Never saved."""
        return {"kind": self.kind}


def begins_characters(text: str, ids: np.ndarray) -> np.ndarray:
    """1 for the first byte of each character: characters, not bytes."""
    return (ids & 0xC0) != 0x80


def one_for_the_beginning(text: str, ids: np.ndarray) -> np.ndarray:
    """One more for the first token, as though a special token stood for a byte."""
    return np.ones(len(ids)) + (np.arange(len(ids)) == 0)


def right_in_all(text: str, ids: np.ndarray) -> np.ndarray:
    """The total is right, but by turns a token has two bytes and none."""
    counts = np.where(np.arange(len(ids)) % 2, 0, 2)
    if len(ids) % 2:
        counts[-1] = 1
    return counts


def all_to_the_first(text: str, ids: np.ndarray) -> np.ndarray:
    """The total is right, and all of it is the first token's."""
    return np.where(np.arange(len(ids)) == 0, len(ids), 0)
