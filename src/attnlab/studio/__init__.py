"""The studio: the lab in a browser, on this machine alone.

serve      starts the server, and prints and opens its address
app        the application, from small routers; errors: one JSON object for every error
safety     who may ask: token, Host, Origin, sizes; places: which folders may be read
jobs       long work in processes of their own; work: what such a process does
routes/    a file for each page; a route checks what it is given, calls a bench, and returns its record
static/    the page itself, served as it is: a module for each page, and components that pages share

`al.studio(…)` is a function of `api/studio.py`. Python gives this folder the same name, so the folder can be called.
"""

import sys
from types import ModuleType
from typing import Any


class _Callable(ModuleType):
    """This module, which opens the studio when it is called."""

    def __call__(self, *given: Any, **named: Any) -> Any:
        from attnlab.api.studio import studio

        return studio(*given, **named)


sys.modules[__name__].__class__ = _Callable
