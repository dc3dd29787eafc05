"""Who may ask the studio, and how much. A page of another site, another user of the machine and a name that points to
127.0.0.1 get nothing.

The address that the studio prints carries a token. The first answer stores it in a cookie, which scripts cannot read
and which no other site can send.
"""

import contextlib
import hmac
import json
import re
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs

import anyio
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from attnlab.errors import ArgumentError

LARGEST_BODY = 1_000_000
"""The most bytes of a request's body. A text that is pasted is far smaller."""
BODY_PATIENCE = 10.0
"""The most seconds until a request's body has come. A body that is shorter than its headers tell would never come."""
LONGEST_ADDRESS = 8_000
"""The most bytes of a path with its parameters."""
HALF_A_PAIR = re.compile(rb"\\u[dD][89a-fA-F]|\xed[\xa0-\xbf]")
"""The beginning of a surrogate in JSON, escaped or as bytes. Two make a character; one alone makes none."""
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


class Guard:
    """Refuses a request before the application sees it, and adds the headers of safety to every answer."""

    def __init__(self, app: ASGIApp, port: int, token: str):
        self.app, self.token = app, token
        self.cookie = f"attnlab-{port}"  # a browser keeps cookies by host, not by port
        self.hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}
        self.origins = {f"http://{host}" for host in self.hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or refuse with one JSON object."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # no websockets: the connection is closed
        headers, fresh = Headers(scope=scope), self._opens(scope)
        refused = self._refusal(scope, headers, fresh)

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._protect(MutableHeaders(scope=message), scope["path"], fresh and not refused)
            await send(message)

        if refused:
            await _refuse(*refused)(scope, receive, guarded)
            return
        await self.app(scope, _limited(receive), guarded)

    def _opens(self, scope: Scope) -> bool:
        """Whether this is the address with the token."""
        if scope["path"] != "/":
            return False
        given = parse_qs(scope["query_string"].decode("latin-1"))
        return any(self._right(token) for token in given.get("token", []))

    def _right(self, token: str) -> bool:
        return hmac.compare_digest(token.encode("utf-8", "surrogateescape"), self.token.encode())

    def _refusal(self, scope: Scope, headers: Headers, fresh: bool) -> tuple[int, str] | None:
        """The status and the reason, if the request is refused."""
        if len(scope.get("raw_path") or b"") + len(scope["query_string"]) > LONGEST_ADDRESS:
            return 414, f"the address is too long: expected at most {LONGEST_ADDRESS:,} bytes"
        if not scope["path"].isprintable():
            return 404, "the address has a character that cannot be printed"  # a route would ignore a last line end
        if headers.getlist("host") not in [[host] for host in self.hosts]:
            return 403, "Host: expected 127.0.0.1 or localhost with the port of the studio"
        if any(origin not in self.origins for origin in headers.getlist("origin")):
            return 403, "Origin: expected a request from a page of the studio"
        if headers.get("sec-fetch-site", "none") not in ("none", "same-origin") and not fresh:
            return 403, "expected a request from a page of the studio, got one from another site"
        if not fresh and not self._right(self._cookie_token(headers)):
            return 401, "token: open the address that attnlab studio printed"
        return _wrong_body(scope["method"], headers)

    def _cookie_token(self, headers: Headers) -> str:
        try:
            found = SimpleCookie(headers.get("cookie", "")).get(self.cookie)
        except CookieError:
            return ""
        return found.value if found else ""

    def _protect(self, headers: MutableHeaders, path: str, fresh: bool) -> None:
        headers.update(HEADERS)
        headers.setdefault("Cache-Control", "no-store" if path.startswith("/api/") else "no-cache")
        if fresh:
            headers.append("Set-Cookie", f"{self.cookie}={self.token}; Path=/; HttpOnly; SameSite=Strict")


def _wrong_body(method: str, headers: Headers) -> tuple[int, str] | None:
    """The refusal of a body by its headers: its length, and its type. A form of another site cannot send JSON."""
    length = headers.get("content-length", "0")
    if not length.isdecimal() or int(length[:20]) > LARGEST_BODY:
        return 413, _too_large()
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if method not in ("GET", "HEAD") and kind != "application/json":
        return 415, "Content-Type: expected application/json"
    return None


def _too_large() -> str:
    return f"the body is too large: expected at most {LARGEST_BODY:,} bytes"


def _refuse(status: int, reason: str) -> JSONResponse:
    return JSONResponse({"error": reason}, status)


def _limited(receive: Receive) -> Receive:
    """The same body, which raises once it is too long or too late: its headers need not tell."""
    seen, more, until = 0, True, anyio.current_time() + BODY_PATIENCE

    async def limited() -> Message:
        nonlocal seen, more
        if not more:
            return await receive()  # whether the client has gone
        with anyio.CancelScope(deadline=until):
            message = await receive()
            seen, more = seen + len(message.get("body", b"")), message.get("more_body", False)
            if seen > LARGEST_BODY:
                raise HTTPException(413, _too_large())
            return message
        raise HTTPException(408, "the body is shorter than Content-Length, or took too long")

    return limited


async def whole_text(request: Request) -> None:
    """Raise if a text in the body has half of a surrogate pair: it is no Unicode, and no file can hold it."""
    body = await request.body() if request.method == "POST" else b""
    if not HALF_A_PAIR.search(body):
        return
    with contextlib.suppress(ValueError, RecursionError):  # whoever reads the body says that this is no JSON
        found = json.loads(body)
        parts = found.items() if isinstance(found, dict) else [("body", found)]
        broken = next((str(name) for name, value in parts if not _whole([name, value])), None)
        if broken is not None:
            raise ArgumentError(broken if _whole(broken) else "body", "half of a surrogate pair is no character")


def _whole(value: Any) -> bool:
    try:
        return bool(json.dumps(value, ensure_ascii=False).encode())
    except UnicodeEncodeError:
        return False
