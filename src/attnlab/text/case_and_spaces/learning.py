"""Words beside the raw text that they stand for, and the code of the difference, learnt from a training text."""

from collections.abc import Iterable

import numpy as np

from attnlab.text.case_and_spaces.code import APART, CaseAndSpacesCode, Pieces
from attnlab.text.cutting import cut_text
from attnlab.text.normalisation import LINE_END, Normalisation

LEARNT = 1 << 20
"""The code is learnt from this many characters of the training text, from its beginning."""
USUAL = """\
The committee of the New Zealand Society met on 3 May 1921 in London. "Is it true," asked Mr. Hughes, "that nobody
knew?" Nobody did; the letters (all 12 of them) had been lost! They were found in April 1924 - three years later - by
a clerk of the BBC, who wrote: 'I was looking for a book.' What had happened? In those years, half of the 1,500 boxes
were kept in a well-known house near Oxford, and the rest, about 40 %, in Paris.

The first chapter tells of the people who went there. Some came by train, others on foot; it took them ten days, and
they had no more than £20 between them. "We shall see," said Anna. It was cold. The second chapter (written in 1930) is
shorter: it has only a map, a list of names and a note on the weather. I do not know why. Do you?
"""
"""A training text for tokenizers whose own is not known: they are from elsewhere, or older than the code."""


def learnt_code(beginning: str, rule: Normalisation) -> CaseAndSpacesCode:
    """The code of a training text, from its beginning; words are split and written as the rule says."""
    return CaseAndSpacesCode.learn(word_pieces(beginning, rule))


def word_pieces(text: str, rule: Normalisation) -> Pieces:
    """The words of a text as a rule writes them, and the raw text of each; text before the first word belongs to it.

    >>> [*word_pieces("- The  cat.", Normalisation(lower=True, punctuation="drop"))]
    [('the', '- The  ', 'apart'), ('cat', 'cat.', 'apart')]
    """
    cut = cut_text(text, rule)
    seen = ["\n" if word == LINE_END and rule.lines else word for word in cut.words]
    different = [*zip(seen, cut.parts, [APART] * len(seen), strict=True)]
    numbers = cut.numbers
    if cut.before and different:
        word, part, sort = different[numbers[0]]
        numbers = np.append(len(different), numbers[1:])
        different.append((word, cut.before + part, sort))
    return Pieces(different, numbers)


class Beginning:
    """The beginning of a text that comes in pieces; the cuts change nothing."""

    def __init__(self) -> None:
        self.text = ""

    def of(self, pieces: Iterable[str]) -> Iterable[str]:
        """Yields the pieces, and keeps the beginning."""
        for piece in pieces:
            self.text += piece[: LEARNT - len(self.text)]
            yield piece
