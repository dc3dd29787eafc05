"""A deep averaging network (Iyyer et al. 2015): layers on the average of a text's word vectors.

a = Σ_g v_g / n        h = tanh(W a + b), layer by layer        logits = c + U h + Σ_g r_g / √n

g runs over the n features of a text: words and hashed n-grams of words. The network does not see their order. The last
term is optional: each feature votes without a layer between. Votes start at naive Bayes's ratios (Wang & Manning 2012).
Word dropout leaves out random features in training, so that the network does not rely on a few of them.

The network is numpy arrays, and its gradient is written out, so that a classifier starts without torch. Tests hold the
gradient against torch's autograd.
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, Literal

import numpy as np
from jaxtyping import Float, Integer

from attnlab.errors import ArgumentError
from attnlab.models.memory import check_memory
from attnlab.settings import Count, Range, settings, tag
from attnlab.text.bags import Bags

Dropout = Annotated[float, Range(0, 1, below=True)]
Weights = dict[str, Float[np.ndarray, "..."]]
"""Parameters or their gradients by name."""
BLOCK = 1 << 16
"""Rows of a table that are drawn together, with a generator of their own."""


@settings
class AveragingConfig:
    """The shape of an averaging network."""

    kind: Literal["averaging"] = tag(default="averaging")
    dim: Annotated[int, Range(0)] = 100
    """The width of the averaged vectors; 0: no vectors, features only vote."""
    layers: Annotated[int, Range(0, 10_000)] = 1
    """The number of hidden layers."""
    hidden: Count = 100
    """The width of each hidden layer."""
    votes: Literal["none", "bayes"] = "none"
    """bayes: each feature also votes on its own; the vote starts at its naive-Bayes ratio."""
    learn: Literal["all", "layers"] = "all"
    """layers: only the layers are trained, and the vectors stay as they are."""
    word_dropout: Dropout = 0.3
    """The share of features that are left out in training (word dropout)."""
    dropout: Dropout = 0.0
    """The share of hidden coordinates that dropout sets to 0 in training."""

    def __post_init__(self):
        if self.dim == 0 and self.votes == "none":
            raise ArgumentError(
                "dim", "a network without vectors needs votes: set --model.dim above 0, or --model.votes bayes"
            )


@dataclass(frozen=True)
class Pass:
    """A forward pass of one part: its logits, and what its gradient needs."""

    logits: Float[np.ndarray, "texts classes"]
    divisors: Float[np.ndarray, "texts 1"]
    inputs: tuple[Float[np.ndarray, "texts _"], ...] = ()
    """The input of each layer, and at last that of the read-out."""
    slopes: tuple[Float[np.ndarray, "texts _"], ...] = ()
    """The derivative of each layer's tanh, times its dropout."""


class AveragingNetwork:
    """Logits of the classes for bags of features.

    >>> model = AveragingNetwork(AveragingConfig(dim=8), size=50, classes=3)
    >>> model(Bags.of([[4, 7, 4], [9]])).shape
    (2, 3)
    """

    def __init__(self, config: AveragingConfig, size: int, classes: int, seed: int = 0):
        widths = [config.dim, *[config.hidden] * config.layers]
        check_memory(size * config.dim + sum(before * after for before, after in pairwise(widths)))
        self.config, self.size, self.classes = config, size, classes
        self.network = AveragedVectors(config, size, classes, seed) if config.dim else None
        self.votes = Votes(config, size, classes) if config.votes == "bayes" else None
        self.bias = np.zeros(classes, np.float32)

    def __call__(self, bags: Bags) -> Float[np.ndarray, "texts classes"]:
        """The logits of texts, without dropout."""
        return self.logits(self.sums(bags), bags.lengths)

    @property
    def parts(self) -> "list[AveragedVectors | Votes]":
        """The parts that add to the logits; each has a `table` with a row for each feature."""
        return [part for part in (self.network, self.votes) if part is not None]

    def sums(self, bags: Bags) -> list[Float[np.ndarray, "texts _"]]:
        """For each part, the sum of its table's rows over the features of each text."""
        return [bag_sums(part.table, bags) for part in self.parts]

    def logits(
        self, sums: Sequence[Float[np.ndarray, "texts _"]], counts: Integer[np.ndarray, " texts"]
    ) -> Float[np.ndarray, "texts classes"]:
        """The logits, from the sums and the number of features of each text, in the precision of the sums."""
        passes = (part.forward(each, counts) for part, each in zip(self.parts, sums, strict=True))
        return sum((each.logits for each in passes), start=self.bias)

    def in_double(self) -> "AveragingNetwork":
        """The same network with its layers in float64; the tables, which may be large, are shared."""
        made = copy(self)
        made.network = self.network and self.network.in_double()
        made.bias = self.bias.astype(np.float64)
        return made

    def parameters(self) -> Weights:
        """All parameters by name; the arrays are the network's own."""
        parts = {"network": self.network, "votes": self.votes}
        named = {
            f"{name}.{key}": each for name, part in parts.items() if part for key, each in part.parameters().items()
        }
        return {"bias": self.bias, **named}

    def load(self, weights: Mapping[str, Float[np.ndarray, "..."]]) -> None:
        """Copy weights into the network. Raises if the names or shapes do not fit."""
        own = self.parameters()
        for name, array in own.items():
            if name not in weights:
                raise ArgumentError("weights", f"expected a tensor {name}, which is missing")
            if weights[name].shape != array.shape:
                raise ArgumentError("weights", f"expected {name} of shape {array.shape}, got {weights[name].shape}")
            array[...] = weights[name]
        for name in weights:
            if name not in own:
                raise ArgumentError("weights", f"the model has no parameter {name}")


class AveragedVectors:
    """Layers on the average of vectors."""

    def __init__(self, config: AveragingConfig, size: int, classes: int, seed: int):
        self.table = random_table(size, config.dim, seed)
        self.learns, self.dropout = config.learn == "all", config.dropout
        draws = np.random.default_rng([seed, -(-size // BLOCK)])
        widths = [config.dim, *[config.hidden] * config.layers]
        self.layers = [
            (_uniform(draws, (after, before), before), _uniform(draws, (after,), before))
            for before, after in pairwise(widths)
        ]
        self.readout = _uniform(draws, (classes, widths[-1]), widths[-1])

    def forward(
        self,
        sums: Float[np.ndarray, "texts dim"],
        counts: Integer[np.ndarray, " texts"],
        random: np.random.Generator | None = None,
    ) -> Pass:
        """The network's part of the logits; in training, `random` draws the dropout."""
        divisors = _divisors(sums, counts)
        inputs, slopes = [sums / divisors], []
        for weight, bias in self.layers:
            bent = np.tanh(inputs[-1] @ weight.T + bias)
            slope = 1 - bent**2
            if random is not None and self.dropout:
                kept = (random.random(bent.shape, np.float32) >= self.dropout) / np.float32(1 - self.dropout)
                bent, slope = bent * kept, slope * kept
            inputs.append(bent)
            slopes.append(slope)
        return Pass(inputs[-1] @ self.readout.T, divisors, tuple(inputs), tuple(slopes))

    def backward(
        self, seen: Pass, slope: Float[np.ndarray, "texts classes"]
    ) -> tuple[Float[np.ndarray, "texts dim"], Weights]:
        """The gradient with respect to the sums and to the layers, from that with respect to the logits."""
        found = {"readout.weight": slope.T @ seen.inputs[-1]}
        slope = slope @ self.readout
        for number in reversed(range(len(self.layers))):
            slope = slope * seen.slopes[number]
            found[f"layers.{number}.weight"] = slope.T @ seen.inputs[number]
            found[f"layers.{number}.bias"] = slope.sum(0)
            slope = slope @ self.layers[number][0]
        return slope / seen.divisors, found

    def in_double(self) -> "AveragedVectors":
        """The same with its layers in float64."""
        made = copy(self)
        made.layers = [(weight.astype(np.float64), bias.astype(np.float64)) for weight, bias in self.layers]
        made.readout = self.readout.astype(np.float64)
        return made

    def parameters(self) -> Weights:
        """The parameters by name."""
        named: Weights = {"table": self.table}
        for number, (weight, bias) in enumerate(self.layers):
            named |= {f"layers.{number}.weight": weight, f"layers.{number}.bias": bias}
        return {**named, "readout.weight": self.readout}


class Votes:
    """The sum of one number per feature and class; for two classes, one number per feature, for the second class."""

    learns = True

    def __init__(self, config: AveragingConfig, size: int, classes: int):
        self.table = np.zeros((size, 1 if classes == 2 else classes), np.float32)
        self.kept = 1 - config.word_dropout

    def forward(
        self,
        sums: Float[np.ndarray, "texts votes"],
        counts: Integer[np.ndarray, " texts"],
        random: np.random.Generator | None = None,
    ) -> Pass:
        """The votes' part of the logits."""
        divisors = np.sqrt(_divisors(sums, counts))
        if random is not None:  # word dropout keeps only a share of the features, so votes would be weaker than later
            divisors = divisors * sums.dtype.type(self.kept**0.5)
        votes = sums / divisors
        return Pass(np.concatenate([-votes, votes], 1) / 2 if votes.shape[1] == 1 else votes, divisors)

    def backward(
        self, seen: Pass, slope: Float[np.ndarray, "texts classes"]
    ) -> tuple[Float[np.ndarray, "texts votes"], Weights]:
        """The gradient with respect to the sums, from that with respect to the logits."""
        if self.table.shape[1] == 1:
            slope = (slope[:, 1:] - slope[:, :1]) / 2
        return slope / seen.divisors, {}

    def parameters(self) -> Weights:
        """The parameters by name."""
        return {"table": self.table}


def bag_sums(table: Float[np.ndarray, "rows dim"], bags: Bags) -> Float[np.ndarray, "texts dim"]:
    """The sum of a table's rows over each bag.

    >>> bag_sums(np.array([[1.0], [10.0]], np.float32), Bags.of([[1, 0, 1], []])).tolist()
    [[21.0], [0.0]]
    """
    from attnlab.models.loops import add_bags

    sums = np.zeros((len(bags), table.shape[1]), table.dtype)
    add_bags(bags.ids, bags.offsets, table, sums)
    return sums


def random_table(size: int, dim: int, seed: int) -> Float[np.ndarray, "size dim"]:
    """Normal numbers with standard deviation 0.1. Blocks of rows have their own generators, so threads can share the
    work, and the numbers do not depend on the threads."""
    table = np.empty((size, dim), np.float32)

    def draw(block: int) -> None:
        part = table[block * BLOCK : (block + 1) * BLOCK]
        np.random.default_rng([seed, block]).standard_normal(dtype=np.float32, out=part)
        part *= np.float32(0.1)

    with ThreadPoolExecutor(2) as threads:
        list(threads.map(draw, range(-(-size // BLOCK))))
    return table


def _divisors(
    sums: Float[np.ndarray, "texts _"], counts: Integer[np.ndarray, " texts"]
) -> Float[np.ndarray, "texts 1"]:
    return np.maximum(counts, 1)[:, None].astype(sums.dtype)


def _uniform(draws: np.random.Generator, shape: tuple[int, ...], inputs: int) -> Float[np.ndarray, "..."]:
    """The first weights of a layer, uniform from −1/√inputs to 1/√inputs, as torch draws them."""
    return (inputs**-0.5 * draws.uniform(-1, 1, shape)).astype(np.float32)
