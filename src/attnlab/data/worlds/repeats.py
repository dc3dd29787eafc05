"""A generated text that only repetition predicts: each line repeats a few random letters, over and over.

How many letters a line repeats, its period, is drawn anew for each line. So no distance to look back is right for all
lines. The next letter is the one that stood after the last copy of the present letter, and a model that finds it there
has learnt induction (Olsson et al. 2022, "In-context learning and induction heads").
"""

import string

import numpy as np

from attnlab.errors import ArgumentError
from attnlab.settings import Range

LETTERS = string.ascii_lowercase
PERIODS = (4, 24)
"""The shortest and the longest period of the named text."""
LINES, LENGTH = 5_000, 191
"""The named text: about a million characters."""


def repeats(lines: int = LINES, *, periods: tuple[int, int] = PERIODS, length: int = LENGTH, seed: int = 0) -> str:
    """Lines of `length` letters, each with a period from the first to the last of `periods`. The letters of a period
    differ. With one period for all lines, such as (10, 10), position alone predicts the text.

    >>> print(repeats(3, periods=(2, 5), length=12, seed=1), end="")
    bubububububu
    wqnzwqnzwqnz
    swlaqswlaqsw
    """
    shortest, longest = periods
    if not 1 <= shortest <= longest <= len(LETTERS):
        wanted = f"expected two numbers from 1 to {len(LETTERS)}, the smaller one first"
        raise ArgumentError("periods", f"{wanted}; got {shortest} and {longest}")
    for option, value in (("lines", lines), ("length", length)):
        Range(1).require(option, value)
    random = np.random.default_rng(seed)
    letters = random.permuted(np.tile(np.frombuffer(LETTERS.encode(), np.uint8), (lines, 1)), axis=1)
    period = random.integers(shortest, longest, (lines, 1), endpoint=True)
    written = np.take_along_axis(letters, np.arange(length) % period, axis=1)
    ends = np.full((lines, 1), ord("\n"), np.uint8)
    return np.concatenate([written, ends], axis=1).tobytes().decode()
