"""Classifiers that read a text word by word: a recurrent model or a Transformer with another read-out.

h = hidden(ids)        logits = U Σ_t h_t / n

The models are the language models of the lab; only what they say at the end is not the next word but the class. Both
are causal, so what pads a batch behind a text's n words changes nothing before it.
"""

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from attnlab.errors import ArgumentError
from attnlab.models.kinds import StepwiseModel, make_model
from attnlab.models.recurrent import RecurrentConfig
from attnlab.models.transformer import TransformerConfig
from attnlab.text.bags import Bags

AT_ONCE = 256
"""Texts that are read together."""


def make_reader(
    shape: RecurrentConfig | TransformerConfig, vectors: Float[Tensor, "vocab width"], classes: int, seed: int = 0
) -> StepwiseModel:
    """A model whose read-out is of classes; it begins with word vectors as they are given.

    >>> reader = make_reader(RecurrentConfig(width=8), torch.zeros(5, 8), classes=2)
    >>> reader_probabilities(reader, Bags.of([[1, 2, 3], [4]])).shape
    (2, 2)
    """
    size, width = vectors.shape
    if width != shape.width:
        raise ArgumentError("vectors", f"expected the model's width of {shape.width}, got {width}")
    model = make_model(shape, size, seed)
    with torch.random.fork_rng(devices=[]), torch.no_grad():  # torch's own seed is left alone
        model.readout = nn.Linear(width, classes, bias=False)
        model.embedding.weight.copy_(vectors)
        model.readout.weight.zero_()  # at first all classes are equally likely
    return model


def class_logits(
    model: StepwiseModel, ids: Int[Tensor, "texts positions"], lengths: Int[Tensor, " texts"]
) -> Float[Tensor, "texts classes"]:
    """The logits of the classes, from the mean over a text's words of what the model has in mind at each."""
    real = torch.arange(ids.shape[1], device=ids.device) < lengths[:, None]
    return model.readout((model.hidden(ids) * real[..., None]).sum(1) / lengths.clamp(min=1)[:, None])


def padded(words: Bags, context: int) -> tuple[Int[Tensor, "texts positions"], Int[Tensor, " texts"]]:
    """The words of texts as rows of one length, and how many of each row are real; at most `context` of a text.

    >>> padded(Bags.of([[5, 6, 7], [8]]), context=2)
    (tensor([[5, 6],
            [8, 0]]), tensor([2, 1]))
    """
    lengths = words.lengths.clip(max=context)
    columns = np.arange(max(int(lengths.max(initial=0)), 1))
    real = columns < lengths[:, None]
    ids = np.zeros(real.shape, np.int64)
    ids[real] = words.ids[(words.offsets[:-1, None] + columns)[real]]
    return torch.from_numpy(ids), torch.from_numpy(lengths.astype(np.int64))


def reader_probabilities(model: StepwiseModel, words: Bags) -> Float[np.ndarray, "texts classes"]:
    """The probability of each class for each text; texts of about one length are read together."""
    order = np.argsort(words.lengths, kind="stable")
    found = np.empty((len(words), model.readout.out_features))
    with torch.inference_mode():
        model.eval()
        for first in range(0, len(order), AT_ONCE):
            rows = order[first : first + AT_ONCE]
            logits = class_logits(model, *padded(words.take(rows), model.config.context))
            found[rows] = logits.double().softmax(1).numpy()
    return found
