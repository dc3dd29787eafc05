"""Where the documents of a text begin, as its headings tell."""

import re

from attnlab.text.encoding import byte_lengths, code_points

HEADING = re.compile(
    r"(?m)^ ?= [^=\n]{1,200} = ?\r?\n"  # as in WikiText: one pair of signs, more for sections
    r"|(?<=\n)\r?\n# [^\n]{1,200}\n\r?\n"  # Markdown: between empty lines, since a comment in a program looks alike
    r"|\f|<\|endoftext\|>"
)
LONGEST = 512
"""The characters that a heading may begin before a cut."""


class DocumentFinder:
    """Finds where documents begin in a text that comes in pieces; the cuts change nothing."""

    def __init__(self) -> None:
        self._before = ""

    def add(self, piece: str) -> list[int]:
        """The places in the piece, in bytes, where a document begins: after each heading that ends in the piece.

        A heading with nothing before it begins no further document.

        >>> DocumentFinder().add(" = A play = \\n text \\n = = An act = = \\n text")
        []
        >>> DocumentFinder().add("the end. \\n = A play = \\n text \\n = = An act = = \\n text")
        [23]
        """
        text, known = self._before + piece, len(self._before)
        first = len(text) - len(text.lstrip())
        ends = (match.end() - known for match in HEADING.finditer(text) if match.start() > first)
        found = [end for end in ends if end > 0]
        self._before = text[-LONGEST:]
        if piece.isascii() or not found:
            return found
        sizes = byte_lengths(code_points(piece)).cumsum()
        return [int(sizes[place - 1]) for place in found]
