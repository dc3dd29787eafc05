"""Claims: statements about attention and language models, each with an experiment that tests it.

claim      the classes Claim, Family and Finding
ledger     the list of all claims
families/  the claims themselves, a file for each family
running    runs claims, and writes the report
findings   the records of claims that were run
listing    the list of claims, without running them
parallel   runs claims, in several processes if that is faster; kept: measurements that they share
seeds      the seed of each claim; steadiness: with how many seeds a verdict is the same
sources    the data of a claim, by hash

`al.claims(…)` runs claims: this folder has the name of that verb.
"""

from attnlab import callable_packages
from attnlab.claims.claim import Claim, Family, Finding, Quantity
from attnlab.claims.findings import ClaimResult, Findings, WrittenReport
from attnlab.claims.listing import ClaimList, list_claims
from attnlab.claims.running import report, run_claims

__all__ = [
    "Claim",
    "ClaimList",
    "ClaimResult",
    "Family",
    "Finding",
    "Findings",
    "Quantity",
    "WrittenReport",
    "list_claims",
    "report",
    "run_claims",
]

callable_packages.is_a_verb(__name__)
