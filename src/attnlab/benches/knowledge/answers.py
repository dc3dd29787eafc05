"""Ask a model about people, and measure its answers."""

from collections.abc import Sequence

from attnlab.data.facts.facts import Fact, Facts
from attnlab.data.facts.sources import OpenedFacts
from attnlab.data.worlds.strangers import strangers
from attnlab.errors import ArgumentError, FileError
from attnlab.evaluation.knowledge.answers import ModelAnswer, knowable
from attnlab.evaluation.knowledge.asking import Knower
from attnlab.evaluation.knowledge.choosing import choose
from attnlab.evaluation.knowledge.measuring import Knowledge, measure_knowledge
from attnlab.evaluation.knowledge.temperature import at_temperature
from attnlab.files import read_json
from attnlab.progress import SILENT, Observer
from attnlab.runs.folder import Run
from attnlab.runs.knowledge import KEPT_OUT
from attnlab.settings import read, settings

CHOOSING = 2**31
"""The seed of the strangers who pick the threshold; reports use other strangers."""
AT_ONCE = 64
"""The number of questions in a batch."""


@settings
class KeptOut:
    """The content of kept_out.json."""

    answers: tuple[ModelAnswer, ...]


def read_kept_out(run: Run) -> tuple[ModelAnswer, ...]:
    """A model's answers about people who were kept out of finetuning, and about strangers, from the folder of its
    run."""
    path = run.path / KEPT_OUT
    try:
        found = read(KeptOut, read_json(path, "the answers about kept-out people")).answers
    except ArgumentError as error:
        raise FileError(path, f"expected answers with their probabilities: {error}") from error
    if not knowable(found):
        raise FileError(path, "expected answers about kept-out people, found only answers about strangers")
    return found


def example_question(kept_out: Sequence[ModelAnswer], facts: Facts) -> str:
    """A question worth asking: the model's surest right answer about a person kept out of finetuning. At the precision
    that `reached_precision` tells, its probability is above the threshold. If the model has no right answer, a question
    about a held-out person."""
    right = [each for each in at_temperature(kept_out, choose(kept_out).temperature) if each.right]
    return max(right, key=lambda each: each.probability).question if right else facts.held_out[0].question


def threshold_people(facts: Facts) -> list[Fact]:
    """The people who pick the threshold: those who were kept out of finetuning, and as many strangers.

    Without strangers, the threshold would let a model that is nearly always right answer about anybody.
    """
    return [*facts.held_out, *strangers(facts, len(facts.held_out), CHOOSING)]


def strangers_to_report(opened: OpenedFacts, kept_out: Sequence[ModelAnswer]) -> list[Fact]:
    """The strangers who were not used to pick the threshold."""
    names = {each.name for each in kept_out}
    return [fact for fact in opened.strangers if fact.name not in names]


def ask_all(
    knower: Knower, facts: Sequence[Fact], observer: Observer = SILENT, what: str = "asking"
) -> list[ModelAnswer]:
    """The answers in the order of the facts. Questions of similar length are asked together, which is faster."""
    order = sorted(range(len(facts)), key=lambda number: len(facts[number].question))
    found: dict[int, ModelAnswer] = {}
    with observer.task(what, len(facts)) as task:
        for first in range(0, len(order), AT_ONCE):
            some = order[first : first + AT_ONCE]
            found |= zip(some, knower.answers([facts[number] for number in some]), strict=True)
            task.advance(len(some))
    return [found[number] for number in range(len(facts))]


def measure_model(
    knower: Knower,
    opened: OpenedFacts,
    kept_out: Sequence[ModelAnswer],
    memorised: Sequence[bool],
    *,
    precision: float = 0.9,
    seed: int = 0,
    observer: Observer = SILENT,
) -> tuple[Knowledge, list[str]]:
    """Ask a model about the held-out facts and about strangers, and measure its answers. Also returns remarks on
    unusual data."""
    others, asked = strangers_to_report(opened, kept_out), opened.facts.held_out
    answers = ask_all(knower, [*asked, *others], observer)
    facts, unseen = opened.facts, answers[len(asked) :]
    found = measure_answers(facts, answers[: len(asked)], memorised, kept_out, unseen, precision=precision, seed=seed)
    return found, [*_held_out_remarks(knower, facts), *_stranger_remarks(opened, others)]


def measure_answers(
    facts: Facts,
    answers: Sequence[ModelAnswer],
    memorised: Sequence[bool],
    kept_out: Sequence[ModelAnswer] = (),
    unseen: Sequence[ModelAnswer] = (),
    *,
    precision: float = 0.9,
    seed: int = 0,
) -> Knowledge:
    """Measure a model's answers about the held-out facts, in their order, and which facts it had memorised."""
    return measure_knowledge(
        answers,
        held_out=kept_out,
        unseen=unseen,
        known=[(fact.name, fact.answer) for fact in facts.training + facts.held_out],
        memorised=memorised,
        precision=precision,
        seed=seed,
    )


def _held_out_remarks(knower: Knower, facts: Facts) -> list[str]:
    """Remarks on unusual held-out questions."""
    asked, both = facts.held_out, facts.counts.on_both_sides
    people, long = len({fact.name for fact in asked}), sum(not knower.fits(fact.question) for fact in asked)
    remarks = []
    if both:
        verb = "has" if both == 1 else "have"
        remarks.append(f"{both:,} of the {people:,} people asked about {verb} a question to train on, too")
    if long:
        verb = "is" if long == 1 else "are"
        remarks.append(
            f"{long:,} of the {len(asked):,} held-out questions {verb} too long for the model, and not answered"
        )
    return remarks


def _stranger_remarks(opened: OpenedFacts, asked: Sequence[Fact]) -> list[str]:
    """A remark if there was no stranger to ask about."""
    if asked:
        return []
    if opened.strangers:
        return ["all strangers were used to pick the threshold, so made-up answers are not measured"]
    why = "every pair of a given name and a last name belongs to somebody, so there are no strangers"
    return [f"{why}: the threshold was picked without them, and made-up answers are not measured"]
