"""Small Transformers that learn the lab's default text, character by character, in about three seconds each; all claims
on trained heads test the same models.

| model | layers and heads | queries and keys | feed-forward layers |
| --- | --- | --- | --- |
| plain | 2 × 4 | as they are | yes |
| normalised | 2 × 4 | normalised (QK-norm) | yes |
| one head | 1 × 1 | as they are | no |
| two heads | 1 × 2, half as wide | as they are | no |
"""

from dataclasses import dataclass, replace
from functools import cache
from typing import Literal, get_args

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from attnlab.benches.language.in_memory import learn
from attnlab.claims.shared_measurements import kept
from attnlab.data.texts.loading import load_text
from attnlab.evaluation.heads.theory.equal_lengths import equal_lengths, window_bits
from attnlab.evaluation.heads.theory.rows import HeadRows, draw_rows
from attnlab.evaluation.heads.theory.spread import LEAST, predicted_and_observed
from attnlab.models.inside import Inside, TransformerInside
from attnlab.models.lens import LayerHeads, Lens, every_head
from attnlab.models.transformer_config import TransformerConfig
from attnlab.text.characters import CharacterTokenizer
from attnlab.training.processes import Process
from attnlab.training.settings import Training
from attnlab.training.threads import one_thread

Model = Literal["plain", "normalised", "one head", "two heads"]
MODELS: tuple[Model, ...] = get_args(Model)
SEEDS = 3
"""With how many seeds each model is trained."""
CPU = Process(0, 1, torch.device("cpu"))
CONTEXT, WINDOWS, ROWS = 48, 64, 32
"""Characters of a window, held-out windows that a model is tested on, and queries of each head beside the law."""
SHAPE = TransformerConfig(layers=2, heads=4, width=64, context=CONTEXT, qk_norm=False, feed=128)
ONE_LAYER = replace(SHAPE, layers=1, heads=1, feed=0, attention_only=True)
SHAPES: dict[Model, TransformerConfig] = {
    "plain": SHAPE,
    "normalised": replace(SHAPE, qk_norm=True),
    "one head": ONE_LAYER,
    "two heads": replace(ONE_LAYER, heads=2),
}
TRAINING = Training(steps=100, batch=16, rate=0.006, muon_rate=0.03, precision="float32")


@dataclass(frozen=True)
class MeasuredHead:
    """What is measured of one head."""

    variation: float
    """The coefficient of variation of its keys' lengths."""
    predicted: float
    observed: float
    """The spread of the weights of attended keys, by the exact law and as it is; 0 if all keys have one length."""
    zero: float
    mean: float
    """How many bits per character more the model needs if the head's output is 0, or its mean."""


@dataclass(frozen=True)
class MeasuredModel:
    """What is measured of one model, on held-out text."""

    bits: float
    """Bits per character."""
    equal: float
    """How many bits per character more it needs if all keys of a head have the same length."""
    shared: float
    """How many bits per character more it needs if all heads of a layer have the mean of their weights."""
    heads: tuple[MeasuredHead, ...]


@kept
def measured(model: Model, seed: int) -> MeasuredModel:
    """Train a model with a seed, and measure it and its heads."""
    with one_thread():
        inside, windows = _trained(model, seed), held_out()
        plain = window_bits(inside, windows)

        def more(lens: Lens) -> float:
            return float((window_bits(inside, windows, lens) - plain).sum()) / _characters()

        rows = draw_rows(inside, windows[:: WINDOWS // ROWS], ROWS, seed)
        means = mean_outputs(inside, windows)
        heads = [
            MeasuredHead(
                each.variation,
                *_spread(each),
                more(Lens.off([each.head], inside)),
                more(Lens.off([each.head], inside, means)),
            )
            for each in sorted(rows, key=lambda each: each.head)
        ]
        equal = more(equal_lengths({each.head: each.length for each in rows}, every_head(inside)))
        shared = more(Lens(weigh=lambda layer, seen: seen.weights.mean(1, keepdim=True).expand_as(seen.weights)))
    return MeasuredModel(float(plain.sum()) / _characters(), equal, shared, tuple(heads))


def _trained(model: Model, seed: int) -> Inside:
    tokenizer, ids = _text()
    return TransformerInside(learn(SHAPES[model], tokenizer, ids, replace(TRAINING, seed=seed), CPU).model)


@cache
def _text() -> tuple[CharacterTokenizer, np.ndarray]:
    train = load_text("topics").train
    tokenizer = CharacterTokenizer.train([train])
    return tokenizer, tokenizer.encode(train).ids


@cache
def held_out() -> Int[Tensor, "windows positions"]:
    """Windows spread over the validation split."""
    ids = torch.from_numpy(_text()[0].encode(load_text("topics").validation).ids.astype("int64"))
    windows = ids[: len(ids) // CONTEXT * CONTEXT].view(-1, CONTEXT)
    return windows[:: len(windows) // WINDOWS][:WINDOWS]


def _characters() -> int:
    """How many characters are predicted in the held-out windows: all but the first of each."""
    return held_out().numel() - len(held_out())


@torch.no_grad()
def mean_outputs(inside: Inside, windows: Int[Tensor, "windows positions"]) -> Float[Tensor, "layers heads dim"]:
    """The mean output of each head over all positions of all windows."""
    found: list[Tensor] = []

    def see(layer: int, heads: LayerHeads) -> None:
        found.append(heads.outputs.mean((0, 2)))

    inside.hidden(windows, Lens(see=see))
    return torch.stack(found)


def _spread(head: HeadRows) -> tuple[float, float]:
    """The spread of weights by the exact law, and as it is; both are 0 if all keys have one length."""
    if head.variation < LEAST:
        return 0.0, 0.0
    found = predicted_and_observed(head)
    return found.predicted, found.observed
