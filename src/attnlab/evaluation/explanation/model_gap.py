"""The gap between two models on one text.

With nats n and tokens T, the gap of the logarithm of the token perplexity is

    n_A/T_A − n_B/T_B = (n_A − n_B) ½(1/T_A + 1/T_B) + ½(n_A + n_B)(1/T_A − 1/T_B),

where the second term comes from the number of tokens alone. n_A − n_B is split along a ladder: A as requested, A with
full context, A with no more context than B, then B likewise, B with full context, and B as requested. The step between
the models with equal context is a sum over the text's segments, each of some kind. Divided by the bytes of the text
instead, the same parts add up to the gap in bits per byte. There the number of tokens does not count, but the cost of
whatever the tokenizer loses of the raw text does.
"""

from collections.abc import Callable, Sequence

import numpy as np

from attnlab.data.texts.loading import TrainingText
from attnlab.evaluation.explanation.alignment import Alignment, segments
from attnlab.evaluation.explanation.context_ladder import SHARE, ContextLadder, equal_contexts
from attnlab.evaluation.explanation.costliest import differing
from attnlab.evaluation.explanation.gaps import Gap, ModelGaps, Part, Side
from attnlab.evaluation.explanation.kinds import Kinds, Lacking, lacking_words, unknown_unit, unseen_kinds
from attnlab.evaluation.explanation.words import TextWords, words_of
from attnlab.evaluation.scoring.costs import Costs, Policy
from attnlab.evaluation.scoring.nats_to_units import LN2
from attnlab.evaluation.scoring.subjects import Subject

TOKENIZER = "tokenizer (length)"
CONTEXT = "context length"
POSITION = "position in the window"
SPELLING = "spelling unknown {}"
CASE_AND_SPACES = "case and spaces that tokens leave out"


def explain_models(
    a: Subject,
    b: Subject,
    text: str,
    policies: Sequence[Policy] = (Policy(), Policy()),
    *,
    share: float = SHARE,
    advance: Callable[[int], None] = lambda tokens: None,
) -> Gap:
    """Explains why two models cost differently on a text, each under its policy, in parts that add up.

    For full context, strided windows move by `share` of the context.
    """
    words = words_of(text)
    rulers = [ContextLadder(each, text, how, share, advance) for each, how in zip((a, b), policies, strict=True)]
    return gap_between(rulers, words, lacking_words(words))


def gap_between(
    rulers: Sequence[ContextLadder], words: TextWords, lacking_in: Callable[[TrainingText], Lacking]
) -> Gap:
    """Explains why the models of two ladders cost differently on a text, which is also given as words. `lacking_in`
    maps a training text to the words that it lacks."""
    a, b = (each.subject for each in rulers)
    names = (a.name, b.name) if a.name != b.name else (f"the first {a.name}", f"the second {b.name}")
    asked, full = [each.asked for each in rulers], [each.full for each in rulers]
    first, second = (Side.of(name, found) for name, found in zip(names, asked, strict=True))
    contexts = equal_contexts(rulers, [first.tokens, second.tokens])
    equal = [each.shortened(most) for each, most in zip(rulers, contexts, strict=True)]
    per_token = 0.5 * (1 / first.tokens + 1 / second.tokens)
    per_byte = 1 / (LN2 * first.raw_bytes)

    def part(name: str, nats: float, *times: int) -> Part:
        return Part(name, nats * per_token, nats * per_byte, times)

    longer = 0.5 * (first.nats + second.nats) * (1 / first.tokens - 1 / second.tokens)
    cut = segments(words, [each.encoding for each in asked])
    unseen, notes = unseen_kinds(dict(zip(names, (a.trained_on, b.trained_on), strict=True)), lacking_in)
    unit = unknown_unit([a, b], asked)
    parts = [
        Part(TOKENIZER, longer, 0.0),
        part(CONTEXT, _between(full, equal)),
        part(POSITION, _between(asked, full)),
        *(part(*each) for each in _by_kind(cut, equal, Kinds(unseen, unit))),
        Part(SPELLING.format(unit), 0.0, per_byte * _difference(asked[0].charged.spelling, asked[1].charged.spelling)),
        Part(
            CASE_AND_SPACES,
            0.0,
            per_byte * _difference(asked[0].charged.case_and_spaces, asked[1].charged.case_and_spaces),
        ),
    ]
    seen = " and ".join(f"{most:,} of {name}" for most, name in zip(contexts, names, strict=True))
    notes.append(f"equal context means these numbers of tokens, which cover about equally much text: {seen}")
    notes += lower_bounds(names, asked)
    return Gap(first, second, tuple(parts), (differing(cut, asked, names),), tuple(notes), tuple(asked))


def lower_bounds(names: Sequence[str], found: list[Costs]) -> list[str]:
    """A note for each measurement whose bits per byte are a lower bound."""
    reasons = [each.charged.untold for each in found]
    return [
        f"the bits per byte of {name} are a lower bound: {each}"
        for name, each in zip(names, reasons, strict=True)
        if each
    ]


def _by_kind(cut: Alignment, found: list[Costs], kinds: Kinds) -> list[tuple[str, float, int]]:
    """For each kind: its name, how many more nats its segments cost the first model, and their number."""
    number = kinds.of(cut, [each.unknown for each in found])
    more = cut.sums(0, found[0].nats) - cut.sums(1, found[1].nats)
    nats = np.bincount(number, more, len(kinds.names)).tolist()
    return list(zip(kinds.names, nats, np.bincount(number, minlength=len(kinds.names)).tolist(), strict=True))


def _between(upper: list[Costs], lower: list[Costs]) -> float:
    """The difference between two steps of the first model, minus that of the second."""
    first, second = (_difference(above.nats, below.nats) for above, below in zip(upper, lower, strict=True))
    return first - second


def _difference(one: np.ndarray, other: np.ndarray) -> float:
    return float(one.sum() - other.sum())


def explain_pairs(
    subjects: Sequence[Subject],
    text: str,
    policies: Sequence[Policy],
    *,
    share: float = SHARE,
    advance: Callable[[int], None] = lambda tokens: None,
) -> ModelGaps:
    """Explains why each two of three or more models cost differently on a text, in parts that add up.

    Each model is measured once as requested and once with full context, whatever the number of pairs. In each pair, the
    model with the longer context is measured once more, with no more context than the other. So n models take up to 2n
    measurements and one for each of their n(n − 1)/2 pairs.
    """
    words = words_of(text)
    lacking_in = lacking_words(words)
    rulers = [ContextLadder(each, text, how, share, advance) for each, how in zip(subjects, policies, strict=True)]
    ranked = sorted(rulers, key=lambda each: Side.of(each.subject.name, each.asked).bits_per_byte)
    pairs = [(ranked[at], ranked[at - apart]) for apart in range(1, len(ranked)) for at in range(apart, len(ranked))]
    gaps = tuple(gap_between(pair, words, lacking_in) for pair in pairs)
    return ModelGaps(gaps, tuple(each.asked for each in rulers))
