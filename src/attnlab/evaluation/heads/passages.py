"""The passage of a text on which heads are switched off: its tokens, its windows, and its blocks for intervals.

The windows are those of `attnlab perplexity`: disjoint, as long as the model's context, each token predicted once. A
block is a run of whole windows. Differences between blocks become an interval, as those between documents do there.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float, Int, Num
from torch import Tensor

from attnlab.errors import ArgumentError
from attnlab.evaluation.coding.side_information import with_side_information
from attnlab.evaluation.scoring.costs import Policy, text_nats
from attnlab.evaluation.scoring.intervals import Estimate, estimated, spread
from attnlab.evaluation.scoring.nats_to_units import LN2
from attnlab.evaluation.scoring.predictors import Predictor
from attnlab.evaluation.scoring.subjects import Subject
from attnlab.text import Encoding

MOST_BLOCKS = 64
"""The most blocks of a passage: enough for an interval, and neighbours are joined if they are alike."""
Blocks = Float[np.ndarray, " blocks"]
Passing = Callable[[Tensor, Tensor, Int[np.ndarray, " windows"]], Tensor]
"""Gets windows, the tokens that follow each position, and each window's block. Returns −ln p of these tokens."""


@dataclass(frozen=True)
class Passage:
    """A passage of a text."""

    encoding: Encoding
    charged: Float[np.ndarray, " tokens"]
    """The nats of everything that the tokens lose."""
    block: Int[np.ndarray, " tokens"]
    """The block of each token."""
    policy: Policy

    @property
    def blocks(self) -> int:
        """The number of blocks."""
        return int(self.block[-1]) + 1

    @property
    def raw_bytes(self) -> Blocks:
        """The bytes of each block."""
        return self.summed(self.encoding.raw_bytes)

    def summed(self, values: Num[np.ndarray, " tokens"]) -> Blocks:
        """The sum of some values of the tokens over each block."""
        return np.bincount(self.block, values, minlength=self.blocks)

    def bits_per_byte(self, nats: Blocks) -> Estimate:
        """The nats of each block as bits per byte of the passage, with a 95 % interval over the blocks."""
        sizes = self.raw_bytes
        bits = nats / LN2
        return estimated(float(bits.sum() / sizes.sum()), spread((bits, sizes)))


def read_passage(subject: Subject, pieces: Iterable[str], most: int | None = None) -> Passage:
    """The first tokens of a text in pieces, all tokens if `most` is None."""
    ids, raw, charged, count = [], [], [], 0
    for _, encoding, beside in with_side_information(subject.tokenizer, pieces, subject.unknown):
        ids.append(encoding.ids)
        raw.append(encoding.raw_bytes)
        charged.append(beside.spelling + beside.case_and_spaces)
        count += len(encoding)
        if most is not None and count >= most:
            break
    if count < 2:
        tokens = "1 token" if count else "no tokens"
        raise ArgumentError("text", f"the text has {tokens}; expected at least 2: a head needs a token to look back at")
    encoding = Encoding(np.concatenate(ids)[:most], np.concatenate(raw)[:most])
    policy = Policy.disjoint(subject.predictor)
    assert policy.context is not None  # disjoint windows have one
    window = np.maximum(np.arange(len(encoding)) - _first(subject), 0) // policy.context
    windows = int(window[-1]) + 1
    block = window * min(windows, MOST_BLOCKS) // windows
    return Passage(encoding, np.concatenate(charged)[:most], block, policy)


def pass_through(
    subject: Subject, passage: Passage, nats: Passing, advance: Callable[[int], None] = lambda tokens: None
) -> Blocks:
    """What each block costs in nats, if `nats` gives the cost of the tokens that follow some windows."""
    windows = _Windows(subject, passage, nats)
    return passage.summed(text_nats(replace(subject, predictor=windows), passage.encoding.ids, passage.policy, advance))


class _Windows(Predictor):
    """A model that hands each window of a passage to a function."""

    def __init__(self, subject: Subject, passage: Passage, nats: Passing):
        model = subject.predictor
        self.context, self.size, self.device, self.dtype = model.context, model.size, model.device, model.dtype
        self._model, self._passage, self._nats, self._place = model, passage, nats, _first(subject)

    def log_probs(self, ids: Int[Tensor, "batch positions"]) -> Float[Tensor, "batch positions vocab"]:
        """ln p of every token after each position, in the plain model."""
        return self._model.log_probs(ids)

    def nats(
        self, ids: Int[Tensor, "batch positions"], targets: Int[Tensor, "batch last"]
    ) -> Float[Tensor, "batch last"]:
        """−ln p of the targets."""
        places = self._place + np.arange(len(ids)) * targets.shape[1]
        self._place += targets.numel()
        return self._nats(ids, targets, self._passage.block[places])


def _first(subject: Subject) -> int:
    """The first token that a window predicts: a model without a start token predicts none before the second."""
    return 1 if subject.start is None else 0
