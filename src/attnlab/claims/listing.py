"""The list of claims, without running them."""

from typing import Any, ClassVar

from attnlab.calls import Call
from attnlab.claims.claim import Claim
from attnlab.claims.ledger import pick, picking
from attnlab.records import Called, record


@record
class ClaimList(Called):
    """Claims with their statements, and who makes them."""

    shown_by: ClassVar[str] = "claims.findings.claim_list"

    claims: tuple[Claim, ...]

    def to_dict(self) -> dict[str, Any]:
        """Each claim by its id: family, question, statement, who says it and where, and whether it is random."""
        named = ("family", "question", "statement", "said_by", "place", "stochastic")
        return {claim.id: {name: getattr(claim, name) for name in named} for claim in self.claims}


def list_claims(*names: str, family: str = "", by: str = "") -> ClaimList:
    """The claims with these names (ids or families), of a family, or of a write-up; by default all claims.

    >>> [claim.id for claim in list_claims(family="perplexity").claims]
    ['perplexity-base', 'perplexity-mixed']
    """
    claims = pick(names, family, by)
    return ClaimList(tuple(claims), made_by=Call("claims --list", names, picking(family, by), "claims.list_claims"))
