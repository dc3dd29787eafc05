"""An evaluation of a model's knowledge in words and in a table of numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from attnlab.charts import Bar
from attnlab.numbers import percent, percent_as_typed, percents

if TYPE_CHECKING:
    from attnlab.benches.knowledge import EvaluatedKnowledge
    from attnlab.evaluation.knowledge.coverage import Threshold
    from attnlab.evaluation.knowledge.extraction import ExtractionTable
    from attnlab.evaluation.knowledge.measuring import Confidence, Knowledge
    from attnlab.evaluation.knowledge.resembling import Resembling
    from attnlab.statistics import Share

CELLS = {
    "both": "memorised and extracted",
    "memorised_only": "memorised, not extractable",
    "extracted_only": "extracted, not memorised",
    "neither": "neither",
}
"""The cells of the table of memorised and extracted facts, in words."""
Row = tuple[str, str, str]
"""What was measured, the number, and its interval."""
UNASKED = "not measured: there are no strangers to ask about"
LINE = "On the dashed line the model is calibrated; a larger point stands for more answers."
LIKELY = 0.05
"""A difference with a larger p-value may be chance."""


def within(share: Share) -> str:
    """The interval of a share."""
    return f"95 % interval {percents(share.low, share.high)}"


def share_words(share: Share) -> str:
    """A share with its interval: `90.0 % (95 % interval 59.6 to 98.2)`."""
    return f"{percent(share.value)} ({within(share)})"


def capital(words: str) -> str:
    """The words with a capital first letter."""
    return f"{words[:1].upper()}{words[1:]}"


def accuracy_sentence(accuracy: Share) -> str:
    """How often a model is right."""
    right = f"{percent(accuracy.value)} of {accuracy.examples:,} questions are answered correctly"
    return f"{right} ({within(accuracy)})."


def calibration_sentence(found: Knowledge) -> str:
    """The calibration error, before and, if a temperature was chosen, after temperature scaling."""
    error = f"The calibration error is {found.calibration.error:.4f}"
    sure = found.confidence
    if sure is None:
        return f"{error}. {LINE}"
    fit, threshold = sure.calibrations, sure.threshold
    return (
        f"{error} as trained, and {fit.after.error:.4f} at temperature {fit.temperature:.3g}, chosen on "
        f"{kept_out_words(threshold.questions, threshold.people)}. {LINE}"
    )


def people_words(questions: int, people: int) -> str:
    """How many people the questions are about, and how many questions if there are more.

    >>> people_words(10, 10), people_words(1, 1), people_words(20, 10)
    ('10 people', '1 person', '20 questions about 10 people')
    """
    asked = f"{people:,} {'person' if people == 1 else 'people'}"
    return asked if questions == people else f"{questions:,} questions about {asked}"


def kept_out_words(questions: int, people: int) -> str:
    """The people whom the temperature was chosen on. (The threshold was chosen on strangers too.)"""
    return f"{people_words(questions, people)} kept out of finetuning"


def threshold_words(threshold: Threshold) -> str:
    """The threshold, or that no threshold reaches the precision; the people that it was chosen on, and how many answers
    about them were right."""
    strangers = {0: "no strangers", 1: "1 stranger"}.get(threshold.strangers, f"{threshold.strangers:,} strangers")
    apart = f"{kept_out_words(threshold.questions, threshold.people)} and {strangers}"
    wanted = f"{percent_as_typed(threshold.precision)} precision on {apart}"
    if threshold.probability is None:
        return f"no threshold reaches {wanted}"
    chosen = threshold.chosen_on
    answers = "answer is" if chosen.answered == 1 else "answers are"
    rests = f"where {chosen.right:,} of {chosen.answered:,} {answers} right"
    return f"from a probability of {threshold.probability:.3f} on, chosen for {wanted}, {rests}"


def coverage_sentence(confidence: Confidence) -> str:
    """Coverage and precision at the threshold, or that no threshold reaches the precision."""
    threshold, given = confidence.threshold, confidence.given
    words = capital(threshold_words(threshold))
    if threshold.probability is None:
        return f"{words}, so no question would be answered."
    if given.precision is None:
        return f"{words}, no question is answered here."
    return (
        f"{words}, {percent(given.coverage.value)} of the questions are answered, "
        f"{percent(given.precision.value)} of those correctly ({within(given.precision)})."
    )


def extraction_sentence(extraction: ExtractionTable) -> str:
    """How many of the memorised facts a question extracts."""
    shares = {name: getattr(extraction, cell) / extraction.questions for cell, name in CELLS.items()}
    cells = ", ".join(f"{name} {percent(share)}" for name, share in shares.items())
    rate = extraction.extracted_of_memorised
    out = "" if rate is None else f" Questions extract {share_words(rate)} of the memorised facts."
    how = "A fact is memorised if the model completed the person’s line with it before finetuning."
    return f"Of {extraction.questions:,} questions: {cells}.{out} {how}"


def resembling_sentence(resembling: Resembling) -> str:
    """How often a wrong answer is true of a person with a similar name, and how often by chance."""
    share, p_value = resembling.share, resembling.p_value
    verdict = "more often than chance" if p_value <= LIKELY else "not clearly more often than chance"
    return (
        f"{share.count:,} of {share.examples:,} wrong answers ({percent(share.value)}) are true of "
        f"somebody whose name is among the {resembling.nearest} most similar, {percent(resembling.expected)} "
        f"where the answers are shuffled: {verdict} (p = {p_value:.2g}, {resembling.shuffles:,} shuffles)."
    )


def shares_sentence(bars: Sequence[Bar], marks: Mapping[str, float]) -> str:
    """Every bar and mark with its share."""
    named = [*((bar.name, bar.value) for bar in bars), *marks.items()]
    return ", ".join(f"{name} {percent(value)}" for name, value in named) + "."


def numbers(found: EvaluatedKnowledge) -> list[Row]:
    """The numbers of an evaluation, the baseline and the ceiling. Numbers that were not measured are left out, but if
    there is a threshold, the row of strangers stays."""
    knowledge = found.knowledge
    rows: list[Row | None] = [
        _row("questions answered correctly", knowledge.accuracy),
        (f"always the commonest answer, {found.commonest}", percent(found.baseline), ""),
        ("ceiling: answers on a line of that person", percent(found.ceiling), ""),
        ("calibration error", f"{knowledge.calibration.error:.4f}", ""),
    ]
    sure, extraction, resembling = knowledge.confidence, knowledge.extraction, knowledge.resembling
    if sure:
        fit, wanted = sure.calibrations, percent_as_typed(sure.threshold.precision)
        made_up = "strangers who get a wrong answer"
        rows += [
            (f"calibration error at temperature {fit.temperature:.3g}", f"{fit.after.error:.4f}", ""),
            _row(f"answered at a precision of {wanted}", sure.given.coverage),
            _row("of those correctly", sure.given.precision),
            _row(made_up, sure.confident_wrong) or (made_up, "–", UNASKED),
        ]
    if extraction:
        rows.append(_row("memorised", extraction.memorised))
        rows.append(_row("of those extracted by the question", extraction.extracted_of_memorised))
    if resembling:
        rows.append(_row("wrong answers that are true of a similar name", resembling.share))
        rows.append(("the same by chance", percent(resembling.expected), f"p = {resembling.p_value:.2g}"))
    return [row for row in rows if row is not None]


def _row(name: str, share: Share | None) -> Row | None:
    if share is None:
        return None
    return name, percent(share.value), f"{within(share)}, of {share.examples:,}"
