"""A model's answers: about whom it is asked, and what they are worth."""

from collections.abc import Sequence

from attnlab.data.facts.facts import Fact, Facts
from attnlab.data.facts.sources import OpenedFacts
from attnlab.data.worlds.strangers import strangers
from attnlab.errors import ArgumentError, FileError
from attnlab.evaluation.knowledge.answers import Answer, knowable
from attnlab.evaluation.knowledge.asking import Knower
from attnlab.evaluation.knowledge.measuring import Knowledge, measure_knowledge
from attnlab.files import read_json
from attnlab.progress import SILENT, Observer
from attnlab.runs.folder import Run
from attnlab.runs.knowledge import KEPT_OUT
from attnlab.settings import read, settings

CHOOSING = 2**31
"""The seed of the strangers that a threshold is chosen on; others are reported on."""
AT_ONCE = 64
"""Questions that are asked together."""


@settings
class KeptOut:
    """What kept_out.json holds."""

    answers: tuple[Answer, ...]


def read_kept_out(run: Run) -> tuple[Answer, ...]:
    """What a model answered about people who were kept out of finetuning, and about strangers, from the folder of its
    run."""
    path = run.path / KEPT_OUT
    try:
        found = read(KeptOut, read_json(path, "the answers about people who were kept out")).answers
    except ArgumentError as error:
        raise FileError(path, f"expected answers with their probabilities: {error}") from error
    if not knowable(found):
        raise FileError(path, "expected answers about people in it, found strangers alone")
    return found


def threshold_people(facts: Facts) -> list[Fact]:
    """The people that a threshold is chosen on: those who were kept out of the questions, and as many strangers.

    Without strangers, a model that is right about nearly everybody it has read of would be let answer about anybody.
    """
    return [*facts.held_out, *strangers(facts, len(facts.held_out), CHOOSING)]


def strangers_to_report(opened: OpenedFacts, kept_out: Sequence[Answer]) -> list[Fact]:
    """The strangers who were not used to choose the threshold."""
    names = {each.name for each in kept_out}
    return [fact for fact in opened.strangers if fact.name not in names]


def ask_all(knower: Knower, facts: Sequence[Fact], observer: Observer = SILENT, what: str = "asking") -> list[Answer]:
    """The answers in the order of the facts; those of like length are asked together, which is faster."""
    order = sorted(range(len(facts)), key=lambda number: len(facts[number].question))
    found: dict[int, Answer] = {}
    with observer.task(what, len(facts)) as task:
        for first in range(0, len(order), AT_ONCE):
            some = order[first : first + AT_ONCE]
            found |= zip(some, knower.answers([facts[number] for number in some]), strict=True)
            task.advance(len(some))
    return [found[number] for number in range(len(facts))]


def measure_model(
    knower: Knower,
    opened: OpenedFacts,
    kept_out: Sequence[Answer],
    memorised: Sequence[bool],
    *,
    precision: float = 0.9,
    seed: int = 0,
    observer: Observer = SILENT,
) -> tuple[Knowledge, list[str]]:
    """All that is measured of a model by asking it about the held-out facts and about strangers; and remarks that a
    reader of it needs, mostly none."""
    others, asked = strangers_to_report(opened, kept_out), opened.facts.held_out
    answers = ask_all(knower, [*asked, *others], observer)
    facts, unseen = opened.facts, answers[len(asked) :]
    found = measure_answers(facts, answers[: len(asked)], memorised, kept_out, unseen, precision=precision, seed=seed)
    return found, [*_held_out_remarks(knower, facts), *_stranger_remarks(opened, others)]


def measure_answers(
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


def _held_out_remarks(knower: Knower, facts: Facts) -> list[str]:
    """What is odd about the held-out questions, in words."""
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


def _stranger_remarks(opened: OpenedFacts, asked: Sequence[Fact]) -> list[str]:
    """Why no stranger was asked about, if so."""
    if asked:
        return []
    if opened.strangers:
        return ["the threshold was chosen on every stranger that there is, so how much is made up is not measured"]
    why = "every given name with every last name is somebody's"
    return [f"{why}: the threshold was chosen without strangers, and how much is made up is not measured"]
