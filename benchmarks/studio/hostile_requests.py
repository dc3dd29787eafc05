"""Hostile requests to every route of the studio, drawn from a seed. Each must be refused.

The routes are those of the OpenAPI schema. Each gets a wrong host, origin, token, method, address and size. A route
with parameters or a body also gets wrong paths, numbers and JSON.
"""

import json
import random
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

Schema = Mapping[str, Any]
PATHS = (
    "link", "link/inner", "link/../../etc", "pipe", "file.txt", "nowhere", "/dev/zero", "/dev/null", "/dev/stdin",
    "/proc/self/mem", "/proc/self/root", "/sys", "hf:/dev", "hf:link", "hf:pipe", "runs/../link", "a\0b", "a\nb",
    "%2e%2e", "..%2f..", "....//....//etc/passwd", "\\\\host\\share", "~nobody-of-this-name", "x" * 5000, " ",
    "file:///etc/passwd", "con", "\u202e",
)  # fmt: skip
OUTSIDE = ("..", "../..", "/", "/etc", "/etc/passwd", "hf:..", "runs/../..", "/tmp")
"""Paths that lead out. A user may open such a folder, or one behind a link, so that only other routes refuse them."""
LINKS = ("link", "link/inner", "runs/../link")
NAMES = ("..%2f..%2fetc%2fpasswd", "%2e%2e", "%00", "%ff", "%ed%a0%80", "a" * 300, "A%20B", "~", "-", "x.y", "%0a")
BAD_JSON = (
    b"", b"{", b"[]", b"null", b"1", b'"x"', b"{'a': 1}", b"[" * 100_000, b'{"a":' * 20_000, b"\xff\xfe", b"\x00",
    b"{}garbage", b'{"a": 01}', b"9" * 5000, b"NaN", b"<xml/>", b"a=1&b=2",
)  # fmt: skip
WRONG: Mapping[str, tuple[str, ...]] = {
    "string": ("[1]", "{}", "7", "true", "null", '"\\ud800"', '"a\\udfffb"'),
    "number": ("NaN", "Infinity", "-Infinity", "1e999", '"x"', "[]", "{}", "null"),
    "integer": ("NaN", "1.5", "1e999", '"x"', "[]", "{}", "null", "9" * 30),
    "boolean": ('"perhaps"', "[]", "{}", "null", "7"),
    "array": ('"x"', "{}", "7", "[{}]", '["\\udc00"]', "[[]]"),
    "object": ('"x"', "[]", "7", '{"a": []}', '{"\\ud800": "1"}'),
}
"""JSON that a field of a type never takes."""
GOOD: Mapping[str, Any] = {
    "keys": "1,0;0,1;-1,0", "queries": "1,1", "mix": "0=0.5,1=0.5", "model": "model", "text": "the cat", "run": "model",
    "models": ["model", "model"], "head": "0.0", "heads": ["0.0"], "ending": ".csv", "problem": "extract",
    "formulas": ["M = A^T"], "ids": ["copying-mask"], "name": "own", "question": "Where was she born?", "path": ".",
}  # fmt: skip
"""Values that routes take, so that an attack on one field meets the code behind it."""
PATH_FIELDS = ("path", "folder", "run", "model")
TEXT_FILES = ("/api/inside/scores", "/api/inside/off", "/api/train/")
"""Routes whose `text` is the path of a file."""


@dataclass(frozen=True)
class Request:
    """A request as it is sent. `headers` replace or add to what a page sends; None leaves one out."""

    attack: str
    method: str
    path: str
    headers: Mapping[str, str | None] = field(default_factory=dict)
    body: bytes = b""


@dataclass(frozen=True)
class Route:
    """A route, and what it takes."""

    method: str
    path: str
    parameters: tuple[Schema, ...]
    body: Schema | None
    """The schema of its body; None if it takes none."""

    def address(self, **values: str) -> str:
        """The path with its parameters; those that are not given get a value that could be right."""
        path = re.sub(
            r"\{(\w+)\}", lambda found: values.get(found[1], {"ending": ".csv"}.get(found[1], "x")), self.path
        )
        query = [each["name"] for each in self.parameters if each["in"] == "query"]
        given = "&".join(f"{name}={values[name]}" for name in query if name in values)
        return f"{path}?{given}" if given else path

    def content(self, name: str = "", value: str = "null") -> bytes:
        """A body that could be right, with one field replaced by some JSON."""
        fields = self.body["properties"] if self.body else {}
        parts = {each: json.dumps(GOOD[each]) for each in fields if each in GOOD}
        if name:
            parts[name] = value
        return ("{" + ", ".join(f"{json.dumps(each)}: {part}" for each, part in parts.items()) + "}").encode()


def routes_of(openapi: Schema) -> list[Route]:
    """Every route of the schema."""
    found = []
    for path, methods in openapi["paths"].items():
        for method, about in methods.items():
            schema = about.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
            body = openapi["components"]["schemas"][schema["$ref"].rpartition("/")[2]] if schema else None
            found.append(Route(method.upper(), path, tuple(about.get("parameters", ())), body))
    return found


def hostile_requests(openapi: Schema, count: int, seed: int, port: int) -> Iterator[Request]:
    """Requests to all routes in turn, with attacks drawn from a seed."""
    draw, routes = random.Random(seed), routes_of(openapi)
    for number in range(count):
        route = routes[number % len(routes)]
        attacks = [each for each in ATTACKS if not (route.body is None and each in BODY_ATTACKS)]
        attacks = [each for each in attacks if route.parameters or each is not parameters]
        yield draw.choice(attacks)(route, draw, port)


def _plain(route: Route, attack: str, headers: Mapping[str, str | None]) -> Request:
    return Request(attack, route.method, route.address(), headers, route.content() if route.body else b"")


def hosts(route: Route, draw: random.Random, port: int) -> Request:
    """A name that is not the studio's: DNS rebinding."""
    names = ("attacker.example", "127.0.0.1", f"127.0.0.1:{port + 1}", f"127.0.0.1.attacker.example:{port}", "",
             f"[::1]:{port}", f"0.0.0.0:{port}", f"localhost.:{port}", f"127.1:{port}", "a" * 9000)  # fmt: skip
    return _plain(route, "host", {"host": draw.choice(names)})


def origins(route: Route, draw: random.Random, port: int) -> Request:
    """A page of another site."""
    names = ("http://attacker.example", "null", f"https://127.0.0.1:{port}", f"http://127.0.0.1:{port + 1}", "file://",
             f"http://user@127.0.0.1:{port}", f"http://127.0.0.1:{port}.attacker.example")  # fmt: skip
    site = draw.choice(("cross-site", "same-site"))
    chosen = draw.choice(({"origin": draw.choice(names)}, {"sec-fetch-site": site}))
    return _plain(route, "origin", chosen)


def tokens(route: Route, draw: random.Random, port: int) -> Request:
    """No token, or a wrong one."""
    wrong = (None, "", f"attnlab-{port}=", f"attnlab-{port}=wrong", '=;,"', "attnlab=x", "x" * 9000, f"attnlab-{port}")
    return _plain(route, "token", {"cookie": draw.choice(wrong)})


def methods(route: Route, draw: random.Random, port: int) -> Request:
    """A method that no route has."""
    return Request("method", draw.choice(("PUT", "DELETE", "PATCH", "PROPFIND", "OPTIONS")), route.address(), {}, b"{}")


def addresses(route: Route, draw: random.Random, port: int) -> Request:
    """An address that is too long, or leads out of the pages."""
    long = f"{route.address()}{'&' if '?' in route.address() else '?'}x={'x' * draw.choice((9000, 60_000, 200_000))}"
    out = draw.choice(("/../app.py", "/..%2fapp.py", "/%2e%2e/app.py", "//etc/passwd", "/%00", "/a\\b", "/api/../../x"))
    body = route.content() if route.body else b""
    return draw.choice((Request("address", route.method, long, {}, body), Request("address", "GET", out)))


def sizes(route: Route, draw: random.Random, port: int) -> Request:
    """A body that is too large, or a length that is wrong."""
    if route.body is not None and draw.random() < 0.5:
        headers = draw.choice(({}, {"transfer-encoding": "chunked"}))
        body = b'{"x": "' + b"x" * draw.choice((1_000_001, 8_000_000)) + b'"}'
        return Request("size", route.method, route.address(), headers, body)
    length = draw.choice(("-1", "x", "9" * 40, "1e3", "2000000", "0x10", "1, 2"))
    return Request("size", route.method, route.address(), {"content-length": length}, b"{}")


def short_bodies(route: Route, draw: random.Random, port: int) -> Request:
    """A body that is shorter or longer than its headers tell."""
    body = route.content()
    length = draw.choice((1, len(body) - 1, len(body) + 50))
    return Request("length", route.method, route.address(), {"content-length": str(length)}, body)


def kinds(route: Route, draw: random.Random, port: int) -> Request:
    """A body that a form of another site could send."""
    kind = draw.choice(("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", None, "text/json"))
    return _plain(route, "content type", {"content-type": kind})


def parameters(route: Route, draw: random.Random, port: int) -> Request:
    """A wrong parameter: a path that leads out, a name that is none, a number that is none."""
    chosen = draw.choice(route.parameters)
    if chosen["name"] == "seed":
        value = draw.choice(("NaN", "1e99", "-1", "9" * 4000, "x", "1.5", "%00"))
    elif chosen["in"] == "path":
        value = draw.choice(NAMES)
    else:
        value = "".join(f"%{byte:02x}" for byte in draw.choice(PATHS + OUTSIDE).encode())
    return Request(f"parameter {chosen['name']}", route.method, route.address(**{chosen["name"]: value}))


def bad_json(route: Route, draw: random.Random, port: int) -> Request:
    """A body that is no JSON object."""
    return Request("JSON", route.method, route.address(), {}, draw.choice(BAD_JSON))


def fields(route: Route, draw: random.Random, port: int) -> Request:
    """A field of a wrong type or with an impossible value."""
    assert route.body is not None
    name = draw.choice(sorted(route.body["properties"]))
    kind = route.body["properties"][name].get("type", "object")
    return Request(f"field {name}", route.method, route.address(), {}, route.content(name, draw.choice(WRONG[kind])))


def paths(route: Route, draw: random.Random, port: int) -> Request:
    """A path that leads out, or is a device or a pipe; for a route without paths, a field of a wrong type."""
    assert route.body is not None
    taken = [each for each in PATH_FIELDS if each in route.body["properties"]]
    if "text" in route.body["properties"] and route.path.startswith(TEXT_FILES):
        taken.append("text")
    if not taken:
        return fields(route, draw, port)
    name = draw.choice(taken)
    if name == "text" or route.path == "/api/train/resume":
        choice = tuple(each for each in PATHS + OUTSIDE if each.strip() and each != "file.txt")
    else:
        may_open = route.path == "/api/open"
        choice = tuple(each for each in PATHS if each not in LINKS) if may_open else PATHS + OUTSIDE
    value = json.dumps(draw.choice(choice))
    return Request(f"path in {name}", route.method, route.address(), {}, route.content(name, value))


Attack = Callable[[Route, random.Random, int], Request]
BODY_ATTACKS: tuple[Attack, ...] = (short_bodies, kinds, bad_json, fields, fields, fields, paths, paths)
ATTACKS: tuple[Attack, ...] = (hosts, origins, tokens, methods, addresses, sizes, parameters, parameters, *BODY_ATTACKS)
"""One that stands here several times is drawn more often."""
