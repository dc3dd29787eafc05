"""The prime factors of fractions."""

from fractions import Fraction
from functools import lru_cache


def prime_factors(share: Fraction) -> dict[int, int]:
    """The prime factors of a fraction above 0, with their powers.

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
        from sympy import factorint

        return found | {int(prime): int(count) for prime, count in factorint(number).items()}
    return found | ({number: 1} if number > 1 else {})
