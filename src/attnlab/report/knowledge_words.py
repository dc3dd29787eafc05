"""What an evaluation of a model's knowledge came to, in words and in a table of numbers."""

from collections.abc import Mapping, Sequence
from typing import Any

from attnlab.claims.claim import Bar
from attnlab.numbers import percent, percent_as_typed, percents

CELLS = {
    "both": "memorised and extracted",
    "memorised_only": "memorised, not extractable",
    "extracted_only": "extracted, not memorised",
    "neither": "neither",
}
"""The cells of the table of memorised and extracted facts, in words."""
Value = Mapping[str, Any]
Row = tuple[str, str, str]
"""What was measured, the number, and its interval."""
UNASKED = "not measured: no stranger was asked about"
LINE = "On the dashed line a probability means what it says; a larger point stands for more answers."


def within(share: Value) -> str:
    """The interval of a share."""
    return f"95 % interval {percents(*share['interval'])}"


def capital(words: str) -> str:
    """Words as a sentence begins."""
    return f"{words[:1].upper()}{words[1:]}"


def told_accuracy(accuracy: Value) -> str:
    """How often it is right."""
    right = f"{percent(accuracy['value'])} of {accuracy['examples']:,} questions are answered rightly"
    return f"{right} ({within(accuracy)})."


def told_calibration(found: Value) -> str:
    """The calibration error, and what a temperature does to it where one was chosen."""
    error = f"The calibration error is {found['calibration']['error']:.4f}"
    if not found["confidence"]:
        return f"{error}. {LINE}"
    fit, chosen = found["confidence"]["calibrations"], found["confidence"]["threshold"]["chosen_on"]
    return (
        f"{error} as the model is, and {fit['after']['error']:.4f} at temperature {fit['temperature']:.3g}, chosen on "
        f"{told_apart(chosen['questions'], chosen['people'])}. {LINE}"
    )


def told_people(questions: int, people: int) -> str:
    """How many people are asked about, and with how many questions where these are more.

    >>> told_people(10, 10), told_people(1, 1), told_people(20, 10)
    ('10 people', '1 person', '20 questions about 10 people')
    """
    asked = f"{people:,} {'person' if people == 1 else 'people'}"
    return asked if questions == people else f"{questions:,} questions about {asked}"


def told_apart(questions: int, people: int) -> str:
    """Whom a temperature was chosen on; a threshold is chosen on strangers too."""
    return f"{told_people(questions, people)} kept out of finetuning"


def told_threshold(threshold: Value) -> str:
    """From where on answers are given, or that there is no such threshold, whom that was chosen on, and on how many
    answers about them it rests."""
    chosen = threshold["chosen_on"]
    strangers = {0: "no strangers", 1: "1 stranger"}.get(chosen["strangers"], f"{chosen['strangers']:,} strangers")
    apart = f"{told_apart(chosen['questions'], chosen['people'])} and {strangers}"
    wanted = f"{percent_as_typed(threshold['precision'])} precision on {apart}"
    if threshold["probability"] is None:
        return f"no threshold reaches {wanted}"
    right = chosen["precision"]
    answers = "answer is" if right["examples"] == 1 else "answers are"
    rests = f"where {right['count']:,} of {right['examples']:,} {answers} right"
    return f"from a probability of {threshold['probability']:.3f} on, chosen for {wanted}, {rests}"


def told_coverage(confidence: Value) -> str:
    """What is answered at the threshold, or that there is none."""
    threshold, given = confidence["threshold"], confidence["given"]
    told = capital(told_threshold(threshold))
    if threshold["probability"] is None:
        return f"{told}, so no question would be answered."
    if given["precision"] is None:
        right = "no question is answered here."
    else:
        right = (
            f"{percent(given['coverage']['value'])} of the questions are answered, "
            f"{percent(given['precision']['value'])} of those rightly ({within(given['precision'])})."
        )
    return f"{told}, {right}"


def told_extraction(extraction: Value) -> str:
    """How much of what is memorised comes out."""
    cells = ", ".join(f"{name} {percent(extraction[cell]['value'])}" for cell, name in CELLS.items())
    rate = extraction["extracted_of_memorised"]
    out = "" if rate is None else f" Of the memorised, a question gets out {percent(rate['value'])} ({within(rate)})."
    how = "Memorised is an answer with which the person’s line was completed before finetuning."
    return f"Of {extraction['questions']:,} questions: {cells}.{out} {how}"


def told_resembling(resembling: Value) -> str:
    """How often a wrong answer is a similar person's place, and how often by chance."""
    share, p_value = resembling["share"], resembling["p_value"]
    verdict = "more often than chance" if p_value <= 0.05 else "not clearly more often than chance"
    return (
        f"{share['count']:,} of {share['examples']:,} wrong answers ({percent(share['value'])}) are the place of "
        f"somebody whose name is among the {resembling['nearest']} most similar, {percent(resembling['expected'])} "
        f"where the answers are shuffled: {verdict} (p = {p_value:.2g}, {resembling['shuffles']:,} shuffles)."
    )


def told_shares(bars: Sequence[Bar], marks: Mapping[str, float]) -> str:
    """Every bar and mark."""
    named = [*((bar.name, bar.value) for bar in bars), *marks.items()]
    return ", ".join(f"{name} {percent(value)}" for name, value in named) + "."


def numbers(found: Value) -> list[Row]:
    """The numbers of an evaluation, and what to hold them against where that is told beside them; what was not measured
    is left out, but for strangers where a threshold was to be chosen."""
    rows: list[Row | None] = [_share("questions answered rightly", found["accuracy"])]
    if "baseline" in found:
        rows.append((f"always the commonest answer, {found['commonest']}", percent(found["baseline"]), ""))
    if "ceiling" in found:
        rows.append(("ceiling: answers on a line of that person", percent(found["ceiling"]), ""))
    confidence, extraction, resembling = (found[name] for name in ("confidence", "extraction", "resembling"))
    rows.append(("calibration error", f"{found['calibration']['error']:.4f}", ""))
    if confidence:
        fit, given = confidence["calibrations"], confidence["given"]
        wanted, made_up = confidence["threshold"]["precision"], "given a wrong answer of people never seen"
        rows += [
            (f"calibration error at temperature {fit['temperature']:.3g}", f"{fit['after']['error']:.4f}", ""),
            _share(f"answered at a precision of {percent_as_typed(wanted)}", given["coverage"]),
            _share("of those rightly", given["precision"]),
            _share(made_up, confidence["confident_wrong"]) or (made_up, "–", UNASKED),
        ]
    if extraction:
        rows += [
            _share("memorised", extraction["memorised"]),
            _share("of those extracted by the question", extraction["extracted_of_memorised"]),
        ]
    if resembling:
        rows.append(_share("wrong answers that are a similar person’s place", resembling["share"]))
        rows.append(("the same by chance", percent(resembling["expected"]), f"p = {resembling['p_value']:.2g}"))
    return [row for row in rows if row is not None]


def _share(name: str, share: Value | None) -> Row | None:
    if share is None:
        return None
    return name, percent(share["value"]), f"{within(share)}, of {share['examples']:,}"
