"""The default text, which needs no network: the documentation of Python itself."""

import platform
from functools import lru_cache


@lru_cache(maxsize=1)
def prose() -> str:
    """The topics of Python's documentation, as `help()` shows them, sorted by name; about 370 kB.

    The text is unchanged, with headings and examples. But topics quote each other, and a model must not be tested on
    its training text. So a repeated paragraph is left out (465 kB become 370). The text differs a little between
    versions of Python; `prose_version` names the version.

    >>> prose().splitlines()[0]
    'The "assert" statement'
    """
    from pydoc_data.topics import topics

    paragraphs: dict[str, None] = {}  # a set that keeps its order
    for name in sorted(topics):
        paragraphs.update(dict.fromkeys(part.strip("\n") for part in topics[name].split("\n\n")))
    return "\n\n".join(filter(None, paragraphs)) + "\n"


def prose_version() -> str:
    """The version of Python that the text comes from."""
    return f"the documentation of Python {platform.python_version()}"
