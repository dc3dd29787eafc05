"""A network in bfloat16, for who asks for it, and by how much that changes its costs."""

from dataclasses import replace

from attnlab.evaluation.scoring.costs import Policy
from attnlab.evaluation.scoring.predictors import NetworkPredictor, halved
from attnlab.evaluation.scoring.subjects import Subject
from attnlab.evaluation.scoring.windows import token_nats

WINDOWS = 4
"""The number of windows that are measured in both precisions."""


def halved_subject(subject: Subject) -> Subject | None:
    """The subject with its matrix products in bfloat16; None if it has no network."""
    network = subject.predictor
    return replace(subject, predictor=halved(network)) if isinstance(network, NetworkPredictor) else None


def rounding(subject: Subject, half: Subject, beginning: str, policy: Policy) -> float:
    """How far bfloat16 may move the mean cost of a text with this beginning, in nats per token: an estimate from its
    first windows, measured in both precisions. It is twice the change of their mean, or twice its standard error if
    that is larger."""
    context = policy.context or subject.predictor.context
    sample = subject.tokenizer.encode(beginning).ids[: WINDOWS * context + 1]
    exact, rough = (token_nats(each.predictor, sample, context=context) for each in (subject, half))
    changes = rough - exact
    if not len(changes):
        return 0.0
    return float(2 * max(abs(changes.mean()), changes.std() / len(changes) ** 0.5))
