"""The list of claims, without running them."""

from typing import Any, ClassVar

from attnlab.claims.claim import Claim
from attnlab.claims.ledger import pick, picking_words
from attnlab.records import Record, command_line, record


@record
class ClaimList(Record):
    """Claims with their statements, and who makes them."""

    shown_by: ClassVar[str] = "claims.findings.claim_list"

    claims: tuple[Claim, ...]
    typed: tuple[str, ...]
    """The words of the command line, without `attnlab`."""

    def to_dict(self) -> dict[str, Any]:
        """Each claim by its id: family, question, statement, who says it and where, and whether it is random."""
        named = ("family", "question", "statement", "said_by", "place", "stochastic")
        return {claim.id: {name: getattr(claim, name) for name in named} for claim in self.claims}

    @property
    def command(self) -> str:
        """The command line that lists them again."""
        return command_line(self.typed)


def list_claims(*names: str, family: str = "", by: str = "") -> ClaimList:
    """The claims with these names (ids or families), of a family, or of a write-up; by default all claims.

    >>> [claim.id for claim in list_claims(family="perplexity").claims]
    ['perplexity-base', 'perplexity-mixed']
    """
    claims = pick(names, family, by)
    return ClaimList(tuple(claims), ("claims", *names, *picking_words(family, by), "--list"))
