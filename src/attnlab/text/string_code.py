"""A fixed code for strings in contexts: the cost of a string never depends on the strings that were told before it.

Counts of a training text give each string a probability (Witten and Bell 1991). A context that has seen n strings, d of
them different, and this one c times, passes the rest of its probability on to the next wider context:

    p(s | context) = (c + d · p(s | wider context)) / (n + d).

The widest context counts all strings of the training text. What it passes on goes to the bytes of the string and an
end, which are predicted in the same way: after two bytes, after one, after none, and finally 1/257. So the
probabilities of all strings sum to 1, and an arithmetic coder needs the sum of the nats to within two bits.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

END = 256
"""The symbol that ends a string, after the 256 bytes."""
WORTH = 3.0
"""A context is kept if it saves at least this many nats of the training text."""
Table = Mapping[str, Mapping[Any, int]]
"""How often each string came in each context."""


class SymbolCounts:
    """How often each symbol came, and the probability of a symbol that this gives, with that of a wider context."""

    def __init__(self, counts: Mapping[Any, int]) -> None:
        self.counts, self.different = counts, len(counts)
        self.total = sum(counts.values()) + self.different

    def mixed(self, symbol: Any, wider: float) -> float:
        """−ln p of a symbol, given −ln p in the wider context. A long string has a p that no float can hold."""
        count = self.counts.get(symbol, 0)
        if count:
            return -math.log((count + self.different * math.exp(-wider)) / self.total)
        return wider - math.log(self.different / self.total)


@dataclass(frozen=True)
class StringCode:
    """The counts of strings at each level, from the widest context, called "", to the narrowest."""

    levels: tuple[Table, ...]

    @classmethod
    def learn(cls, counted: Mapping[tuple[tuple[str, ...], str], int]) -> "StringCode":
        """The code of counted strings, each with its contexts from wide to narrow.

        >>> code = StringCode.learn({(("noun",), "s"): 60, (("noun",), ""): 20})
        >>> [round(code.nats(string, ["noun"]), 1) for string in ("s", "", "es")]
        [0.3, 1.4, 13.5]
        """
        found: list[defaultdict[str, dict[str, int]]] = [defaultdict(dict)]
        parents: list[dict[str, tuple[str, ...]]] = [{}]
        for (contexts, string), count in counted.items():
            for level, context in enumerate(("", *contexts)):
                if level == len(found):
                    found.append(defaultdict(dict))
                    parents.append({})
                counts = found[level][context]
                counts[string] = counts.get(string, 0) + count
                parents[level][context] = contexts[: level - 1]
        code = cls(({"": found[0][""]},))
        for level, wider in zip(found[1:], parents[1:], strict=True):
            kept = {each: counts for each, counts in level.items() if code._saved(counts, wider[each]) >= WORTH}
            code = cls((*code.levels, kept))
        return code

    def nats(self, string: str, contexts: Sequence[str] = ()) -> float:
        """−ln p of a string in contexts from wide to narrow."""
        counts = [each for level, name in zip(self._counts, ("", *contexts), strict=False) if (each := level.get(name))]
        key = (string, *counts)  # the rare words of a kind share their counts
        if (known := self._mixed.get(key)) is not None:
            return known
        found = self._spelled(string)
        for each in counts:
            found = each.mixed(string, found)
        self._mixed[key] = found
        return found

    def _saved(self, counts: Mapping[str, int], contexts: Sequence[str]) -> float:
        """The nats that a narrower context with these counts saves."""
        narrower, saved = SymbolCounts(counts), 0.0
        for string, count in counts.items():
            wider = self.nats(string, contexts)
            saved += count * (wider - narrower.mixed(string, wider))
        return saved

    def _spelled(self, string: str) -> float:
        """−ln p of the bytes of a string, and its end."""
        if (known := self._known.get(string)) is not None:
            return known
        found = 0.0
        for byte, contexts in _bytes_in_contexts(string):
            nats = math.log(END + 1)
            for context in contexts:
                counts = self._bytes.get(context)
                if counts:
                    nats = counts.mixed(byte, nats)
            found += nats
        self._known[string] = found
        return found

    @cached_property
    def _counts(self) -> list[dict[str, SymbolCounts]]:
        return [{context: SymbolCounts(counts) for context, counts in level.items() if counts} for level in self.levels]

    @cached_property
    def _mixed(self) -> dict[tuple[Any, ...], float]:
        """The nats of strings whose counts were mixed already."""
        return {}

    @cached_property
    def _known(self) -> dict[str, float]:
        """The strings that were spelled already."""
        return {}

    @cached_property
    def _bytes(self) -> dict[tuple[int, ...], SymbolCounts]:
        """How often each byte came after no, one and two bytes, in the different strings of the widest context."""
        found: defaultdict[tuple[int, ...], Counter[int]] = defaultdict(Counter)
        for string in self.levels[0][""]:
            for byte, contexts in _bytes_in_contexts(string):
                for context in contexts:
                    found[context][byte] += 1
        return {context: SymbolCounts(counts) for context, counts in found.items()}

    def to_json(self) -> list[Table]:
        """The counts as JSON."""
        return [dict(level) for level in self.levels]

    @classmethod
    def from_json(cls, value: Any) -> "StringCode":
        """The code from its `to_json`."""
        if not isinstance(value, list) or not all(map(_is_table, value)) or not value or [*value[0]] != [""]:
            raise ValueError("expected counts of strings in contexts")
        return cls(tuple(value))


def raw_nats(string: str) -> float:
    """−ln p of a string whose bytes are all equally likely, and which ends with probability 1/8.

    >>> [round(raw_nats(string) / math.log(2), 1) for string in ("", "a", "1642 ")]
    [3.0, 11.2, 44.0]
    """
    return math.log(8) + len(string.encode("utf-8", "surrogateescape")) * math.log(END * 8 / 7)


def _bytes_in_contexts(string: str) -> Iterator[tuple[int, tuple[tuple[int, ...], ...]]]:
    """Yields each byte of a string, and its end, with no, one and two bytes before it."""
    before = (END, END)
    for byte in (*string.encode("utf-8", "surrogateescape"), END):
        yield byte, ((), before[1:], before)
        before = (before[1], byte)


def _is_table(value: Any) -> bool:
    return isinstance(value, dict) and all(
        isinstance(counts, dict) and all(isinstance(count, int) and count > 0 for count in counts.values())
        for counts in value.values()
    )
