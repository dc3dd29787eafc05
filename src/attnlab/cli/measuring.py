"""Models measured on texts, each with the certificate that says whether to believe it, and compared."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from attnlab.cli.outcome import progress_bar
from attnlab.errors import ArgumentError, FileError

if TYPE_CHECKING:
    from attnlab.data.texts.slices import TextSlice
    from attnlab.evaluation.audit import Certificate
    from attnlab.evaluation.scoring.costs import Policy
    from attnlab.evaluation.scoring.measures import Measure
    from attnlab.evaluation.scoring.precision import Halved
    from attnlab.evaluation.scoring.subjects import Subject
    from attnlab.evaluation.scoring.tallies import Estimate

Advance = Callable[[int], None]
Precision = Literal["auto", "float32", "bfloat16"]
MOST_CONTEXT = 4096
"""Tokens that are seen at most unless more are asked for: all logits of a window are held at once."""


@dataclass(frozen=True)
class Measured:
    """A model on a text: under each policy, what it cost; and the certificate that says whether to believe it."""

    model: str
    text: str
    measures: tuple[Measure, ...]
    certificate: Certificate
    unit: str
    """What its tokenizer may not know: words, characters or tokens."""
    seen: float | None
    """The share of the text that stands in its training text, where that can be had."""
    precision: str

    def as_json(self, *, force: bool) -> dict[str, Any]:
        """All of it; what is unsound has no number unless it is forced."""
        sound = self.certificate.sound
        told = [each.as_json() for each in self.measures] if sound or force else None
        return {
            "model": self.model,
            "text": self.text,
            "sound": sound,
            "precision": self.precision,
            "seen_in_training": self.seen,
            "measures": told,
            "certificate": self.certificate.as_json(),
        }


@dataclass(frozen=True)
class Compared:
    """Two models on one text: how many bits per byte the better one saves, in disjoint windows."""

    text: str
    better: str
    worse: str
    saved: Estimate

    def as_json(self) -> dict[str, Any]:
        """All of it."""
        return asdict(self)


@dataclass(frozen=True)
class Measuring:
    """How models are measured: as was asked on the command line."""

    context: int | None
    stride: int | None
    precision: Precision
    force: bool

    def measured(self, subject: Subject, name: str, text: TextSlice) -> Measured:
        """A model on a text; what is wrong with the text is said of its file."""
        try:
            return self._measured(subject, name, text)
        except ArgumentError as error:
            if error.argument != "text":
                raise
            raise FileError(Path(name), f"{error.message} (by the tokenizer of {subject.name})") from error

    def policies(self, subject: Subject) -> list[Policy]:
        """Disjoint windows and strided ones; one of both where they are the same."""
        from attnlab.evaluation.scoring.costs import Policy

        context = min(subject.predictor.context, MOST_CONTEXT) if self.context is None else self.context
        stride = max(1, context // 2) if self.stride is None else self.stride
        if stride > context:
            raise ArgumentError("stride", f"expected from 1 to the context of {context}, got {stride}")
        both = [Policy(context, context), Policy(context, stride)]
        return both[:1] if not subject.predictor.windowed or stride == context else both

    def _measured(self, subject: Subject, name: str, text: TextSlice) -> Measured:
        from attnlab.data.tokens.files import cut_again
        from attnlab.evaluation.audit import audit
        from attnlab.evaluation.audit.byte_ledger import ledger_of_pieces
        from attnlab.evaluation.scoring.overlap import seen_in_training

        first = next(cut_again(subject.tokenizer, text.pieces()), "")
        counted = ledger_of_pieces(subject.tokenizer, text.pieces(), subject.unknown, size=text.size)
        certificate = audit(subject, first, counted=counted, policies=())  # what is measured is recounted itself
        measures: tuple[Measure, ...] = ()
        precision = "float32"
        if certificate.sound or self.force:
            measures, certificate, precision = self._numbers(subject, name, text, first, certificate)
        certificate = finite(certificate, measures)
        told = measures if certificate.sound or self.force else ()
        seen = seen_in_training(subject, first)
        return Measured(subject.name, name, told, certificate, subject.unit, seen, precision)

    def _numbers(
        self, subject: Subject, name: str, text: TextSlice, first: str, certificate: Certificate
    ) -> tuple[tuple[Measure, ...], Certificate, str]:
        """What the text costs under each policy, recounted, and the precision that this was measured in."""
        from attnlab.cli.perplexity_table import reads_the_same
        from attnlab.data.tokens.files import cut_again
        from attnlab.evaluation.audit import Witness, audit, recounted
        from attnlab.evaluation.scoring.measures import measure

        policies, tokens = self.policies(subject), certificate.ledger.tokens

        def measured(by: Subject, audited: Certificate) -> tuple[tuple[Measure, ...], Certificate]:
            witnesses = {policy: Witness(by, policy, tokens) for policy in policies}
            with advancing(f"{subject.name} on {name}", tokens * len(policies)) as advance:
                found = tuple(
                    measure(by, cut_again(by.tokenizer, text.pieces()), policy, advance, witness)
                    for policy, witness in witnesses.items()
                )
            return found, recounted(audited, [*witnesses.values()])

        halved = self._halved(subject, first, tokens, policies[0])
        if halved is not None:
            audited = audit(halved.subject, first, counted=certificate.ledger, policies=())
            found, audited = measured(halved.subject, audited)
            alike = audited.sound and all(reads_the_same(each, halved.drift) for each in found)
            if self.precision == "bfloat16" or alike:
                return found, audited, "bfloat16"
        return *measured(subject, certificate), "float32"

    def _halved(self, subject: Subject, first: str, tokens: int, policy: Policy) -> Halved | None:
        """The subject in bfloat16, where that is asked for or worth it."""
        from attnlab.evaluation.scoring.precision import Halved, halved_if_faster
        from attnlab.evaluation.scoring.predictors import NetworkPredictor, halved

        if self.precision == "bfloat16" and isinstance(subject.predictor, NetworkPredictor):
            return Halved(replace(subject, predictor=halved(subject.predictor)), math.inf)
        return halved_if_faster(subject, [first], tokens, policy) if self.precision == "auto" else None


def finite(certificate: Certificate, measures: tuple[Measure, ...]) -> Certificate:
    """The certificate, which fails where what was measured is no number."""
    from attnlab.evaluation.audit import Check

    if all(each.finite for each in measures):
        return certificate
    said = "a token of the text costs no number of nats"
    return replace(certificate, checks=(*certificate.checks, Check("finite", False, said, {})))


def compared(found: list[Measured]) -> list[Compared]:
    """On each text the best model beside each of the others."""
    from attnlab.evaluation.scoring.measures import difference

    pairs = []
    told = [each for each in found if each.measures and each.measures[0].finite]
    for text in dict.fromkeys(each.text for each in told):
        here = (each for each in told if each.text == text)
        best, *others = sorted(here, key=lambda each: each.measures[0].bits_per_byte.value)
        for other in others:
            saved = difference(other.measures[0], best.measures[0])
            pairs.append(Compared(text, best.model, other.model, saved))
    return pairs


@contextmanager
def advancing(description: str, total: int) -> Iterator[Advance]:
    """A progress bar, and what tells it how many tokens are done."""
    with progress_bar() as progress:
        yield partial(progress.advance, progress.add_task(description, total=total))
