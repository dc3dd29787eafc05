"""Every bound that a claim states holds: truths.py has the same numbers by mpmath."""

import pytest
from mpmath import mpf, workdps
from tests.claims.truths import DIGITS, Truth, truths

from attnlab.claims import Quantity

TRUTHS = list(truths())


def test_every_number_with_a_bound_has_a_truth(findings):
    stated = [(id, each.name) for id, (_, found) in findings.items() for each in found.measures if each.how == "bound"]
    assert sorted(stated) == sorted((claim, name) for claim, name, _ in TRUTHS)


@pytest.mark.parametrize(("claim", "name", "truth"), TRUTHS, ids=lambda each: each if isinstance(each, str) else "")
def test_the_bound_contains_the_true_value(claim: str, name: str, truth: Truth, findings):
    found: Quantity = next(each for each in findings[claim][1].measures if each.name == name)
    with workdps(DIGITS):
        assert abs(mpf(found.value) - truth()) <= mpf(found.within)
