"""Imports of torch and the benches. They take seconds, so they come after the page is up.

One thread imports at a time: Python would give a second one modules that are only half there.
"""

import threading

PAGE_FIRST = 2.0
"""The seconds that the page has for itself after the start. A route that needs the imports does not wait for them."""
_importing = threading.Lock()


def warm_later() -> None:
    """Import what the routes call, once the page is up."""
    later = threading.Timer(PAGE_FIRST, warm)
    later.daemon = True
    later.start()


def warm() -> None:
    """Import what the routes call, once. A route that needs it depends on this function."""
    with _importing:
        import attnlab.benches.language
        import attnlab.benches.sentiment  # noqa: F401
        from attnlab.claims.ledger import ledger
        from attnlab.report.claims import page  # noqa: F401

        ledger()


def warm_heads() -> None:
    """Import also what looks into models."""
    warm()
    with _importing:
        import attnlab.benches.heads.ablation
        import attnlab.benches.heads.look
        import attnlab.benches.heads.scores
        import attnlab.report.heads.embedded  # noqa: F401


def warm_knowledge() -> None:
    """Import also what asks models about people."""
    warm()
    with _importing:
        import attnlab.benches.knowledge  # noqa: F401


def warm_attention() -> None:
    """Import also the mathematics of attention."""
    warm()
    with _importing:
        import attnlab.benches.attention.design
        import attnlab.benches.attention.weigh  # noqa: F401
