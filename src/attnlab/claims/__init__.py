"""Claims: statements about attention and models that can be run, and what running them finds.

claim      what a claim is, and a finding
ledger     every claim there is
families/  the claims themselves, a file a family
running    runs claims, and writes the report
findings   the records that this gives
"""

from attnlab.claims.claim import Claim, Family, Finding, Quantity
from attnlab.claims.findings import ClaimResult, Findings, WrittenReport
from attnlab.claims.running import report, run_claims

__all__ = [
    "Claim",
    "ClaimResult",
    "Family",
    "Finding",
    "Findings",
    "Quantity",
    "WrittenReport",
    "report",
    "run_claims",
]
