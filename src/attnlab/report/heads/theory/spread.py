"""What a student should take away from the spread of a head's weights."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attnlab.report.writing.estimates import estimate_in_words

if TYPE_CHECKING:
    from attnlab.benches.heads.theory import HeadTheory

NEAR = (0.8, 1.25)
"""Observed over predicted within a quarter."""


def spread_sentence(head: HeadTheory) -> str:
    """Whether the lengths of a head's keys are noise to it, or what it uses."""
    ratio = head.spread.ratio
    if head.normalised:
        return f"All keys of head {head.head} have one length (QK-norm): the law has no noise of lengths to speak of."
    if ratio is None:
        return f"The weights of head {head.head} are so sharp that the exact law predicts no spread of them."
    times = f"{estimate_in_words(ratio)} times the spread that the exact law predicts from the lengths of its keys"
    if ratio.value > NEAR[1]:
        return f"The weights of head {head.head} have {times}: it uses these lengths. They are no noise to it."
    if ratio.value < NEAR[0]:
        return f"The weights of head {head.head} have only {times}: other things make up for a long key."
    return f"The weights of head {head.head} have {times}: to it, these lengths are noise."
