"""What is new, as a stream of events for a page."""

import json
from collections.abc import AsyncIterator, Callable
from typing import Any

import anyio
from anyio.to_thread import run_sync
from starlette.responses import StreamingResponse

from attnlab.studio.lab import Lab

SILENCE = 15.0
"""The seconds without news after which a comment keeps the connection open."""


class Events(StreamingResponse):
    """A stream of events, each with JSON as its data."""

    media_type = "text/event-stream"


async def news(lab: Lab, look: Callable[[], tuple[Any, bool]], seconds: float) -> AsyncIterator[str]:
    """Events that tell what `look` finds, whenever that changes. `look` also says whether there may be more to tell;
    `seconds` pass between two looks."""
    last, silent = "", 0.0
    while not lab.ending():
        found, more = await run_sync(look)
        now = json.dumps(found)
        if now != last:
            last, silent = now, 0.0
            yield f"data: {now}\n\n"
        elif silent >= SILENCE:
            silent = 0.0
            yield ": still there\n\n"
        if not more:
            return
        await anyio.sleep(seconds)
        silent += seconds
