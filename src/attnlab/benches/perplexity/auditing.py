"""Audit a model: can its perplexity be trusted? The result is a certificate with a line for each check."""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from attnlab.benches.perplexity.models import AnyModel, open_subject
from attnlab.benches.perplexity.texts import AnyText, OpenedText, open_text
from attnlab.calls import Call
from attnlab.evaluation.audit import Certificate
from attnlab.evaluation.audit import audit as audit_subject
from attnlab.evaluation.audit.byte_ledger import ledger_of_pieces
from attnlab.evaluation.scoring.costs import Policy
from attnlab.evaluation.scoring.subjects import Subject
from attnlab.progress import SILENT, Observer
from attnlab.records import Called, record


@record
class Audited(Called):
    """The certificate of a model: it tells whether the model's perplexity can be trusted."""

    shown_by: ClassVar[str] = "perplexity.comparison.audited"

    certificate: Certificate
    text: str | None
    """The name of the text whose bytes were counted; None for the lab's short text that is hard to count."""

    @property
    def sound(self) -> bool:
        """Whether every check passed."""
        return self.certificate.sound

    @property
    def holds(self) -> bool:
        """Whether every check passed."""
        return self.sound

    def to_dict(self) -> dict[str, Any]:
        """The certificate."""
        return self.certificate.to_dict()


def audit(model: AnyModel, text: AnyText | None = None, observer: Observer = SILENT) -> Audited:
    """Audit a model on a text; by default, on a short text that is hard to count."""
    opened = None if text is None else open_text(text)
    subject = open_subject(model, "cpu")
    with observer.task(f"auditing {subject.name}", opened and opened.slice.size) as task:
        certificate = audit_subject(subject) if opened is None else certified(subject, opened, advance=task.advance)[1]
    call = Call("audit", (certificate.model,), {"text": opened.argument} if opened else {})
    return Audited(certificate, opened.name if opened else None, made_by=call)


def certified(
    subject: Subject,
    text: OpenedText,
    policies: Sequence[Policy] = (Policy(),),
    advance: Callable[[int], None] = lambda done: None,
) -> tuple[str, Certificate]:
    """The first piece of a text, and the certificate of a model on the whole text, which is read in pieces.

    For each policy, the beginning is measured and recounted. Without policies, the measurement itself must do that.
    `advance` is called with the bytes of each piece that was counted.
    """
    first = next(text.pieces(subject.tokenizer), "")
    pieces, size = text.slice.pieces(), text.slice.size
    counted = ledger_of_pieces(subject.tokenizer, pieces, subject.unknown, size=size, progress=advance)
    return first, audit_subject(subject, first, counted=counted, policies=policies)
