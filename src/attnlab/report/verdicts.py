"""Verdicts as people read them: a symbol and words, the same on the page and on the command line."""

from collections.abc import Mapping
from typing import Any

SYMBOLS = {"holds": "✓", "fails": "✗", "holds if": "◐"}


def verdict_words(finding: Mapping[str, Any]) -> str:
    """A finding's verdict with its symbol and condition.

    >>> verdict_words({"verdict": "holds if", "condition": "C is small"})
    '◐ holds if C is small'
    """
    return f"{SYMBOLS[finding['verdict']]} {finding['verdict']} {finding['condition']}".rstrip()


def in_words(counts: Mapping[str, int]) -> str:
    """How many claims have which verdict.

    >>> in_words({"holds": 3, "fails": 1}), in_words({"holds if": 1}), in_words({})
    ('4 claims: 3 hold, 1 fails', '1 claim: 1 holds under a condition', 'no claims')
    """
    total = sum(counts.values())
    if not total:
        return "no claims"
    forms = {"holds": ("holds", "hold"), "fails": ("fails", "fail")}
    forms["holds if"] = ("holds under a condition", "hold under a condition")
    said = [
        f"{counts[name]} {one if counts[name] == 1 else many}"
        for name, (one, many) in forms.items()
        if counts.get(name)
    ]
    return f"{total} claim{'s' * (total != 1)}: {', '.join(said)}"
