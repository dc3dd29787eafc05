"""Small models that are trained on generated people, in some seconds each; all claims test the same models.

Each seed has its own world, whose lines name one place, the birthplace, and five models of the same shape:

| model | training |
| --- | --- |
| untaught | finetuned to answer at once; no pretraining on lines |
| spanned | pretrained on lines in many wordings, each with one span hidden; finetuned to answer at once |
| direct | pretrained on lines; finetuned to answer at once |
| rewritten | as `direct`, with as many steps, but on lines in many wordings |
| reciting | pretrained on lines; finetuned to recite the person's line after the question, and then to answer |

`direct` and `reciting` are one pretrained model, finetuned in two ways; all five learn from the same questions.
"""

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import replace
from functools import cache
from typing import Literal, get_args

import torch

from attnlab.benches.knowledge.teaching import PreparedFacts, completed_lines, learn, new_model, prepare_facts
from attnlab.claims.seeds import Rate
from attnlab.claims.shared_measurements import kept
from attnlab.data.facts.facts import Facts
from attnlab.data.worlds.biographies.biographies import Biographies, biographies
from attnlab.data.worlds.strangers import strangers
from attnlab.evaluation.knowledge.answers import ModelAnswer
from attnlab.evaluation.knowledge.asking import Knower
from attnlab.models.transformer import Transformer
from attnlab.training.facts.lessons import Lesson
from attnlab.training.facts.recipes import quick
from attnlab.training.processes import Process
from attnlab.training.threads import one_thread

CPU = Process(0, 1, torch.device("cpu"))
SEEDS = 4
"""How many worlds a claim is tested in."""
PEOPLE, TRAINED, REWRITES = 60, 0.6, 20
"""People of a world, the share of them whose answers are trained on, and the number of wordings of a rewritten line."""
RECIPE = quick(PEOPLE)
SHAPE = replace(RECIPE.model, context=52)
"""Lines that name one place are short, so a short context is enough."""
AT_ONCE = Lesson({"answer": 0.5, "next-token": 0.5}, replace(RECIPE.finetuning.training, steps=30))
"""Answers without a recital. Training on the lines goes on, so that they are not forgotten."""
SPANS = Lesson({"span": 1.0}, replace(RECIPE.pretraining.training, rate=0.045, muon_rate=0.02))
"""One hidden span per line. At the recipe's own rates, half as many answers would be right."""
MILDLY = Lesson({"answer": 1.0}, replace(RECIPE.untaught.training, steps=20, rate=0.003, muon_rate=0.006))
"""Answers alone, in few and small steps: the lines are not trained on again, and would be forgotten."""
LOOKALIKES, STRANGERS = 30, 40
"""How many strangers have a name similar to somebody's, and how many have just a name made of known parts."""
RESEMBLING = 0.2

Model = Literal["untaught", "spanned", "direct", "rewritten", "reciting"]
MODELS: tuple[Model, ...] = get_args(Model)
People = Literal["training", "held out", "strangers", "lookalikes"]


@cache
def world(seed: int, rewrites: int = 1) -> Biographies:
    """The world of a seed; its people do not depend on `rewrites`."""
    never_seen = round(LOOKALIKES / RESEMBLING)
    settings = {"rewrites": rewrites, "resembling": RESEMBLING, "distractors": 0, "strangers": never_seen}
    return biographies(PEOPLE, **settings, seed=seed)


@cache
def facts(seed: int, rewrites: int = 1) -> Facts:
    """The lines of a world, and the questions."""
    return world(seed, rewrites).facts(TRAINED, 1 - TRAINED)


@kept
def answers(model: Model, seed: int, people: People) -> tuple[ModelAnswer, ...]:
    """A model's answers about some people; no answer about a stranger is right."""
    known, resembling = facts(seed), world(seed).lookalikes()
    asked = {
        "training": known.training,
        "held out": known.held_out,
        "strangers": strangers(known, STRANGERS, seed),
        "lookalikes": tuple(fact for fact in world(seed).unseen() if fact.name in resembling),
    }[people]
    with one_thread():
        return tuple(_knower(model, seed).answers(asked))


def accuracy(model: Model, seed: int, people: People = "held out") -> Rate:
    """How often a model's answer about some people is right."""
    return Rate.of([each.right for each in answers(model, seed, people)])


def ask(models: Sequence[Model], people: Sequence[People], seed: int) -> None:
    """Ask some models about some people, so that their answers are known."""
    for model in models:
        for group in people:
            answers(model, seed, group)


@kept
def memorised(seed: int) -> Rate:
    """The share of held-out people whose line the pretrained model completes: given the line up to the place, it gives
    the place."""
    with one_thread():
        knower = Knower(_pretrained(seed, 1), _prepared(seed, 1).tokenizer, recites=False)
        found = completed_lines(knower, facts(seed), facts(seed).held_out)
    return Rate.of(found)


@cache
def _knower(model: Model, seed: int) -> Knower:
    rewrites = REWRITES if model in ("spanned", "rewritten") else 1
    lesson = {"untaught": RECIPE.untaught, "spanned": MILDLY, "reciting": RECIPE.finetuning}.get(model, AT_ONCE)
    if model == "untaught":
        network = _untaught(seed, rewrites)
    elif model == "spanned":
        network = _after(_untaught(seed, rewrites), SPANS, seed, rewrites)
    else:
        network = deepcopy(_pretrained(seed, rewrites))
    tokenizer = _prepared(seed, rewrites).tokenizer
    return Knower(_after(network, lesson, seed, rewrites), tokenizer, recites=model == "reciting")


@cache
def _pretrained(seed: int, rewrites: int) -> Transformer:
    return _after(_untaught(seed, rewrites), RECIPE.pretraining, seed, rewrites)


def _untaught(seed: int, rewrites: int) -> Transformer:
    return new_model(SHAPE, _prepared(seed, rewrites).tokenizer.size, seed, CPU)


def _after(network: Transformer, lesson: Lesson, seed: int, rewrites: int) -> Transformer:
    """The network after a lesson."""
    seeded = replace(lesson, training=replace(lesson.training, seed=seed))
    with one_thread():
        if not learn(network, _prepared(seed, rewrites).tokens, seeded, CPU):
            raise KeyboardInterrupt  # train() returns on Ctrl-C; a claim must not go on half-trained
    return network


@cache
def _prepared(seed: int, rewrites: int) -> PreparedFacts:
    return prepare_facts(facts(seed, rewrites), RECIPE.tokens, SHAPE)
