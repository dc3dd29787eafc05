"""bfloat16 where it is faster and its error is known: a sample of the text is measured in both precisions."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import islice
from time import perf_counter

import numpy as np
from jaxtyping import Integer

from attnlab.evaluation.scoring.costs import Policy
from attnlab.evaluation.scoring.predictors import NetworkPredictor, Predictor, halved
from attnlab.evaluation.scoring.subjects import Subject
from attnlab.evaluation.scoring.windows import token_nats

WINDOWS = 4
"""Windows of the sample."""
WORTH_IT = 64
"""A text of fewer windows is not worth a sample."""
FASTER = 1.2
"""So many times faster bfloat16 must be."""


@dataclass(frozen=True)
class Halved:
    """A subject that works in bfloat16, and how far its nats per token are from those of float32."""

    subject: Subject
    drift: float


def halved_if_faster(subject: Subject, pieces: Iterable[str], tokens: int, policy: Policy) -> Halved | None:
    """The subject in bfloat16, if that is worth it on a text of so many tokens that begins with these pieces.

    The drift is twice the change of the mean over the sample, or twice its standard error where that is more.
    """
    network = subject.predictor
    context = policy.context or network.context
    if not isinstance(network, NetworkPredictor) or not network.windowed or tokens < WORTH_IT * context:
        return None
    ids = np.concatenate([subject.tokenizer.encode(piece).ids for piece in islice(pieces, 1)])
    sample = ids[: WINDOWS * context + 1]
    half = halved(network)
    for each in (network, half):
        token_nats(each, sample[: context + 1], context=context)  # warm
    exact, exactly = _timed(network, sample, context)
    rough, roughly = _timed(half, sample, context)
    if exactly < FASTER * roughly:
        return None
    changes = rough - exact
    drift = 2 * max(abs(changes.mean()), changes.std() / len(changes) ** 0.5)
    return Halved(replace(subject, predictor=half), float(drift))


def _timed(predictor: Predictor, ids: Integer[np.ndarray, " tokens"], context: int) -> tuple[np.ndarray, float]:
    began = perf_counter()
    return token_nats(predictor, ids, context=context), perf_counter() - began
