"""attnlab audit: can a model's perplexity be trusted?"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tyro.conf import Positional, arg

from attnlab.cli.outcome import Outcome
from attnlab.errors import FileError

if TYPE_CHECKING:
    from attnlab.evaluation.audit import Certificate
    from attnlab.evaluation.scoring.subjects import Subject


@dataclass(frozen=True)
class Audit:
    """Whether a model's perplexity can be trusted: a certificate, check by check.

    causal: later tokens change nothing before them, nor do they come through a mask that is finite. normalised:
    probabilities sum to 1. Every byte of the raw file is counted once, and the first token too. batch-invariant and
    deterministic: the same tokens cost the same. recounted: tokens drawn at random cost the same when the model sees
    only what is before them. If any of this fails, the exit code is 1.

    Example: attnlab audit first-run
    """

    model: Positional[Annotated[str, arg(metavar="MODEL")]]
    """The folder of a run, or hf:FOLDER for a model of Hugging Face's."""
    text: Annotated[Path | None, arg(metavar="FILE", help_behavior_hint="")] = None
    """The text whose bytes are counted; else a short one with all that is easily miscounted."""
    json: bool = False
    """Print one JSON value, the certificate, instead of text."""

    def run(self) -> Outcome:
        """The certificate."""
        from attnlab.evaluation.audit import audit
        from attnlab.evaluation.scoring.subjects import open_subject

        subject = open_subject(self.model)
        certificate = _audit_of_file(subject, self.text) if self.text else audit(subject)
        return Outcome(certificate.as_json(), certificate_lines(certificate), holds=certificate.sound)


def certificate_lines(certificate: Certificate) -> list[str]:
    """A certificate for a person: a line a check, and what follows from them."""
    width = max(len(check.name) for check in certificate.checks)
    lines = [f"{'ok' if each.passed else 'failed':6}  {each.name:{width}}  {each.said}" for each in certificate.checks]
    failed = ", ".join(check.name for check in certificate.failed)
    verdict = f"unsound: {failed}" if failed else "sound: every check passed"
    return [*lines, verdict]


def _audit_of_file(subject: Subject, path: Path) -> Certificate:
    """The certificate for a file, which is read in pieces."""
    from attnlab.data.texts.slices import TextSlice
    from attnlab.data.tokens.files import cut_again
    from attnlab.evaluation.audit import audit
    from attnlab.evaluation.audit.byte_ledger import ledger_of_pieces

    file = TextSlice.of([path])
    first = next(cut_again(subject.tokenizer, file.pieces()), "")
    counted = ledger_of_pieces(subject.tokenizer, file.pieces(), subject.unknown, size=file.size)
    if counted is None:
        raise FileError(path, "the file is empty")
    return audit(subject, first, counted=counted)
