"""Claims: statements about attention and models that can be run, and what running them finds.

records    Claim, Finding and what they are made of
ledger     every claim there is
families/  the claims themselves, a file a family
"""

from attnlab.claims.claim import Bar, Bars, Chart, Claim, Family, Finding, Lines, Quantity, Series

__all__ = ["Bar", "Bars", "Chart", "Claim", "Family", "Finding", "Lines", "Quantity", "Series"]
