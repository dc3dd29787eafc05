"""Classifiers that read a text word by word: a recurrent model or a Transformer with another read-out.

h = hidden(ids)        logits = U Σ_t h_t / n

The models are the lab's language models, trained by the lab's training loop, but they predict a class instead of the
next word. Both are causal, so padding behind a text's n words changes nothing before it.
"""

from collections.abc import Callable
from functools import lru_cache

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from attnlab.errors import ArgumentError
from attnlab.models.kinds import make_model
from attnlab.models.recurrent import RecurrentConfig
from attnlab.models.transformer import TransformerConfig
from attnlab.text.bags import Bags
from attnlab.training.loop import Hooks, train
from attnlab.training.processes import ONE_PROCESS
from attnlab.training.settings import Training
from attnlab.training.state import make_state
from attnlab.training.step import Batch

AT_ONCE = 256
"""How many texts are read in one batch."""
POOL = 8
"""How many batches are drawn at once and sorted by length, so that batches have little padding."""
PADDING = -1


class Reader(nn.Module):
    """A language model with a read-out for classes; it starts from the given word vectors.

    >>> reader = Reader(RecurrentConfig(width=8), torch.zeros(5, 8), classes=2)
    >>> reader(torch.tensor([[1, 2, 3], [4, -1, -1]])).shape
    torch.Size([2, 1, 2])
    """

    def __init__(
        self,
        shape: RecurrentConfig | TransformerConfig,
        vectors: Float[Tensor, "vocab width"],
        classes: int,
        seed: int = 0,
    ):
        super().__init__()
        size, width = vectors.shape
        if width != shape.width:
            raise ArgumentError("vectors", f"expected the model's width of {shape.width}, got {width}")
        self.context, self.classes = shape.context, classes
        self.model = make_model(shape, size, seed)
        with torch.random.fork_rng(devices=[]), torch.no_grad():  # torch's own seed is left alone
            self.model.readout = nn.Linear(width, classes, bias=False)
            self.model.embedding.weight.copy_(vectors)
            self.model.readout.weight.zero_()  # at first all classes are equally likely

    def forward(self, ids: Int[Tensor, "texts positions"]) -> Float[Tensor, "texts 1 classes"]:
        """The logits of the classes, from the mean hidden state over a text's words; ids of −1 are padding."""
        real = ids != PADDING
        hidden = self.model.hidden(ids.clamp(min=0)) * real[..., None]
        return self.model.readout(hidden.sum(1) / real.sum(1).clamp(min=1)[:, None])[:, None]

    def probabilities(self, words: Bags) -> Float[np.ndarray, "texts classes"]:
        """The probability of each class for each text. Texts of similar length are read together."""
        order = np.argsort(words.lengths, kind="stable")
        found = np.empty((len(words), self.classes))
        with torch.inference_mode():
            self.eval()
            for first in range(0, len(order), AT_ONCE):
                rows = order[first : first + AT_ONCE]
                logits = self(padded(words.take(rows), self.context))[:, 0]
                found[rows] = logits.double().softmax(1).numpy()
        return found


def train_reader(reader: Reader, words: Bags, labels: Int[np.ndarray, " texts"], training: Training) -> None:
    """Train a reader on the classes of texts, whose words are given in order. Readers are small: each process trains
    its own, on a CPU."""
    batch_at = feed(words, labels, training, reader.context)
    if not train(make_state(reader, training), training, ONE_PROCESS, batch_at, Hooks()):
        raise KeyboardInterrupt
    reader.eval()


def feed(words: Bags, labels: Int[np.ndarray, " texts"], training: Training, context: int) -> Callable[[int], Batch]:
    """The batch of each step: texts, and the class of each."""
    targets, steps = torch.from_numpy(labels)[:, None], -(-len(words) // training.batch)

    @lru_cache(maxsize=1)
    def epoch(number: int) -> list[Int[np.ndarray, " batch"]]:
        return epoch_rows(words.lengths, training.batch, training.seed, number)

    def batch_at(step: int) -> Batch:
        rows = epoch(step // steps)[step % steps]
        return padded(words.take(rows), context), targets[torch.from_numpy(rows)]

    return batch_at


def epoch_rows(
    lengths: Int[np.ndarray, " texts"], batch: int, seed: int, epoch: int
) -> list[Int[np.ndarray, " batch"]]:
    """The batches of an epoch: every text once, in batches of similar length."""
    draws = np.random.default_rng([seed, epoch])
    order, found = draws.permutation(len(lengths)), []
    for first in range(0, len(order), POOL * batch):
        pool = order[first : first + POOL * batch]
        pool = pool[np.argsort(lengths[pool], kind="stable")]
        batches = [pool[start : start + batch] for start in range(0, len(pool), batch)]
        found += [batches[place] for place in draws.permutation(len(batches))]
    return found


def padded(words: Bags, context: int) -> Int[Tensor, "texts positions"]:
    """The words of texts as rows of one length, at most `context`; shorter texts are padded with −1.

    >>> padded(Bags.of([[5, 6, 7], [8]]), context=2)
    tensor([[ 5,  6],
            [ 8, -1]])
    """
    lengths = words.lengths.clip(max=context)
    columns = np.arange(max(int(lengths.max(initial=0)), 1))
    real = columns < lengths[:, None]
    ids = np.full(real.shape, PADDING, np.int64)
    ids[real] = words.ids[(words.offsets[:-1, None] + columns)[real]]
    return torch.from_numpy(ids)
