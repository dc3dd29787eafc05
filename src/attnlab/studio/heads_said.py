"""What the page Attention says about a head beside the theory."""

from attnlab.benches.heads.theory import HeadTheory
from attnlab.report.heads.theory.presentation import NEAR
from attnlab.report.writing.estimates import estimate_in_words


def said_of_spread(head: HeadTheory) -> str:
    """The sentence that a student should take away from the spread of a head's weights."""
    ratio = head.spread.ratio
    if head.normalised:
        return (
            f"All keys of head {head.head} have one length (QK-norm), so there is no noise of lengths to give to the "
            "keys of this page."
        )
    if ratio is None:
        return f"The weights of head {head.head} are so sharp that the exact law predicts no spread of them."
    times = f"{estimate_in_words(ratio)} times the spread that the exact law predicts from the lengths of its keys"
    if ratio.value > NEAR[1]:
        return f"The weights of head {head.head} have {times}: it uses these lengths. They are no noise to it."
    if ratio.value < NEAR[0]:
        return f"The weights of head {head.head} have only {times}: other things make up for a long key."
    return f"The weights of head {head.head} have {times}: to it, these lengths are noise."
