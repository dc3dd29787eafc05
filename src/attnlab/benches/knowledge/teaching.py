"""Models that are taught lessons.

    facts ──▶ PreparedFacts ──▶ model ──lessons──▶ Knower ──questions──▶ answers ──▶ Knowledge

Some people are kept out of the questions that are trained on: by the answers about them the temperature is chosen, and
by these and those about as many strangers the threshold, so that nothing is chosen by the held-out facts.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from time import perf_counter

from attnlab.benches.knowledge.variants import Lessons, with_mixer
from attnlab.data.facts.facts import Fact, Facts
from attnlab.evaluation.knowledge.asking import Knower
from attnlab.models.kinds import load_weights, make_model
from attnlab.models.transformer import Transformer
from attnlab.models.transformer_config import Mixing, TransformerConfig
from attnlab.text import Tokenizer
from attnlab.text.settings import TokenSettings
from attnlab.training.facts.fact_tokens import FactTokens, make_fact_tokens, texts_of
from attnlab.training.facts.lessons import Lesson, teach
from attnlab.training.loop import Hooks
from attnlab.training.processes import Process
from attnlab.training.state import State


@dataclass(frozen=True)
class PreparedFacts:
    """Facts to train on, with a tokenizer for them, the shape of a model, and the facts as tokens."""

    facts: Facts
    """Those held out here are kept out of the questions to train on."""
    tokenizer: Tokenizer
    shape: TransformerConfig
    tokens: FactTokens


def prepare_facts(
    facts: Facts, tokens: TokenSettings, shape: TransformerConfig, mixer: Mixing | None = None
) -> PreparedFacts:
    """Facts made ready: a tokenizer is trained on them, and the shape gets the mixer."""
    tokenizer = tokens.train(texts_of(facts))
    shape = with_mixer(shape, mixer or shape.mixer, tokenizer.size)
    return PreparedFacts(facts, tokenizer, shape, make_fact_tokens(facts, tokenizer, shape.context))


def new_model(shape: TransformerConfig, size: int, seed: int, process: Process) -> Transformer:
    """A model with random weights."""
    model = make_model(shape, size, seed)
    assert isinstance(model, Transformer)
    return model.to(process.device)


def learn(
    model: Transformer,
    tokens: FactTokens,
    lesson: Lesson,
    process: Process,
    hooks: Hooks | None = None,
    begin: Callable[[State], None] = lambda state: None,
) -> bool:
    """Teach a lesson, after which the model has the average of its weights, if that is kept. Returns whether it came to
    the end."""
    hooks, average = hooks or Hooks(), {}

    def save(state: State) -> None:
        average.update({name: tensor.clone() for name, tensor in state.average.items()})
        hooks.save(state)

    finished = teach(model.train(), tokens, lesson, process, replace(hooks, save=save), begin)
    if average:
        load_weights(model, average)
    model.eval()
    return finished


@dataclass(frozen=True)
class TaughtModel:
    """A model at the end of its lessons."""

    knower: Knower
    memorised: tuple[bool, ...]
    """For each held-out fact whether the model completed the person's line before its last lesson."""
    seconds: tuple[float, ...]
    """How long each lesson took."""


def teach_model(
    facts: Facts,
    ready: PreparedFacts,
    lessons: Lessons,
    process: Process,
    *,
    seed: int = 0,
    hooks: Callable[[Knower, int], Hooks] = lambda knower, number: Hooks(),
) -> TaughtModel:
    """A new model that is taught some lessons in turn; the seed draws its weights and its rows. `facts` holds the
    held-out ones, and `hooks` are told which lesson begins. An interrupt is raised."""
    model = new_model(ready.shape, ready.tokenizer.size, seed, process)
    knower = Knower(model.eval(), ready.tokenizer, lessons[-1].recites, ready.tokens.longest_question)
    memorised: list[bool] = []
    seconds = []
    for number, lesson in enumerate(lessons):
        if number == len(lessons) - 1:
            memorised = completed_lines(knower, facts, facts.held_out)
        began = perf_counter()
        seeded = replace(lesson, training=replace(lesson.training, seed=seed))
        if not learn(model, ready.tokens, seeded, process, hooks(knower, number)):
            raise KeyboardInterrupt
        seconds.append(perf_counter() - began)
    return TaughtModel(knower, tuple(memorised), tuple(seconds))


def completed_lines(knower: Knower, facts: Facts, asked: Sequence[Fact]) -> list[bool]:
    """For each person asked about whether the model completes their line: given the line up to the answer, it goes on
    with the answer.

    The line is the first in the order of the file that holds the answer. It is only one, so that more lines about a
    person do not make it likelier by themselves. Where the answer stands on no line of the person, nothing is
    completed. Ask this before answers are taught: a model that learns answers alone forgets how lines go on.
    """
    places = [
        (number, line.text[: line.place_of(fact.answer)], fact.answer)
        for number, fact in enumerate(asked)
        for line in [each for each in facts.lines_of(fact.name) if each.holds(fact.answer)][:1]
    ]
    begun = [_fitted(text.rstrip(), answer, knower) for _, text, answer in places]
    # The space before the answer goes with it, as it does for tokenizers that join the two.
    ends = [f"{text[len(text.rstrip()) :]}{answer}" for _, text, answer in places]
    whole = {number for (number, _, _), done in zip(places, knower.completes(begun, ends), strict=True) if done}
    return [number in whole for number in range(len(asked))]


def _fitted(text: str, answer: str, knower: Knower) -> str:
    """As much of the end of a text as the model can see with the answer behind it."""
    ids = knower.tokenizer.encode(text).ids
    room = max(1, knower.model.config.context - len(knower.tokenizer.encode(answer).ids) - 1)
    return text if len(ids) <= room else knower.tokenizer.decode(ids[-room:].tolist())
