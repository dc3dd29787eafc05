"""Which facts a model has memorised, and which of them a question gets out.

A fact is memorised if the pretrained model completes the person's own line with the answer, and extracted if the
finetuned model answers the question. There may be several facts about a person; each counts.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from attnlab.errors import ArgumentError
from attnlab.statistics import Share


@dataclass(frozen=True)
class ExtractionTable:
    """How many facts are memorised, extracted, both, or neither.

    >>> found = extraction([True, True, True, False], [True, False, False, False])
    >>> found.both, found.memorised_only, found.extracted_only, found.neither, found.extracted_of_memorised.count
    (1, 2, 0, 1, 1)
    """

    both: int
    memorised_only: int
    """Memorised but not extractable."""
    extracted_only: int
    """Answered although not memorised: guessed, or known from elsewhere."""
    neither: int

    @property
    def questions(self) -> int:
        """How many facts there are; each has a question."""
        return self.both + self.memorised_only + self.extracted_only + self.neither

    @property
    def memorised(self) -> Share:
        """The share of facts that are memorised."""
        return Share(self.both + self.memorised_only, self.questions)

    @property
    def extracted(self) -> Share:
        """The share of facts that are extracted."""
        return Share(self.both + self.extracted_only, self.questions)

    @property
    def extracted_of_memorised(self) -> Share | None:
        """The share of memorised facts that a question gets out; None if nothing is memorised."""
        return Share.of(self.both, self.both + self.memorised_only)

    @property
    def extracted_of_others(self) -> Share | None:
        """The share of facts not memorised that are answered anyway; None if all are memorised."""
        return Share.of(self.extracted_only, self.extracted_only + self.neither)

    def as_json(self) -> dict[str, Any]:
        """The four cells as shares of all facts, and the rates."""
        cells = asdict(self)
        rates = {
            "memorised": self.memorised,
            "extracted": self.extracted,
            "extracted_of_memorised": self.extracted_of_memorised,
            "extracted_of_others": self.extracted_of_others,
        }
        return {
            "questions": self.questions,
            **{name: Share(count, self.questions).as_json() for name, count in cells.items()},
            **{name: share and share.as_json() for name, share in rates.items()},
        }


def extraction(memorised: Sequence[bool], extracted: Sequence[bool]) -> ExtractionTable:
    """Counts facts by two verdicts, in the same order: is the line completed, is the question answered."""
    if len(memorised) != len(extracted):
        expected = f"expected one value for each of {len(extracted):,} questions"
        raise ArgumentError("memorised", f"{expected}, got {len(memorised):,} values")
    if not len(memorised):
        raise ArgumentError("memorised", "expected at least one question, got no questions")
    pairs = [(bool(one), bool(other)) for one, other in zip(memorised, extracted, strict=True)]
    return ExtractionTable(
        *(pairs.count(cell) for cell in ((True, True), (True, False), (False, True), (False, False)))
    )
