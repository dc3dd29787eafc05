"""English negations, and words of contrast between two halves of a text."""

from collections.abc import Sequence


def _words(row: str) -> frozenset[str]:
    return frozenset(row.split())


NEGATIONS = _words(
    "not no never hardly barely scarcely nothing nobody neither nor without cannot isn't wasn't aren't weren't don't "
    "doesn't didn't won't wouldn't can't couldn't shouldn't hasn't haven't hadn't ain't"
)
PHRASES = (("far", "from"), ("by", "no", "means"), ("not", "half"), ("certainly", "not"))
"""Phrases that negate together; the longest match counts."""
CONTRASTS = _words("but yet although though however while whereas nevertheless nonetheless despite except")
CLAUSE_ENDS = frozenset(".!?;:,")
SENTENCE_ENDS = frozenset(".!?")
REACH = 4
"""How many words a negation reaches."""


def denials(forms: Sequence[str]) -> list[tuple[int, int, int]]:
    """Each negation as (first word, one past its last word, one past the last word that it reaches).

    >>> denials("it is by no means good , not bad".split())
    [(2, 5, 6), (7, 8, 9)]
    """
    plain = [form.lower().replace("’", "'") for form in forms]
    found, place = [], 0
    while place < len(plain):
        lengths = [len(each) for each in PHRASES if tuple(plain[place : place + len(each)]) == each]
        length = max(lengths, default=int(plain[place] in NEGATIONS))
        if length:
            stop = place + length
            end = next((n for n in range(stop, len(plain)) if plain[n] in CLAUSE_ENDS or n - stop == REACH), len(plain))
            found.append((place, stop, end))
        place += max(length, 1)
    return found


def cuts(forms: Sequence[str]) -> list[int]:
    """Where a text can be cut into two contrasting halves: the number of the first word after each cut.

    That is the word of contrast or, if it begins a sentence, the next comma: “although …, …”.

    >>> cuts("good , but dull . although fine , it sags".split())
    [2, 7]
    """
    plain = [form.lower() for form in forms]
    found = []
    for place in (n for n, form in enumerate(plain) if form in CONTRASTS):
        begins = place == 0 or plain[place - 1] in SENTENCE_ENDS
        if begins and place + 1 < len(plain) and plain[place + 1] != ",":  # “However, …” refers back
            ends = (n for n in range(place, len(plain)) if plain[n] == "," or plain[n] in SENTENCE_ENDS)
            place = next(ends, place)
        if 0 < place < len(plain) - 1:
            found.append(place)
    return found
