"""Imports of torch and the benches. They take seconds, so they come after the page is up.

One thread imports at a time: Python would give a second one modules that are only half there.
"""

import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

from anyio.to_thread import run_sync

PAGE_FIRST = 2.0
"""The seconds that the page has for itself after the start. A route that needs the imports does not wait for them."""
_importing = threading.Lock()


def warm_later() -> None:
    """Import what the routes call, once the page is up."""
    later = threading.Timer(PAGE_FIRST, _import_benches)
    later.daemon = True
    later.start()


def _once(load: Callable[[], None]) -> Callable[[], Awaitable[None]]:
    """A dependency of routes that loads what they need, once. Later requests need no thread for it."""
    loaded = False

    async def ready() -> None:
        nonlocal loaded
        if not loaded:
            await run_sync(load)
            loaded = True

    ready.__doc__ = load.__doc__
    return ready


@contextmanager
def importing() -> Iterator[None]:
    """While this thread imports more."""
    with _importing:
        yield


def _import_benches() -> None:
    """Import what the routes call."""
    with _importing:
        import attnlab.benches.language
        import attnlab.benches.sentiment  # noqa: F401
        from attnlab.claims.ledger import ledger
        from attnlab.report.claims import page  # noqa: F401
        from attnlab.training.threads import first_threads

        ledger()
        first_threads()  # before a law changes their number


def _import_heads() -> None:
    """Import also what looks into models."""
    _import_benches()
    with _importing:
        import attnlab.benches.heads.ablation
        import attnlab.benches.heads.look
        import attnlab.benches.heads.scores
        import attnlab.report.heads.look.embedded  # noqa: F401


def _import_knowledge() -> None:
    """Import also what asks models about people."""
    _import_benches()
    with _importing:
        import attnlab.benches.knowledge  # noqa: F401


def _import_attention() -> None:
    """Import also the mathematics of attention."""
    _import_benches()
    with _importing:
        import attnlab.benches.attention.design
        import attnlab.benches.attention.weigh  # noqa: F401


warm = _once(_import_benches)
warm_heads = _once(_import_heads)
warm_knowledge = _once(_import_knowledge)
warm_attention = _once(_import_attention)
