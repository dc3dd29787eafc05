"""An adaptive code: the cost of each string for a reader who knows only the strings before it.

Nothing is fitted in advance. Each string is encoded under contexts that both sides know, from the widest to the
narrowest. A context that has seen the string c times among n gives the rest of its probability to the next wider one:

    p(s | context) = (c + p(s | wider context)) / (n + 1).

The widest context counts all strings so far, and also the usual strings, as often as both sides have agreed. Of these n
strings, d were new when they came. A new string is announced with probability max(d, 1)/(n + 1), and then spelled byte
by byte, with an end, by the same rule: after two bytes, after one byte, after none, and finally 1/257. A string that
came before, or is usual, has c/n of the remaining probability.

So the probabilities of all strings sum to at most 1, and each follows from the strings before. An arithmetic coder
would need the sum of the nats to within two bits: these bits are real, not estimated. All counts come from sorting.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np
from jaxtyping import Float, Int

NOTHING: Mapping[str, int] = MappingProxyType({})
END = 256
"""The symbol that ends a string, after the 256 bytes."""


def encoded_nats(
    strings: Sequence[str],
    contexts: Sequence[Int[np.ndarray, " strings"]] = (),
    usual: Mapping[str, int] = NOTHING,
) -> Float[np.ndarray, " strings"]:
    """−ln p of each string given the strings before it; `contexts` go from wide to narrow.

    Each `usual` string counts as if it had come this often before the first.

    >>> encoded_nats(["and", "and", "and", "or"]).round(1).tolist()  # spelled, half, two thirds, a quarter and spelled
    [25.4, 0.7, 0.4, 19.2]
    >>> encoded_nats(["and", "and"], usual={"and": 9}).round(2).tolist()
    [0.11, 0.1]
    """
    if not len(strings):
        return np.empty(0)
    symbols, names = numbered(strings)
    agreed = np.array([usual.get(name, 0) for name in names])
    same, count = before(symbols) + agreed[symbols], np.arange(len(symbols)) + sum(usual.values())
    new = same == 0
    announced = np.maximum(np.cumsum(new) - new, 1) / (count + 1)
    chance = np.where(new, announced, (1 - announced) * same / np.maximum(count, 1))
    nats = -np.log(mixed(symbols, contexts, chance))
    # No context has seen a new string: each passes all of its probability on.
    nats[new] += spelled_nats([name for name in names if name not in usual])
    return nats


def spelled_nats(strings: Sequence[str]) -> Float[np.ndarray, " strings"]:
    """−ln p of each string, spelled as bytes and an end, given the strings before it."""
    if not len(strings):
        return np.empty(0)
    whole = [[*string.encode("utf-8", "surrogateescape"), END] for string in strings]
    symbols = np.array([byte for each in whole for byte in each], np.int64)
    starts = np.cumsum([0, *(len(each) for each in whole)])[:-1]
    last = np.append(END, symbols[:-1])
    # Two ends before the first byte: the end of the last string says nothing about how the next one begins.
    second = np.append(END, last[:-1])
    second[starts] = END
    chance = mixed(symbols, (0 * last, last, second * (END + 1) + last), np.full(len(symbols), 1 / (END + 1)))
    return np.add.reduceat(-np.log(chance), starts)


def mixed(
    symbols: Int[np.ndarray, " symbols"],
    contexts: Sequence[Int[np.ndarray, " symbols"]],
    chance: Float[np.ndarray, " symbols"],
) -> Float[np.ndarray, " symbols"]:
    """The probability of each symbol from its counts in the contexts, wide to narrow; `chance` is the prior."""
    for context in contexts:
        _, number = np.unique(context, return_inverse=True)
        among = before(number)
        chance = (before(number * (int(symbols.max()) + 1) + symbols) + chance) / (among + 1)
    return chance


def before(keys: Int[np.ndarray, " symbols"]) -> Int[np.ndarray, " symbols"]:
    """How often each key came before.

    >>> before(np.array([5, 5, 7, 5])).tolist()
    [0, 1, 0, 2]
    """
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    place = np.arange(len(keys))
    starts = np.maximum.accumulate(np.where(np.append(True, ordered[1:] != ordered[:-1]), place, 0))
    found = np.empty(len(keys), np.int64)
    found[order] = place - starts
    return found


def numbered(strings: Sequence[str]) -> tuple[Int[np.ndarray, " strings"], list[str]]:
    """Numbers the strings in the order of their first occurrence; also returns the distinct strings.

    >>> numbered(["b", "a", "b"])[0].tolist(), numbered(["b", "a", "b"])[1]
    ([0, 1, 0], ['b', 'a'])
    """
    names: dict[str, int] = {}
    numbers = [names.setdefault(string, len(names)) for string in strings]
    return np.array(numbers, np.int64), list(names)
