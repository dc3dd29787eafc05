"""Claims: statements about attention and language models, each with an experiment that tests it.

claim      the classes Claim, Family and Finding
ledger     the list of all claims
families/  the claims themselves, a file for each family
running    runs claims, and writes the report
findings   the records of claims that were run
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
