"""Teach lessons to a model.

    facts ──▶ PreparedFacts ──▶ model ──lessons──▶ Knower ──questions──▶ answers ──▶ Knowledge

Some people are kept out of finetuning. The answers about them pick the temperature; the answers about them and about as
many strangers pick the threshold. So the held-out facts pick nothing.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from attnlab.benches.knowledge.variants import Lessons, with_mixer
from attnlab.data.facts.facts import Fact, Facts
from attnlab.evaluation.knowledge.asking import Knower
from attnlab.models.kinds import expected_parameters, kept_numbers, load_weights, make_model
from attnlab.models.memory import check_memory
from attnlab.models.transformer import Transformer
from attnlab.models.transformer_config import Mixing, TransformerConfig
from attnlab.text import Tokenizer
from attnlab.text.settings import TokenSettings
from attnlab.training.facts.fact_tokens import FactTokens, make_fact_tokens, texts_of
from attnlab.training.facts.lessons import Lesson, teach
from attnlab.training.loop import Hooks
from attnlab.training.processes import Process
from attnlab.training.state import State

SHORTEST = 2
"""Rows of facts have more tokens than this; a batch is as long as its longest row."""


@dataclass(frozen=True)
class PreparedFacts:
    """Facts to train on, with their tokenizer, the shape of a model, and the facts as tokens."""

    facts: Facts
    """Its held-out facts are those about people who are kept out of finetuning."""
    tokenizer: Tokenizer
    shape: TransformerConfig
    tokens: FactTokens


def prepare_facts(
    facts: Facts, tokens: TokenSettings, shape: TransformerConfig, mixer: Mixing | None = None
) -> PreparedFacts:
    """Train a tokenizer on facts, encode the facts, and give the shape its mixer."""
    tokenizer = tokens.train(texts_of(facts))
    shape = with_mixer(shape, mixer or shape.mixer, tokenizer.size)
    return PreparedFacts(facts, tokenizer, shape, make_fact_tokens(facts, tokenizer, shape.context))


def check_lesson(shape: TransformerConfig, size: int, lesson: Lesson, process: Process) -> None:
    """Raise if a model of this shape and its batches cannot fit into memory: a batch holds tokens, and a training step
    the vectors of rows of a few tokens at least."""
    batch = lesson.training.batch // process.ranks
    numbers = expected_parameters(shape, size), SHORTEST * batch * kept_numbers(shape)
    check_memory(numbers[0], trained=True, activations=numbers[1], device=process.device)


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
    """Teach a lesson; then the model gets the moving average of its weights, if there is one. Returns whether the
    lesson was finished."""
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
    """Whether the model completed the person's line before its last lesson, for each held-out fact."""


def teach_model(
    facts: Facts,
    ready: PreparedFacts,
    lessons: Lessons,
    process: Process,
    *,
    seed: int = 0,
    hooks: Callable[[Knower, int], Hooks] = lambda knower, number: Hooks(),
) -> TaughtModel:
    """Teach lessons to a new model, one after the other. The seed draws its weights and its rows. `facts` has the
    held-out facts, and `hooks` gives the hooks of each lesson. Raises KeyboardInterrupt if it is interrupted."""
    model = new_model(ready.shape, ready.tokenizer.size, seed, process)
    knower = Knower(model.eval(), ready.tokenizer, lessons[-1].recites, ready.tokens.longest_question)
    memorised: list[bool] = []
    for number, lesson in enumerate(lessons):
        if number == len(lessons) - 1:
            memorised = completed_lines(knower, facts, facts.held_out)
        seeded = replace(lesson, training=replace(lesson.training, seed=seed))
        if not learn(model, ready.tokens, seeded, process, hooks(knower, number)):
            raise KeyboardInterrupt
    return TaughtModel(knower, tuple(memorised))


def completed_lines(knower: Knower, facts: Facts, asked: Sequence[Fact]) -> list[bool]:
    """Whether the model completes the person's line, for each fact: given the line up to the answer, it continues with
    the answer.

    Only the first line with the answer counts, so that more lines about a person do not make a completion likelier. If
    the answer is on no line of the person, nothing is completed. Measure this before finetuning: a model that learns
    only answers forgets the lines.
    """
    places = [
        (number, line.text[: line.place_of(fact.answer)], fact.answer)
        for number, fact in enumerate(asked)
        for line in [each for each in facts.lines_of(fact.name) if each.holds(fact.answer)][:1]
    ]
    begun = [_fitted(text.rstrip(), answer, knower) for _, text, answer in places]
    # The space before the answer belongs to the answer, because some tokenizers join the two.
    ends = [f"{text[len(text.rstrip()) :]}{answer}" for _, text, answer in places]
    whole = {number for (number, _, _), done in zip(places, knower.completes(begun, ends), strict=True) if done}
    return [number in whole for number in range(len(asked))]


def _fitted(text: str, answer: str, knower: Knower) -> str:
    """The end of a text, cut so that the text and the answer fit into the context window."""
    ids = knower.tokenizer.encode(text).ids
    room = max(1, knower.model.config.context - len(knower.tokenizer.encode(answer).ids) - 1)
    return text if len(ids) <= room else knower.tokenizer.decode(ids[-room:].tolist())
