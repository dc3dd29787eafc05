"""Small models of attention alone that learn to continue repeated letters, in about two seconds each; all claims on
induction test the same models.

| model | layers | keys | the period of the lines that it learns from |
| --- | --- | --- | --- |
| two layers | 2 | plain | drawn for each line |
| one layer | 1 | plain | drawn for each line |
| smeared | 1 | smeared | drawn for each line |
| fixed | 1 | plain | the same for all lines |
"""

from dataclasses import dataclass, replace
from typing import Literal, get_args

import torch
from jaxtyping import Int
from torch import Tensor
from torch.nn import functional

from attnlab.benches.language.in_memory import learn
from attnlab.claims.seeds import Rate, seed_of
from attnlab.claims.shared_measurements import kept
from attnlab.data.worlds.repeats import LETTERS, repeats
from attnlab.evaluation.heads.repeats import Repeats, placed_scores, repeated_places
from attnlab.models.inside import Inside, TransformerInside
from attnlab.models.transformer_config import TransformerConfig
from attnlab.text.characters import CharacterTokenizer
from attnlab.training.loop import Hooks
from attnlab.training.processes import Process
from attnlab.training.settings import Training
from attnlab.training.threads import one_thread

Model = Literal["two layers", "one layer", "smeared", "fixed"]
MODELS: tuple[Model, ...] = get_args(Model)
SEEDS = 3
"""In how many worlds a claim is tested; each has its own letters and its own models."""
CPU = Process(0, 1, torch.device("cpu"))
CONTEXT, LINES, LENGTH = 32, 2_000, 95
DRAWN, FIXED = (3, 14), 10
"""The range that the period of a line is drawn from, and the period of all lines of the model `fixed`."""
SHAPE = TransformerConfig(layers=1, heads=1, width=64, context=CONTEXT, qk_gain=True, attention_only=True)
SHAPES: dict[Model, TransformerConfig] = {
    "two layers": replace(SHAPE, layers=2),
    "one layer": SHAPE,
    "smeared": replace(SHAPE, mixer="smeared"),
    "fixed": SHAPE,
}
LOOK = 5
"""Steps between two readings of the loss."""
TRAINING = Training(
    steps=120,
    batch=32,
    rate=0.01,
    weight_decay=1.0,
    warmup=0.1,
    decay=0.4,
    precision="float32",
    validate_every=LOOK,
)
TOKENIZER = CharacterTokenizer.train([f"{LETTERS}\n"])
ROWS = 8
"""Rows of letters of each period that a model is tested on."""
TESTED, OUTSIDE = (4, 6, 8, 12, 14), (15, 16)
"""The periods that a model is tested on: within the range that it learnt from, without FIXED, and outside of it."""


@dataclass(frozen=True)
class Continued:
    """How a model continues lines of some periods, of which it has seen no line."""

    score: Rate
    """The induction score of its best head: the weight on the letters after earlier copies, from 0 to 1."""
    nats: float
    """The mean loss of a letter that repetition predicts, in nats."""


@dataclass(frozen=True)
class InductionModel:
    """A trained model: the mean loss of every five steps, and how it continues lines."""

    losses: tuple[float, ...]
    drawn: Continued
    outside: Continued
    fixed: Continued

    def fastest(self, share: float) -> tuple[float, float]:
        """The share of the whole fall of the loss that lies within this share of the steps, where it falls fastest; and
        the step at which they begin.

        >>> none = Continued(Rate(0.0, 1), 0.0)
        >>> InductionModel((3.0, 3.0, 3.0, 1.5, 1.1, 1.0), none, none, none).fastest(1 / 6)
        (0.75, 15.0)
        """
        losses, window = self.losses, max(1, round(share * len(self.losses)))
        falls = [first - last for first, last in zip(losses, losses[window:], strict=False)]
        place, whole = max(range(len(falls)), key=falls.__getitem__), losses[0] - losses[-1]
        return falls[place] / whole, float(LOOK * (place + 1))


@kept
def learnt(model: Model, seed: int) -> InductionModel:
    """Train a model in the world of a seed, and test it."""
    losses: list[float] = []
    text = repeats(LINES, periods=(FIXED, FIXED) if model == "fixed" else DRAWN, length=LENGTH, seed=seed)
    with one_thread():
        ids, training = TOKENIZER.encode(text).ids, replace(TRAINING, seed=seed)
        hooks = Hooks(looked=lambda look: losses.append(look.loss))
        state = learn(SHAPES[model], TOKENIZER, ids, training, CPU, begin=lambda state: hooks)
        inside = TransformerInside(state.model)
        drawn, outside, fixed = (continued(inside, each, seed) for each in (TESTED, OUTSIDE, (FIXED,)))
    return InductionModel(tuple(losses), drawn, outside, fixed)


@torch.no_grad()
def continued(inside: Inside, periods: tuple[int, ...], seed: int) -> Continued:
    """How a model continues lines of these periods, ROWS of each."""
    tested = [lines_of(period, seed) for period in periods]
    ids = torch.cat([each.ids for each in tested])
    places = torch.cat([repeated_places(each) for each in tested])
    predicted = torch.cat([(torch.arange(CONTEXT - 1) >= each.periods[0]).expand(ROWS, -1) for each in tested])
    seen = inside.look(ids)
    scores = torch.stack([placed_scores(heads.weights, places)[:, 0] for heads in seen.layers], -1).flatten(1)
    nats = functional.cross_entropy(seen.logits[:, :-1].mT, ids[:, 1:], reduction="none")
    best = scores[:, scores.mean(0).argmax()]
    return Continued(Rate.of(best.clamp(0, 1).tolist()), float(nats[predicted].mean()))


def lines_of(period: int, seed: int) -> Repeats:
    """Rows of letters that repeat with this period, none of them a line of the training text."""
    text = repeats(ROWS, periods=(period, period), length=CONTEXT, seed=seed_of(seed, f"test {period}"))
    ids = _ids(text.replace("\n", "")).view(ROWS, CONTEXT)
    return Repeats(ids, ids, torch.full((ROWS,), period), before=0)


def _ids(text: str) -> Int[Tensor, " letters"]:
    return torch.from_numpy(TOKENIZER.encode(text).ids.astype("int64"))
