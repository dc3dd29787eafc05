"""bfloat16 where it is faster and accurate enough: a sample of the text is measured in both precisions."""

from dataclasses import replace
from time import perf_counter

import numpy as np
from jaxtyping import Integer

from attnlab.evaluation.scoring.costs import Policy
from attnlab.evaluation.scoring.predictors import NetworkPredictor, Predictor, halved
from attnlab.evaluation.scoring.subjects import Subject
from attnlab.evaluation.scoring.windows import token_nats

TOLERANCE = 5e-4
"""Nats per token by which bfloat16 may change the mean: a perplexity changes by at most 0.05 %."""
WINDOWS = 4
"""Windows of the sample."""
WORTH_IT = 64
"""A text of fewer windows is not worth a sample."""
FASTER = 1.2
"""How many times as fast bfloat16 must be."""
SAVED = 1.0
"""Seconds that it must save, so that no number depends on whether a machine was busy for a moment."""
TRIES = 3
"""How often the sample is timed; the shortest time counts."""


def halved_subject(subject: Subject) -> Subject | None:
    """The subject with its matrix products in bfloat16; None if it has no network."""
    network = subject.predictor
    return replace(subject, predictor=halved(network)) if isinstance(network, NetworkPredictor) else None


def halved_if_faster(subject: Subject, beginning: str, tokens: int, policy: Policy) -> Subject | None:
    """The subject in bfloat16, if that is worth it on a text of so many tokens that begins like this.

    It is worth it if it saves time, and if a sample of the beginning says that the mean over the text changes by at
    most `TOLERANCE` nats per token.
    """
    context = policy.context or subject.predictor.context
    half = halved_subject(subject)
    if half is None or not subject.predictor.windowed or tokens < WORTH_IT * context:
        return None
    sample = subject.tokenizer.encode(beginning).ids[: WINDOWS * context + 1]
    exact, exactly = _timed(subject.predictor, sample, context)
    rough, roughly = _timed(half.predictor, sample, context)
    saved = (exactly - roughly) * tokens / len(sample)
    if exactly < FASTER * roughly or saved < SAVED:
        return None
    return half if drift(exact, rough) <= TOLERANCE else None


def drift(exact: np.ndarray, rough: np.ndarray) -> float:
    """How far the mean of rough costs may be from that of exact ones on the whole text, in nats per token: twice the
    change of the mean over the sample, or twice its standard error where that is more."""
    changes = rough - exact
    return float(2 * max(abs(changes.mean()), changes.std() / len(changes) ** 0.5))


def _timed(predictor: Predictor, ids: Integer[np.ndarray, " tokens"], context: int) -> tuple[np.ndarray, float]:
    """The costs of a sample, and the seconds that they take once the network is warm."""
    nats, seconds = token_nats(predictor, ids, context=context), []
    for _ in range(TRIES):
        began = perf_counter()
        token_nats(predictor, ids, context=context)
        seconds.append(perf_counter() - began)
    return nats, min(seconds)
