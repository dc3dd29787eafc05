"""The gaps between three or more models on one text: every pair, neighbours in rank first.

Each model is measured once as requested and once with full context, whatever the number of pairs. In each pair, the
model with the longer context is measured once more, with no more context than the other. So n models take up to 2n
measurements and one for each of their n(n − 1)/2 pairs.
"""

from collections.abc import Callable, Sequence

from attnlab.evaluation.explanation.context_ladder import SHARE, ContextLadder
from attnlab.evaluation.explanation.gaps import Pairs, Side
from attnlab.evaluation.explanation.kinds import lacking_words
from attnlab.evaluation.explanation.model_gap import gap_between
from attnlab.evaluation.explanation.words import words_of
from attnlab.evaluation.scoring.costs import Policy
from attnlab.evaluation.scoring.subjects import Subject


def explain_pairs(
    subjects: Sequence[Subject],
    text: str,
    policies: Sequence[Policy],
    *,
    share: float = SHARE,
    advance: Callable[[int], None] = lambda tokens: None,
) -> Pairs:
    """Explains why each two of three or more models cost differently on a text, in parts that add up."""
    words = words_of(text)
    lacking_in = lacking_words(words)
    rulers = [ContextLadder(each, text, how, share, advance) for each, how in zip(subjects, policies, strict=True)]
    ranked = sorted(rulers, key=lambda each: Side.of(each.subject.name, each.asked).bits_per_byte)
    pairs = [(ranked[at], ranked[at - apart]) for apart in range(1, len(ranked)) for at in range(apart, len(ranked))]
    gaps = tuple(gap_between(pair, words, lacking_in) for pair in pairs)
    return Pairs(gaps, tuple(each.asked for each in rulers))
