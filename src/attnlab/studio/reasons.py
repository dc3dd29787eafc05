"""Reasons of a classifier as the page Reviews shows them, with the numbers of the command line."""

from typing import Any

from attnlab.benches.sentiment import Explained, ExplainedErrors
from attnlab.evaluation.classification.reasons import NONE, Misread, Reasons
from attnlab.numbers import format_signed, percent
from attnlab.report.sentiment.reasons import STRONGEST_ON_PAGE, UNKNOWN, cells, darkest_push

EXAMPLES = 3
"""How many errors of each kind are shown."""
MEANINGS = {
    "unknown words": "With a word for the true label in place of each unknown word, the answer turns.",
    "negation": "The score hardly moves when the “not” is taken away: the classifier ignores it.",
    "order": "The score hardly moves when the two sides of a “but” change places.",
    "one loud word": "Without its strongest word, the answer turns.",
    "mixed": "Strong words push both ways.",
    "label doubtful": "No other experiment explains the error: the label may be wrong.",
    NONE: "No experiment explains the error.",
}


def shown_reasons(found: Reasons) -> dict[str, Any]:
    """The predicted class, the text with a mark for each word, and the strongest words."""
    signed = [
        {"word": each.name, "removal": format_signed(each.removal, 2), "gradients": format_signed(each.gradients, 2)}
        for each in found.strongest(STRONGEST_ON_PAGE)
    ]
    return {
        "text": found.text,
        "said": found.said,
        "against": found.against,
        "label": found.label,
        "probability": f"{found.probability:.4f}",
        "log_odds": format_signed(found.log_odds, 2),
        "words": len(found.words),
        "unknown": found.unknown,
        "darkest": f"{darkest:.2g}" if (darkest := darkest_push(found)) else "",
        "note": UNKNOWN if found.unknown == len(found.words) else "",
        "pieces": [list(each) for each in cells(found) if each[0]],
        "strongest": signed,
    }


def shown_explanation(found: Explained) -> dict[str, Any]:
    """The reasons and, for an error, its kinds."""
    return shown_reasons(found.reasons) | {"error": shown_error(found.misread) if found.misread else None}


def shown_error(found: Misread) -> dict[str, Any]:
    """The kinds of an error and what decided them."""
    experiments = [{"kind": each.kind, "holds": each.holds, "told": each.told} for each in found.experiments]
    return {"first": found.first, "why": found.why_first, "experiments": experiments}


def shown_kinds(found: ExplainedErrors) -> list[dict[str, Any]]:
    """Each kind of error: how often it occurs, what it means, and its most confident errors."""
    total = found.counts.errors
    return [
        {
            "kind": kind,
            "meaning": MEANINGS[kind],
            "first": first,
            "share": percent(first / total),
            "in_all": held,
            "examples": [
                shown_reasons(each.reasons) | {"error": shown_error(each)}
                for each in [each for each in found.errors if each.first == kind][:EXAMPLES]
            ],
        }
        for kind, first, held in found.counts.rows
        if total
    ]
