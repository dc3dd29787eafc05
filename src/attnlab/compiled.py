"""Loops as machine code. numba compiles them once, and keeps the code beside the file of the loop."""

import gc
from collections.abc import Callable
from typing import Any


def compiled(*signatures: str, **options: Any) -> Callable[[Any], Any]:
    """A decorator for a loop over arrays. The loop holds no lock of Python. Without signatures, other loops inline it.

    Importing numba takes a third of a second, so import the file of a loop when the loop runs. Python's search for
    cycles pauses meanwhile: numba makes 100,000 objects, all of which stay, and the search would take a quarter of the
    time.
    """

    def made(loop: Any) -> Any:
        searching = gc.isenabled()
        gc.disable()
        try:
            from numba import njit

            return njit(list(signatures) or None, nogil=True, cache=True, **options)(loop)
        finally:
            if searching:
                gc.enable()

    return made
