"""HTTP as uvicorn reads it. Requests that are far too long, or no HTTP, also get one JSON object as their answer."""

import json

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

LINGER = 2.0
"""How many seconds the connection stays open after a refusal. If it closed at once, with bytes on their way, the
system would throw the answer away."""
REASON = "expected an HTTP request whose address and headers have less than 64 kB, and whose length is right"


class JsonProtocol(H11Protocol):
    """A connection of the studio."""

    refused = False

    def data_received(self, data: bytes) -> None:
        """Read on, unless the request was refused."""
        if not self.refused:
            super().data_received(data)

    def send_400_response(self, msg: str) -> None:
        """Refuse, and end the connection."""
        self.refused = True
        if self.cycle is not None and not self.cycle.response_complete:
            self.cycle.disconnected = True  # whoever works on an answer is told that nobody waits for it
            self.cycle.message_event.set()
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            content = json.dumps({"error": REASON}).encode()
            headers = {"content-type": "application/json", "content-length": str(len(content)), "connection": "close"}
            for event in (
                h11.Response(status_code=400, headers=list(headers.items()), reason=b"Bad Request"),
                h11.Data(data=content),
                h11.EndOfMessage(),
            ):
                self.transport.write(self.conn.send(event) or b"")
        self.loop.call_later(LINGER, self.transport.close)
