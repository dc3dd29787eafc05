"""The default text, which needs no network: Python's own documentation of its language."""

import platform
from functools import lru_cache


@lru_cache(maxsize=1)
def prose() -> str:
    """The topics of Python's documentation, as `help()` shows them, in the order of their names; some 370 kB.

    The text is left as it is, headings and examples too. But topics quote each other: a paragraph that has come before
    is left out, since a model should not be tested on what it was trained on (so 465 kB become 370). It differs a
    little from one version of Python to the next; `prose_version` says which it is.

    >>> prose().splitlines()[0]
    'The "assert" statement'
    """
    from pydoc_data.topics import topics

    paragraphs: dict[str, None] = {}  # a set that keeps its order
    for name in sorted(topics):
        paragraphs.update(dict.fromkeys(part.strip("\n") for part in topics[name].split("\n\n")))
    return "\n\n".join(filter(None, paragraphs)) + "\n"


def prose_version() -> str:
    """Which Python the text comes from."""
    return f"the documentation of Python {platform.python_version()}"
