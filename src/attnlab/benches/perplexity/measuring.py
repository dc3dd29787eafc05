"""Measure a model on a text, with a certificate that tells whether the numbers can be trusted."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from attnlab.benches.perplexity.auditing import certified
from attnlab.benches.perplexity.texts import OpenedText
from attnlab.evaluation.audit import Certificate, Check, Witness, recounted
from attnlab.evaluation.scoring.costs import Policy
from attnlab.evaluation.scoring.measures import Measure, measure
from attnlab.evaluation.scoring.overlap import seen_in_training
from attnlab.evaluation.scoring.precision import halved_subject, rounding
from attnlab.evaluation.scoring.subjects import Subject
from attnlab.evaluation.settings import MeasureSettings
from attnlab.progress import Observer
from attnlab.training.processes import ONE_PROCESS, Process

Found = tuple[tuple[Measure, ...], Certificate]


@dataclass(frozen=True)
class MeasuredText:
    """A model on a text: its cost under each policy, and the certificate of these numbers."""

    model: str
    text: str
    measures: tuple[Measure, ...]
    """In disjoint windows, then in strided windows; empty if they are unsound and not forced."""
    certificate: Certificate
    unit: str
    """What can be unknown to its tokenizer: words, characters or tokens."""
    seen: float | None
    """The share of the text that is in the training text; None if the training text cannot be read."""
    precision: str
    """float32 or bfloat16."""
    rounding: float = 0.0
    """How far bfloat16 may have moved the mean, in nats per token; 0 for float32."""

    @property
    def sound(self) -> bool:
        """Whether every check passed."""
        return self.certificate.sound

    def to_dict(self) -> dict[str, Any]:
        """The whole content."""
        return {
            "model": self.model,
            "text": self.text,
            "sound": self.sound,
            "precision": self.precision,
            "rounding": self.rounding,
            "seen_in_training": self.seen,
            "measures": [each.to_dict() for each in self.measures] or None,
            "certificate": self.certificate.to_dict(),
        }


def measure_model(
    subject: Subject, text: OpenedText, settings: MeasureSettings, observer: Observer, process: Process = ONE_PROCESS
) -> MeasuredText:
    """Audit and measure a model on a text. Several processes share the windows of the text: each audits the model, and
    each has the whole result."""
    half = halved_subject(subject) if settings.precision == "bfloat16" else None
    measured = half or subject
    with text.read_by(measured):
        with observer.task(f"auditing {subject.name} on {text.name}", text.slice.size) as task:
            # The measurement itself is recounted.
            first, certificate = certified(measured, text, policies=(), advance=task.advance)
        measures, rounded = (), 0.0
        if process.sure(certificate.sound or settings.force):
            policies = windows(measured, settings)
            measures, certificate = _recounted(measured, text, policies, certificate, observer, process)
            rounded = rounding(subject, half, first, policies[0]) if half else 0.0
        certificate = _checked_finite(certificate, measures)
        shown = measures if certificate.sound or settings.force else ()
        seen, precision = seen_in_training(subject, first), "bfloat16" if half else "float32"
        return MeasuredText(subject.name, text.name, shown, certificate, subject.unit, seen, precision, rounded)


def windows(subject: Subject, settings: MeasureSettings) -> list[Policy]:
    """The policies for disjoint and for strided windows; only one policy if both are the same."""
    predictor = subject.predictor
    disjoint = Policy.chosen(predictor, settings.context)
    strided = Policy.chosen(predictor, disjoint.context, settings.stride or max(1, (disjoint.stride or 0) // 2))
    return [disjoint] if not predictor.windowed or strided == disjoint else [disjoint, strided]


def _recounted(
    subject: Subject,
    text: OpenedText,
    policies: Sequence[Policy],
    certificate: Certificate,
    observer: Observer,
    process: Process,
) -> Found:
    """The cost of the text under each policy, and the certificate with some of these costs recounted."""
    tokens = certificate.ledger.tokens
    witnesses = {policy: Witness(subject, policy, tokens) for policy in policies}
    with observer.task(f"{subject.name} on {text.name}", tokens * len(policies)) as task:
        measures = tuple(
            measure(subject, text.pieces(subject.tokenizer), policy, task.advance, witness, process.share)
            for policy, witness in witnesses.items()
        )
    with observer.task(f"recounting {subject.name} on {text.name}"):
        return measures, recounted(certificate, [*witnesses.values()])


def _checked_finite(certificate: Certificate, measures: Sequence[Measure]) -> Certificate:
    """The certificate, with a failed check if a cost is infinite or NaN."""
    endless = [each.bits_per_byte.value for each in measures if not each.finite]
    if not endless:
        return certificate
    nan = any(map(math.isnan, endless))
    reason = "the cost of a token of the text is NaN" if nan else "it gives a token of the text probability 0"
    return replace(certificate, checks=(*certificate.checks, Check("finite", False, reason, {})))
