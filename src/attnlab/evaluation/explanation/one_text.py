"""The cost of a text for a model, by the kinds of its segments, plus the costs beside its tokens."""

from collections.abc import Callable

import numpy as np

from attnlab.evaluation.explanation.alignment import Alignment, segments
from attnlab.evaluation.explanation.costliest import costliest
from attnlab.evaluation.explanation.gaps import Account, Kind, Side
from attnlab.evaluation.explanation.kinds import Kinds, lacking_words, unknown_unit, unseen_kinds
from attnlab.evaluation.explanation.model_gap import CASE_AND_SPACES, SPELLING, lower_bounds
from attnlab.evaluation.explanation.words import words_of
from attnlab.evaluation.scoring.costs import Costs, Policy, costs
from attnlab.evaluation.scoring.subjects import Subject


def explain_text(
    subject: Subject,
    text: str,
    name: str = "the text",
    policy: Policy | None = None,
    *,
    advance: Callable[[int], None] = lambda tokens: None,
) -> Account:
    """Explains the cost of a text, measured under `policy`: kinds whose costs add up to it."""
    words = words_of(text)
    found = costs(subject, text, policy, advance)
    side = Side.of(name, found)
    cut = segments(words, [found.encoding])
    unseen, notes = unseen_kinds({subject.name: subject.trained_on}, lacking_words(words))
    unit = unknown_unit([subject], [found])
    charged = {SPELLING.format(unit): found.charged.spelling, CASE_AND_SPACES: found.charged.case_and_spaces}
    kinds = (
        *_by_kind(cut, found, Kinds(unseen, unit), side),
        *(_kind(name, float(nats.sum()), side) for name, nats in charged.items() if nats.any()),
    )
    notes += lower_bounds((subject.name,), [found])
    return Account(side, kinds, (costliest(cut, found, name),), tuple(notes), (found,))


def _by_kind(cut: Alignment, found: Costs, kinds: Kinds, side: Side) -> list[Kind]:
    """The kinds of segments that the text has, without costs beside the tokens."""
    number = kinds.of(cut, [found.unknown])
    nats, size = (
        np.bincount(number, cut.sums(0, each), len(kinds.names)).tolist()
        for each in (found.nats, found.encoding.raw_bytes)
    )
    times = np.bincount(number, minlength=len(kinds.names)).tolist()
    rows = zip(kinds.names, nats, size, times, strict=True)
    return [_kind(name, some, side, covered / side.raw_bytes, count) for name, some, covered, count in rows if count]


def _kind(name: str, nats: float, side: Side, share: float | None = None, times: int | None = None) -> Kind:
    of_cost = nats / side.comparable if side.comparable else 0.0
    return Kind(name, of_cost * side.bits_per_byte, of_cost, share, times)
