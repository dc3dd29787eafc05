"""What an evaluation of a model's knowledge came to, in words and in a table of numbers."""

from collections.abc import Mapping, Sequence
from typing import Any

from attnlab.claims.records import Bar
from attnlab.report.knowledge_charts import CELLS

Value = Mapping[str, Any]
Row = tuple[str, str, str]
"""What was measured, the number, and its interval."""
LINE = "On the dashed line a probability means what it says; a larger point stands for more answers."


def told_accuracy(accuracy: Value) -> str:
    """How often it is right."""
    return f"{accuracy['value']:.1%} of {accuracy['examples']:,} questions are answered rightly ({_within(accuracy)})."


def told_calibration(found: Value) -> str:
    """The calibration error, and what a temperature does to it where one was chosen."""
    error = f"The calibration error is {found['calibration']['error']:.4f}"
    if not found["confidence"]:
        return f"{error}. {LINE}"
    fit = found["confidence"]["calibrations"]
    return (
        f"{error} as the model is, and {fit['after']['error']:.4f} at temperature {fit['temperature']:.3g}, chosen on "
        f"{fit['chosen_on']:,} other people. {LINE}"
    )


def told_coverage(confidence: Value) -> str:
    """What is answered at the threshold, or that there is none."""
    threshold, given = confidence["threshold"], confidence["given"]
    chosen = threshold["chosen_on"]["coverage"]["examples"]
    wanted = f"a precision of {threshold['precision']:.0%}"
    if threshold["by"] != "estimate":
        wanted += f" by its {threshold['by']}"
    if threshold["probability"] is None:
        return f"No threshold reaches {wanted} on {chosen:,} other people, so no question would be answered."
    if given["precision"] is None:
        right = "no question is answered here."
    else:
        right = (
            f"{given['coverage']['value']:.1%} of the questions are answered, {given['precision']['value']:.1%} of "
            f"those rightly ({_within(given['precision'])})."
        )
    start = f"From a probability of {threshold['probability']:.3f} on"
    return f"{start}, chosen for {wanted} on {chosen:,} other people, {right}"


def told_extraction(extraction: Value) -> str:
    """How much of what is memorised comes out."""
    cells = ", ".join(f"{name} {extraction[cell]['value']:.1%}" for cell, name in CELLS.items())
    rate = extraction["extracted_of_memorised"]
    out = "" if rate is None else f" Of the memorised, a question gets out {rate['value']:.1%} ({_within(rate)})."
    return f"Of {extraction['people']:,} people: {cells}.{out} Memorised is whose line was completed before finetuning."


def told_resembling(resembling: Value) -> str:
    """How often a wrong answer is a similar person's place, and how often by chance."""
    share, p_value = resembling["share"], resembling["p_value"]
    verdict = "more often than chance" if p_value <= 0.05 else "not clearly more often than chance"
    return (
        f"{share['count']:,} of {share['examples']:,} wrong answers ({share['value']:.1%}) are the place of somebody "
        f"whose name is among the {resembling['nearest']} most similar, {resembling['expected']:.1%} where the answers "
        f"are shuffled: {verdict} (p = {p_value:.2g}, {resembling['shuffles']:,} shuffles)."
    )


def told_shares(bars: Sequence[Bar], marks: Mapping[str, float]) -> str:
    """Every bar and mark."""
    return (
        ", ".join([*(f"{bar.name} {bar.value:.1%}" for bar in bars), *(f"{n} {v:.1%}" for n, v in marks.items())]) + "."
    )


def numbers(found: Value) -> list[Row]:
    """The numbers of an evaluation; what was not measured is left out."""
    rows: list[Row | None] = [_share("questions answered rightly", found["accuracy"])]
    confidence, extraction, resembling = (found[name] for name in ("confidence", "extraction", "resembling"))
    rows.append(("calibration error", f"{found['calibration']['error']:.4f}", ""))
    if confidence:
        fit, given = confidence["calibrations"], confidence["given"]
        rows += [
            (f"calibration error at temperature {fit['temperature']:.3g}", f"{fit['after']['error']:.4f}", ""),
            _share(f"answered at a precision of {confidence['threshold']['precision']:.0%}", given["coverage"]),
            _share("of those rightly", given["precision"]),
            _share("given a wrong answer of people never seen", confidence["confident_wrong"]),
        ]
    if extraction:
        rows += [
            _share("people memorised", extraction["memorised"]),
            _share("of those extracted by the question", extraction["extracted_of_memorised"]),
        ]
    if resembling:
        rows.append(_share("wrong answers that are a similar person’s place", resembling["share"]))
        rows.append(("the same by chance", f"{resembling['expected']:.1%}", f"p = {resembling['p_value']:.2g}"))
    return [row for row in rows if row is not None]


def _share(name: str, share: Value | None) -> Row | None:
    if share is None:
        return None
    return name, f"{share['value']:.1%}", f"{_within(share)}, of {share['examples']:,}"


def _within(share: Value) -> str:
    low, high = share["interval"]
    return f"95 % interval {low:.1%} to {high:.1%}"
