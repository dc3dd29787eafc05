"""The witness of a measurement: keeps some of its tokens with their costs, and the tokens before them.

The window that predicts a token follows from its place, the policy and the number of tokens. It is computed here a
second time, on purpose without the code that measures.
"""

import math
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Integer

from attnlab.evaluation.scoring.costs import Costs, Policy
from attnlab.evaluation.scoring.subjects import Subject

PLACES = 400
"""Tokens drawn at random, all equally likely; and at most as many more, spread evenly over the vocabulary."""
MOST_KEPT = 1 << 24
"""The most ids to keep."""


@dataclass(frozen=True)
class MeasuredToken:
    """A token of a text, its cost, and the tokens that the policy shows the model before it."""

    place: int
    token: int
    nats: float
    seen: Integer[np.ndarray, " positions"]


class Witness:
    """Sees a measurement piece by piece and keeps some tokens: some drawn at random, and some of each kind."""

    def __init__(self, subject: Subject, policy: Policy | None, tokens: int, seed: int = 0):
        """`tokens` is the text's number of tokens, from its ledger."""
        policy = policy or Policy()
        self.subject, self.tokens, self.measured = subject, tokens, 0
        self.context = policy.context or subject.predictor.context
        self.stride = policy.stride or self.context
        if self.context == subject.predictor.context and not subject.predictor.windowed:
            self.stride = 1  # windows make no difference: the model sees its full context before each token
        count = min(PLACES, max(MOST_KEPT // (2 * self.context), 1))
        self.draws = np.random.default_rng(seed)
        self.drawn_places = self.draws.choice(tokens, min(tokens, count), replace=False)
        self.kinds_left = count
        self.met = np.zeros(subject.predictor.size, np.int64)
        self.before = np.array([] if subject.start is None else [subject.start], np.int64)
        self.at_random: dict[int, MeasuredToken] = {}
        self.of_each_kind: list[MeasuredToken] = []
        self.least = math.inf
        """The least cost of all tokens measured."""

    def __call__(self, found: Costs) -> None:
        """Add a piece."""
        self.add(found.encoding.ids, found.nats)

    def add(self, ids: Integer[np.ndarray, " tokens"], nats: Float[np.ndarray, " measured"]) -> None:
        """Add the tokens of a piece, and their costs."""
        known = np.concatenate([self.before, ids.astype(np.int64)])
        ahead = len(known) - len(ids)
        places = self.drawn_places - self.measured
        for place in places[(places >= 0) & (places < len(nats))].tolist():
            self.at_random[self.measured + place] = self._kept(known, ahead, place, nats)
        for place in self._of_each_kind(ids[: len(nats)]).tolist():
            self.of_each_kind.append(self._kept(known, ahead, place, nats))
        self.least = min(self.least, float(nats.min(initial=math.inf)))
        self.measured += len(nats)
        self.before = known[-self.context :]

    def _of_each_kind(self, ids: Integer[np.ndarray, " measured"]) -> Integer[np.ndarray, " places"]:
        """Places in a piece: one of each kind of token, then a second of each; some are left for the next piece."""
        places = self.draws.permutation(len(ids))
        last = self.measured + len(ids) >= self.tokens
        most = min(self.kinds_left if last else self.kinds_left // 2, len(ids))
        if not most:
            return places[:0]
        places = places[np.argsort(ids[places], kind="stable")]
        kinds, first, counts = np.unique(ids[places], return_index=True, return_counts=True)
        turn = np.arange(len(places)) - np.repeat(first - self.met[kinds], counts)
        early = np.flatnonzero(turn <= np.partition(turn, most - 1)[most - 1])  # sorting all of them takes longer
        taken = places[early[np.argsort(turn[early], kind="stable")]][:most]
        np.add.at(self.met, ids[taken], 1)
        self.kinds_left -= len(taken)
        return taken

    def _kept(
        self,
        known: Integer[np.ndarray, " known"],
        ahead: int,
        place: int,
        nats: Float[np.ndarray, " measured"],
    ) -> MeasuredToken:
        """A token of the piece (whose first token is `known[ahead]`), with the tokens that the model sees before it."""
        end = ahead + place
        begun = self.subject.start is not None
        seen = seen_before(self.measured + place + begun, self.tokens + begun, self.context, self.stride)
        return MeasuredToken(self.measured + place, int(known[end]), float(nats[place]), known[end - seen : end].copy())

    @property
    def drawn(self) -> list[MeasuredToken]:
        """The tokens drawn at random, in the order in which they were drawn."""
        return [self.at_random[place] for place in self.drawn_places.tolist() if place in self.at_random]


def seen_before(place: int, tokens: int, context: int, stride: int) -> int:
    """How many tokens the policy's windows show before a token.

    >>> [seen_before(place, 11, context=4, stride=2) for place in range(11)]
    [0, 1, 2, 3, 4, 3, 4, 3, 4, 3, 4]
    >>> [seen_before(place, 11, context=4, stride=4) for place in range(11)]  # the last window is moved back
    [0, 1, 2, 3, 4, 1, 2, 3, 4, 3, 4]
    """
    if place <= context:
        return place
    windows_before = -(-(place - context) // stride)
    return place - min(windows_before * stride, tokens - 1 - context)
