"""Where to cut a text without cutting a word."""

import re
from collections import deque

SAFE = re.compile(r"(?<=\S)[ \n]")


def before_last_space(text: str) -> int:
    """The last place before a space or an end of line that follows a visible character; 0 if there is no such place.

    >>> before_last_space("one two  three")
    7
    """
    for width in (1 << 10, len(text)):  # usually found near the end
        last = deque(SAFE.finditer(text, max(len(text) - width, 0)), maxlen=1)
        if last:
            return last[0].start()
    return 0
