"""Reasons of a classifier as the page Reviews shows them, with the numbers of the command line."""

from typing import Any

from attnlab.benches.sentiment import Explained, ExplainedErrors
from attnlab.contents import Content, OneOf
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


@Content(
    text=str,
    said=str,
    against=str,
    label=str | None,
    probability=str,
    log_odds=str,
    words=int,
    unknown=int,
    darkest=str,
    note=str,
    pieces=list[tuple[str, str | None, str]],
    strongest=[Content(word=str, removal=str, gradients=str)],
)
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


@Content(
    first=str,
    why=str,
    experiments=[Content(kind=str, holds=bool, told=str)],
)
def shown_error(found: Misread) -> dict[str, Any]:
    """The kinds of an error and what decided them."""
    experiments = [{"kind": each.kind, "holds": each.holds, "told": each.told} for each in found.experiments]
    return {"first": found.first, "why": found.why_first, "experiments": experiments}


@Content(shown_reasons, error=OneOf(shown_error, None))
def shown_explanation(found: Explained) -> dict[str, Any]:
    """The reasons and, for an error, its kinds."""
    return shown_reasons(found.reasons) | {"error": shown_error(found.misread) if found.misread else None}


def shown_kinds(found: ExplainedErrors) -> list[dict[str, Any]]:
    """Each kind of error."""
    return [shown_kind(found, *row) for row in found.counts.rows if found.counts.errors]


@Content(kind=str, meaning=str, first=int, share=str, in_all=int, examples=[shown_explanation])
def shown_kind(found: ExplainedErrors, kind: str, first: int, in_all: int) -> dict[str, Any]:
    """How often a kind of error occurs, what it means, and its most confident errors."""
    examples = [each for each in found.errors if each.first == kind][:EXAMPLES]
    return {
        "kind": kind,
        "meaning": MEANINGS[kind],
        "first": first,
        "share": percent(first / found.counts.errors),
        "in_all": in_all,
        "examples": [shown_reasons(each.reasons) | {"error": shown_error(each)} for each in examples],
    }
