"""The gap between two texts under one model.

A text's nats per byte are Σ_k w_k c_k over the kinds k of its segments, where w_k is their share of its bytes and c_k
their nats per byte. So the gap between two texts is exactly

    Σ_k (½(c_k1 + c_k2) − m)(w_k1 − w_k2) + ½(w_k1 + w_k2)(c_k1 − c_k2):

how many bytes there are of a kind that costs more than the mean m, and how costly they are. (The shares add up to 1 in
both texts, so m, halfway between the texts, changes no sum; without it, more of any kind would look costly.) A kind
that one text lacks counts as equally costly there. The beginning, which each text has once, is a single part. Per
token, all parts are multiplied by the bytes per token, B/T, and the gap in B/T is one more part.
"""

from collections.abc import Callable, Iterator

import numpy as np

from attnlab.evaluation.explanation.alignment import Alignment, segments
from attnlab.evaluation.explanation.context_ladder import SHARE, ContextLadder
from attnlab.evaluation.explanation.costliest import costliest
from attnlab.evaluation.explanation.gaps import Gap, Part, Side
from attnlab.evaluation.explanation.kinds import BEGINNING, Kinds, lacking_words, unknown_unit, unseen_kinds
from attnlab.evaluation.explanation.model_gap import CASE_AND_SPACES, POSITION, SPELLING, TOKENIZER, lower_bounds
from attnlab.evaluation.explanation.words import TextWords, words_of
from attnlab.evaluation.scoring.costs import Costs, Policy
from attnlab.evaluation.scoring.nats_to_units import LN2
from attnlab.evaluation.scoring.subjects import Subject


def explain_texts(
    subject: Subject,
    texts: tuple[str, str],
    names: tuple[str, str] = ("the first text", "the second text"),
    policy: Policy | None = None,
    *,
    share: float = SHARE,
    advance: Callable[[int], None] = lambda tokens: None,
) -> Gap:
    """Explains why two texts cost a model differently, measured under `policy`, in parts that add up."""
    words = [words_of(each) for each in texts]
    rulers = [ContextLadder(subject, each, policy or Policy(), share, advance) for each in texts]
    asked = [each.asked for each in rulers]
    first, second = (Side.of(name, found) for name, found in zip(names, asked, strict=True))
    full = [each.full for each in rulers]
    per_token = 0.5 * (first.raw_bytes / first.tokens + second.raw_bytes / second.tokens)
    mean = 0.5 * (first.nats / first.raw_bytes + second.nats / second.raw_bytes)

    def part(name: str, nats_per_byte: float, *times: int) -> Part:
        return Part(name, nats_per_byte * per_token, nats_per_byte / LN2, times)

    def per_byte(one: np.ndarray, other: np.ndarray) -> float:
        return float(one.sum() / first.raw_bytes - other.sum() / second.raw_bytes)

    cuts = [segments(each, [found.encoding]) for each, found in zip(words, asked, strict=True)]
    unseen, notes = _unseen(words, subject)
    unit = unknown_unit([subject, subject], asked)
    spelling, written = ([getattr(each.charged, name) for each in asked] for name in ("spelling", "case_and_spaces"))
    parts = [
        Part(TOKENIZER, mean * (first.raw_bytes / first.tokens - second.raw_bytes / second.tokens), 0.0),
        part(POSITION, per_byte(*(each.nats for each in asked)) - per_byte(*(each.nats for each in full))),
        *(part(*each) for each in _halves(cuts, full, Kinds(unseen, unit))),
        Part(SPELLING.format(unit), 0.0, per_byte(*spelling) / LN2),
        Part(CASE_AND_SPACES, 0.0, per_byte(*written) / LN2),
    ]
    notes += lower_bounds(names, asked)
    return Gap(first, second, tuple(parts), tuple(map(costliest, cuts, asked, names)), tuple(notes), tuple(asked))


def _unseen(words: list[TextWords], subject: Subject) -> tuple[dict[str, frozenset[str]], list[str]]:
    """The words of either text that the training text lacks, and a note if the training text is unknown."""
    trained_on = {subject.name: subject.trained_on}
    (first, notes), (second, _) = (unseen_kinds(trained_on, lacking_words(each)) for each in words)
    return {name: some | second[name] for name, some in first.items()}, notes


def _halves(cuts: list[Alignment], found: list[Costs], kinds: Kinds) -> Iterator[tuple[str, float, int, int]]:
    """For each kind: its name, the nats per byte from how many and from how costly, and its number in each text."""
    (shares1, costs1, times1), (shares2, costs2, times2) = (
        _sums(cut, each, kinds) for cut, each in zip(cuts, found, strict=True)
    )
    costs1, costs2 = np.where(shares1 > 0, costs1, costs2), np.where(shares2 > 0, costs2, costs1)
    mean = 0.5 * sum(float((shares * each).sum()) for shares, each in ((shares1, costs1), (shares2, costs2)))
    many = (0.5 * (costs1 + costs2) - mean) * (shares1 - shares2)
    costly = 0.5 * (shares1 + shares2) * (costs1 - costs2)
    columns = (each.tolist() for each in (many, costly, times1, times2))
    for name, how_many, how_costly, *times in zip(kinds.names, *columns, strict=True):
        if name == BEGINNING:
            yield name, how_many + how_costly, *times
        elif any(times):
            yield f"{name}: how many", how_many, *times
            yield f"{name}: how costly", how_costly, *times


def _sums(cut: Alignment, found: Costs, kinds: Kinds) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For each kind: its share of the bytes, its nats per byte, and its number of segments."""
    number = kinds.of(cut, [found.unknown])
    size, nats = (
        np.bincount(number, cut.sums(0, each), len(kinds.names)) for each in (found.encoding.raw_bytes, found.nats)
    )
    return size / size.sum(), nats / np.maximum(size, 1), np.bincount(number, minlength=len(kinds.names))
