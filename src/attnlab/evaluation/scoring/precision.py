"""Chooses bfloat16 if it is faster and accurate enough: measures a sample of the text in both precisions."""

from dataclasses import replace
from time import perf_counter

import numpy as np
from jaxtyping import Integer

from attnlab.evaluation.scoring.costs import Policy
from attnlab.evaluation.scoring.predictors import NetworkPredictor, Predictor, halved
from attnlab.evaluation.scoring.subjects import Subject
from attnlab.evaluation.scoring.windows import token_nats

TOLERANCE = 5e-4
"""The nats per token by which bfloat16 may change the mean: perplexity changes by at most 0.05 %."""
WINDOWS = 4
"""The number of windows in the sample."""
WORTH_IT = 64
"""Shorter texts, with fewer windows than this, stay in float32."""
FASTER = 1.2
"""bfloat16 must be this many times as fast."""
SAVED = 1.0
"""bfloat16 must save this many seconds, so that a busy moment of the machine does not change the choice."""
TRIES = 3
"""How often the sample is timed; the shortest time counts."""


def halved_subject(subject: Subject) -> Subject | None:
    """The subject with its matrix products in bfloat16; None if it has no network."""
    network = subject.predictor
    return replace(subject, predictor=halved(network)) if isinstance(network, NetworkPredictor) else None


def halved_if_faster(subject: Subject, beginning: str, tokens: int, policy: Policy) -> Subject | None:
    """The subject in bfloat16 if that is worth it on a text with this beginning and this many tokens; else None.

    It is worth it if it saves time, and if the sample shows that the mean over the text changes by at most
    `TOLERANCE` nats per token.
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
    """An estimate of how far bfloat16 moves the mean cost of the whole text, in nats per token: twice the change of
    the sample's mean, or twice its standard error if that is larger."""
    changes = rough - exact
    return float(2 * max(abs(changes.mean()), changes.std() / len(changes) ** 0.5))


def _timed(predictor: Predictor, ids: Integer[np.ndarray, " tokens"], context: int) -> tuple[np.ndarray, float]:
    """The costs of a sample, and the seconds they take once the network is warm."""
    nats, seconds = token_nats(predictor, ids, context=context), []
    for _ in range(TRIES):
        began = perf_counter()
        token_nats(predictor, ids, context=context)
        seconds.append(perf_counter() - began)
    return nats, min(seconds)
