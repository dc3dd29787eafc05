"""Where a text may be cut without cutting a word."""

import re
from collections import deque

SAFE = re.compile(r"(?<=\S)[ \n]")


def before_last_space(text: str) -> int:
    """The last place before a space or end of line that follows anything but whitespace; 0 where there is none.

    >>> before_last_space("one two  three")
    7
    """
    for width in (1 << 10, len(text)):  # nearly always there is one near the end
        last = deque(SAFE.finditer(text, max(len(text) - width, 0)), maxlen=1)
        if last:
            return last[0].start()
    return 0
