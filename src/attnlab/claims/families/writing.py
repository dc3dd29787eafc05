"""Claim 14: the loss of a character model falls as it trains, and it then writes. A small model, trained in seconds."""

from dataclasses import replace
from functools import cache
from itertools import pairwise

import numpy as np
import torch

from attnlab.benches.language.in_memory import count, learn
from attnlab.charts import Lines, Series
from attnlab.claims.claim import Family, Finding, Quantity
from attnlab.claims.sources import topics
from attnlab.data.texts.loading import load_text
from attnlab.evaluation.sampling import Sampling, sample
from attnlab.evaluation.scoring.scores import HeldOut
from attnlab.models.ngrams.ngram import NGram, NGramConfig
from attnlab.models.transformer import TransformerConfig
from attnlab.text import train_tokenizer
from attnlab.training.loop import Hooks, LossReading
from attnlab.training.processes import Process
from attnlab.training.settings import Training
from attnlab.training.state import State
from attnlab.training.threads import one_thread

FAMILY = Family(
    14,
    "writing",
    "A character model that writes",
    bench="language",
    question="Can a small Transformer learn to write, character by character?",
    data=lambda seed: topics(),
)
SHAPE = TransformerConfig(layers=2, heads=2, width=64, context=64, norm="layer", activation="gelu")
TRAINING = Training(steps=150, batch=16, validate_every=30, rate=0.006, muon_rate=0.03)
CPU = Process(0, 1, torch.device("cpu"))
HELD_OUT = 20_000
WRITTEN = 240


@cache
def _trained(seed: int) -> tuple[list[LossReading], list[tuple[int, float]], str, float]:
    """The training losses, the held-out losses, a text by the trained model, and the held-out loss of counts."""
    text = load_text("topics")
    tokenizer = train_tokenizer("characters", text.train)
    ids, held = tokenizer.encode(text.train).ids, HeldOut.of(tokenizer, [text.validation[:HELD_OUT]])
    looks: list[LossReading] = []
    scores: list[tuple[int, float]] = []

    def validate(now: State) -> float:
        with now.averaged() as model:
            scores.append((now.step, held.score(model).nats_per_token))
        return scores[-1][1]

    def begin(state: State) -> Hooks:
        scores.append((0, held.score(state.model).nats_per_token))
        return Hooks(looks.append, validate)

    with one_thread():
        state = learn(SHAPE, tokenizer, ids, replace(TRAINING, seed=seed), CPU, begin=begin)
        opening = tokenizer.encode("This is a ").ids.tolist()
        with state.averaged() as model:
            drawn = sample(model, opening, Sampling(seed=seed, temperature=0.6))
            written = "This is a " + tokenizer.decode(
                np.array([n for n, _ in zip(drawn, range(WRITTEN), strict=False)])
            )
    pairs = count(NGramConfig(order=2), tokenizer, ids).model
    assert isinstance(pairs, NGram)
    counted = float(pairs.nats(held.ids)[1:].mean())
    return looks, scores, " ".join(written.split()), counted


@FAMILY.claim("falls", "The loss falls as the model trains, and the trained model writes.", said_by="E")
def _falls(seed: int) -> Finding:
    looks, scores, written, counted = _trained(seed)
    (_, first), (_, last) = scores[0], scores[-1]
    falls = all(later < sooner for (_, sooner), (_, later) in pairwise(scores))
    return Finding(
        "holds" if falls and last < counted < first else "fails",
        f"Before training, the model gives every character about the same probability: {first:.2f} nats per character "
        f"on held-out text. After {TRAINING.steps} steps, which take a few seconds, it has {last:.2f}, less than the "
        f"{counted:.2f} of counting pairs of characters, and the held-out loss fell at every measurement. The model "
        f"has learnt to spell a little, and writes: “{written}”",
        (
            Quantity("nats per character before training", first, how="observed"),
            Quantity(f"nats per character after {TRAINING.steps} steps", last, how="observed"),
            Quantity("nats per character, counts of pairs", counted),
            Quantity("characters held out", HELD_OUT),
        ),
        chart=Lines(
            "The loss of a character model as it trains",
            "steps of training",
            "nats per character",
            (
                Series("training", tuple(float(x.step) for x in looks), tuple(x.loss for x in looks)),
                Series("held out", tuple(float(step) for step, _ in scores), tuple(loss for _, loss in scores)),
            ),
            "Both lines fall steeply at first and then ever more slowly. The loss on held-out text goes from "
            f"{first:.1f} to {last:.2f} nats per character.",
        ),
    )
