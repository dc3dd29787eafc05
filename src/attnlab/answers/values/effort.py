"""A budget of work for exact arithmetic, so that no formula takes forever. It limits work, not time: machines agree."""

EFFORT = 250_000
"""The most work to decide about one answer, in products of terms: each takes about ten microseconds."""
EXPLAINING = 100_000
"""The most work to show a counterexample, or how large a constant must be."""
LONG_NUMBER = 256
"""A fraction costs as many products more as its longer half has this many bits."""


class UndecidedError(Exception):
    """A formula about which the lab cannot decide. It says so, and never guesses."""


class SpentError(UndecidedError):
    """The budget is spent. Unlike a single number that is too large, this says nothing about the formula."""


class Effort:
    """Counts work, in products of two terms."""

    left = 10**9

    @classmethod
    def begin(cls, most: int = EFFORT) -> None:
        """Allow so much work from here on."""
        cls.left = most

    @classmethod
    def spend(cls, count: int) -> None:
        """Count work; raises if the budget is spent."""
        cls.left -= count
        if cls.left < 0:
            raise SpentError("it is too long for exact arithmetic")
