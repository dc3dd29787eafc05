"""Changes of valid files at random: of bytes, of words, of lines, and of JSON values."""

import json
from copy import deepcopy
from random import Random
from typing import Any

ODD = (
    "", " ", "\n", "\r", "\t", "\0", "\x1b[31m", "\u202e", "\ufeff", "é", "e\u0301", "🙂", "٣", "²", "ﬁ", "\udce9", "'",
    '"',
    "\\", "{", "}", "(", ")", "[", "]", "<", ">", "%s", "{0}", "../..", "/dev/null", "nan", "inf", "-inf", "1e400",
    "-0",
    "1e-400", "0x10", "1_000", "9" * 400, "0", "-1", "1", "4294967290", "10000000000000000000", "<script>", "=1+1",
    "None",
    "true", "a" * 5_000, "(" * 600, "\\frac{" * 100, "^" * 50, "C" * 300,
)  # fmt: skip
VALUES: tuple[Any, ...] = (
    None, True, False, -1, 0, 1, 2**31, 4294967290, 10**19, 10**400, 1.5, 1e308, -0.0, float("nan"), float("inf"), "",
    "x",
    "\ud800", "\u202e", "a" * 5_000, [], {}, [[]], [None], {"a": 1}, [1, "x"],
)  # fmt: skip


def mutated_bytes(content: bytes, draws: Random) -> bytes:
    """The content after a few changes of its bytes."""
    for _ in range(draws.choice((1, 1, 2, 5))):
        at, end = sorted(draws.randrange(len(content) + 1) for _ in "ab")
        end = min(end, at + draws.choice((0, 1, 1, 8, 1000)))
        new = draws.choice(
            (b"", bytes([draws.randrange(256)]), bytes(draws.randrange(256) for _ in range(9)), content[at:end] * 2,
             draws.choice(ODD).encode("utf-8", "surrogateescape"), content[: draws.randrange(len(content) + 1)])
        )  # fmt: skip
        content = content[:at] + new + content[end:]
    return content[:1_000_000]


def mutated_text(text: str, draws: Random) -> str:
    """The text after a few changes of its characters, words or lines."""
    if draws.random() < 0.02:  # a long run of one piece shows what takes more time than in proportion
        at = draws.randrange(len(text) + 1)
        piece = draws.choice((*(each for each in ODD if 0 < len(each) < 5), text[at : at + 4] or " "))
        return text[:at] + piece * (draws.choice((10_000, 100_000, 500_000)) // len(piece)) + text[at:]
    for _ in range(draws.choice((1, 1, 2, 4))):
        parts = draws.choice((list, str.split, str.splitlines))(text)
        glue = "" if len(parts) == len(text) else draws.choice((" ", "\n"))
        at = draws.randrange(len(parts) + 1)
        way = draws.randrange(5)
        if way == 0:
            parts[at : at + draws.choice((1, 1, 3))] = []
        elif way == 1:
            parts.insert(at, draws.choice(ODD))
        elif way == 2 and parts:
            parts.insert(at, draws.choice(parts))
        elif way == 3 and parts:
            parts[at % len(parts)] = draws.choice((*ODD, *parts))
        else:
            parts = parts * draws.choice((2, 2, 9))
        text = glue.join(parts)[:200_000]
    return text


def mutated_json(value: Any, draws: Random) -> Any:
    """A copy of a JSON value with some entries changed, added, removed or nested deep."""
    value = json.loads(json.dumps(value))
    if draws.random() < 0.03 or not isinstance(value, dict | list) or not value:
        return _value(draws)
    for _ in range(draws.choice((1, 1, 1, 2, 4))):
        place = value
        while True:
            names = list(place) if isinstance(place, dict) else list(range(len(place)))
            if not names:
                break
            name = draws.choice(names)
            if isinstance(place[name], dict | list) and place[name] and draws.random() < 0.7:
                place = place[name]
                continue
            _change(place, name, draws)
            break
    return value


def _value(draws: Random) -> Any:
    return deepcopy(draws.choice(VALUES))


def _change(place: Any, name: Any, draws: Random) -> None:
    way = draws.randrange(6)
    if way == 0:
        del place[name]
    elif way == 1 and isinstance(place, dict):
        place[draws.choice(ODD)] = _value(draws)
    elif way == 2 and isinstance(place[name], str):
        place[name] = mutated_text(place[name], draws)
    elif way == 3 and isinstance(place[name], int | float):
        place[name] = draws.choice((-place[name], place[name] + 1, 2 * place[name], 0, 10**6, 0.5))
    elif way == 4:
        place[name] = deepcopy(place[draws.choice(list(place) if isinstance(place, dict) else range(len(place)))])
    else:
        place[name] = _value(draws)


def json_bytes(value: Any, draws: Random) -> bytes:
    """A JSON value as a file; now and then nested 100,000 deep, or cut short."""
    text = json.dumps(value, ensure_ascii=draws.random() < 0.5).encode("utf-8", "surrogatepass")
    chance = draws.random()
    if chance < 0.02:
        return b'{"a":' * 100_000
    if chance < 0.04:
        return text.replace(b": ", b": " + b"[" * 100_000 + b"]" * 100_000 + b', "b": ', 1)
    return mutated_bytes(text, draws) if chance < 0.15 else text
