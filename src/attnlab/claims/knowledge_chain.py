"""The chain from facts to what a model knows of them: lessons, answers, measures.

    facts ──▶ tokens, material ──▶ model ──lessons──▶ Knower ──questions──▶ answers ──▶ Knowledge

Training and evaluation do not know each other; here they meet, for claims, benchmarks and commands alike. Some people
are kept out of the questions that are trained on: by the answers about them the temperature is chosen, and by these
and those about as many strangers the threshold, so that nothing is chosen by the held-out facts.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from attnlab.data.facts.facts import Fact, Facts
from attnlab.data.worlds.strangers import strangers
from attnlab.errors import ArgumentError
from attnlab.evaluation.knowledge.answers import Answer
from attnlab.evaluation.knowledge.asking import Knower
from attnlab.evaluation.knowledge.measuring import Knowledge, measure_knowledge
from attnlab.models.kinds import load_weights, make_model
from attnlab.models.matching import matched
from attnlab.models.transformer import Transformer
from attnlab.models.transformer_config import Mixing, TransformerConfig
from attnlab.training.facts.fact_tokens import FactTokens, make_fact_tokens, texts_of
from attnlab.training.facts.lessons import Lesson, teach
from attnlab.training.facts.recipes import KnowledgeRecipe, find_recipe, recites
from attnlab.training.loop import Hooks
from attnlab.training.processes import Process
from attnlab.training.state import State

CHOOSING = 2**31
"""The seed of the strangers that a threshold is chosen on; others are reported on."""
ALIKE = {"span": "coursework", "views": "views", "recital": "recital"}
"""Variants whose objectives are those of a recipe."""
VARIANTS = ("none", *ALIKE, "own")
MILD = 0.3
"""The share of the rates at which answers alone are learnt after lines: faster, and the lines are forgotten."""

Lessons = tuple[Lesson, ...]


def lessons_of(recipe: KnowledgeRecipe, variant: str) -> Lessons:
    """What is taught one after the other in a variant of a recipe, by its steps and rates.

    none: the answers alone, without pretraining; span: one hidden span, then answers; views: lines from many sides,
    then answers; recital: lines to recite, then answers read off them; own: whatever the recipe says. Answers that are
    not read off a recital are learnt in as many steps as without pretraining, and mildly.
    """
    if variant == "none":
        return (recipe.untaught,)
    if variant == "own":
        return recipe.pretraining, recipe.finetuning
    if variant not in ALIKE:
        raise ArgumentError("variants", f"expected {', '.join(VARIANTS)}, got {variant!r}")
    like = find_recipe(ALIKE[variant])
    finetuning = recipe.finetuning.training
    if not like.recites:
        rates = {"rate": MILD * finetuning.rate, "muon_rate": MILD * finetuning.muon_rate}
        finetuning = replace(finetuning, steps=recipe.untaught.training.steps, **rates)
    return (
        Lesson(like.pretraining.objectives, recipe.pretraining.training),
        Lesson(like.finetuning.objectives, finetuning),
    )


def new_learner(shape: TransformerConfig, size: int, seed: int, process: Process) -> Transformer:
    """A model that knows nothing yet."""
    model = make_model(shape, size, seed)
    assert isinstance(model, Transformer)
    return model.to(process.device)


def mixed(shape: TransformerConfig, mixer: Mixing, size: int) -> TransformerConfig:
    """The shape with a mixer, at as many parameters where it is another one."""
    return shape if mixer == shape.mixer else matched(shape, mixer, size)


def learn(
    model: Transformer,
    material: FactTokens,
    lesson: Lesson,
    process: Process,
    hooks: Hooks | None = None,
    begin: Callable[[State], None] = lambda state: None,
) -> bool:
    """Teach a lesson; the model has the average of its weights then, where that is kept. Whether it came to the end."""
    hooks, average = hooks or Hooks(), {}

    def save(state: State) -> None:
        average.update({name: tensor.clone() for name, tensor in state.average.items()})
        hooks.save(state)

    finished = teach(model.train(), material, lesson, process, replace(hooks, save=save), begin)
    if average:
        load_weights(model, average)
    model.eval()
    return finished


@dataclass(frozen=True)
class Taught:
    """A model at the end of its lessons, and what it answers about people who were set apart."""

    knower: Knower
    kept_out: list[Answer]
    memorised: list[bool]
    """For each held-out fact whether the model completed the person's line before its last lesson."""
    finished: bool


def taught(
    facts: Facts,
    recipe: KnowledgeRecipe,
    lessons: Lessons,
    process: Process,
    *,
    mixer: Mixing = "dot-product",
    seed: int = 0,
    kept_out: float | None = None,
    hooks: Callable[[Knower, Lesson], Hooks] = lambda knower, lesson: Hooks(),
) -> Taught:
    """A new model that is taught some lessons in turn; the seed draws its weights, its rows and who is kept out: a
    share of the people, if not another then that of the recipe."""
    parts = facts.split(recipe.kept_out if kept_out is None else kept_out, seed)
    tokenizer = recipe.tokens.train(texts_of(parts))
    model = new_learner(mixed(recipe.model, mixer, tokenizer.size), tokenizer.size, seed, process)
    material = make_fact_tokens(parts, tokenizer, model.config.context)
    knower, finished = Knower(model.eval(), tokenizer, recites(lessons[-1]), material.longest_question), True
    memorised: list[bool] = []
    for lesson in lessons:
        if lesson is lessons[-1]:
            memorised = remembered(knower, facts, facts.held_out)
        seeded = Lesson(lesson.objectives, replace(lesson.training, seed=seed))
        finished = finished and learn(model, material, seeded, process, hooks(knower, seeded))
    return Taught(knower, knower.answers(set_apart(parts)) if finished else [], memorised, finished)


def set_apart(parts: Facts) -> list[Fact]:
    """Whom a threshold is chosen on: the people who were kept out of the questions, and as many strangers. Without
    these a model that is right about nearly everybody on a line would be let answer about anybody at all."""
    return [*parts.held_out, *strangers(parts, len(parts.held_out), CHOOSING)]


def never_asked(unseen: Sequence[Fact], kept_out: Sequence[Answer]) -> list[Fact]:
    """The strangers to report on: those whom nothing was chosen on."""
    names = {each.name for each in kept_out}
    return [fact for fact in unseen if fact.name not in names]


def asides(knower: Knower, facts: Facts) -> list[str]:
    """What must be known of the held-out questions to read what comes of them, in words; mostly nothing."""
    asked, both = facts.held_out, facts.counts.on_both_sides
    people, long = len({fact.name for fact in asked}), sum(not knower.fits(fact.question) for fact in asked)
    said = []
    if both:
        verb = "has" if both == 1 else "have"
        said.append(f"{both:,} of the {people:,} people asked about {verb} a question to train on, too")
    if long:
        verb = "is" if long == 1 else "are"
        said.append(
            f"{long:,} of the {len(asked):,} held-out questions {verb} too long for the model, and not answered"
        )
    return said


def remembered(knower: Knower, facts: Facts, asked: Sequence[Fact]) -> list[bool]:
    """For each person asked about whether the model completes their line, the first in the order of the file that holds
    the answer: given what stands before the answer, it goes on with the answer. One line, so that more of them do not
    make it likelier by themselves. Nobody is remembered whose answer stands on no line of theirs. To be asked of a
    model that has read lines, before it is taught to answer: one that learns answers alone forgets how lines go on."""
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


def judged(
    facts: Facts,
    answers: Sequence[Answer],
    memorised: Sequence[bool],
    kept_out: Sequence[Answer] = (),
    unseen: Sequence[Answer] = (),
    *,
    precision: float = 0.9,
    seed: int = 0,
) -> Knowledge:
    """All that is measured of a model's answers about the held-out facts, in their order, and of what it had
    memorised of them."""
    return measure_knowledge(
        answers,
        held_out=kept_out,
        unseen=unseen,
        known=[(fact.name, fact.answer) for fact in facts.training + facts.held_out],
        memorised=memorised,
        precision=precision,
        seed=seed,
    )


def _fitted(text: str, answer: str, knower: Knower) -> str:
    """As much of the end of a text as the model can see with the answer behind it."""
    ids = knower.tokenizer.encode(text).ids
    room = max(1, knower.model.config.context - len(knower.tokenizer.encode(answer).ids) - 1)
    return text if len(ids) <= room else knower.tokenizer.decode(ids[-room:].tolist())
