"""The prime factors of fractions."""

from fractions import Fraction
from functools import lru_cache

from attnlab.answers.values.effort import Effort, UndecidedError

QUICK, LARGEST = 1 << 80, 1 << 256
"""Below the first, numbers are factored at once. Up to the second, only prime factors below FOUND are looked for."""
FOUND = 1 << 21
HARD, MOST_WORK = 1 << 48, 20_000
"""From this number on, finding the factors can take so much work."""
TOO_LARGE = "it has a root or a logarithm of a number that is too large to factor"


def prime_factors(share: Fraction) -> dict[int, int]:
    """The prime factors of a fraction above 0, with their powers. Raises `UndecidedError` for a number so large that
    nobody can wait for its factors.

    >>> prime_factors(Fraction(12, 5)) == {2: 2, 3: 1, 5: -1}
    True
    """
    above, below = _factors(share.numerator), _factors(share.denominator)
    return {prime: above.get(prime, 0) - below.get(prime, 0) for prime in {*above, *below}}


@lru_cache(maxsize=4096)
def _factors(number: int) -> dict[int, int]:
    found: dict[int, int] = {}
    divisor = 2
    while divisor * divisor <= number and divisor < 1_000:
        while number % divisor == 0:
            found[divisor] = found.get(divisor, 0) + 1
            number //= divisor
        divisor += 1 if divisor == 2 else 2
    if number >= 1_000_000:  # SymPy takes half a second to import, so only for numbers with large factors
        from sympy import factorint, isprime

        if number > LARGEST:
            raise UndecidedError(TOO_LARGE)
        Effort.spend(MOST_WORK if number >= HARD else MOST_WORK // 20)
        by_trial = {"limit": FOUND, "use_rho": False, "use_pm1": False, "use_ecm": False}
        large = factorint(number, **({} if number < QUICK else by_trial))
        if not all(factor < QUICK or isprime(factor) for factor in large):
            raise UndecidedError(TOO_LARGE)
        return found | {int(prime): int(count) for prime, count in large.items()}
    return found | ({number: 1} if number > 1 else {})
