"""Answers with two large constants that the checker accepts, beside mpmath's numbers far out on several paths."""

import mpmath
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from attnlab.answers import check
from attnlab.answers.values.effort import Effort, UndecidedError
from attnlab.answers.values.exact import Exact, exponential, growing, logarithm
from attnlab.answers.values.growth import LEVEL, compare, eventual_sign, limit

MONOMIALS = {
    "C": lambda C, t: C,
    "t": lambda C, t: t,
    "C²": lambda C, t: C**2,
    "t²": lambda C, t: t**2,
    "C t": lambda C, t: C * t,
    "√C": lambda C, t: mpmath.sqrt(C),
    "t ln(C)": lambda C, t: t * mpmath.log(C),
    "C/t": lambda C, t: C / t,
    "t/C": lambda C, t: t / C,
    "1/t": lambda C, t: 1 / t,
}
FAR = mpmath.mpf(10) ** 300
ALIKE = [lambda C: C, lambda C: C / 3, lambda C: C / 2, lambda C: 2 * C, lambda C: C - mpmath.log(C), lambda C: C + 1]
PATHS = {
    "C ≫ t": [mpmath.sqrt, lambda C: C**0.9, mpmath.log, lambda C: C / mpmath.log(C)],
    "t ≫ C": [lambda C: C**2, lambda C: C**1.1, lambda C: C * mpmath.log(C)],
}
"""t as a function of C."""
terms = st.lists(
    st.tuples(st.sampled_from([-6, -3, -2, -1, 1, 2, 9]), st.sampled_from([*MONOMIALS])), min_size=1, max_size=3
)


def written(sums) -> str:
    return " + ".join(f"({share}) {monomial}" for share, monomial in sums)


def error(on_a, on_b, C, t):
    """How far the weight on a is from ½, for three keys with logits a, b and 0."""
    a, b = (sum(share * MONOMIALS[monomial](C, t) for share, monomial in sums) for sums in (on_a, on_b))
    top = max(a, b, 0)
    weights = [mpmath.exp(each - top) for each in (a, b, mpmath.mpf(0))]
    return abs(weights[0] / sum(weights) - mpmath.mpf(1) / 2)


@settings(deadline=None, max_examples=80)
@given(terms, st.one_of(st.just([]), terms), st.sampled_from(["", *PATHS]))
@example([(1, "C²"), (-6, "C t"), (9, "t²")], [], "")  # (C − 3t)²
@example([(1, "C²"), (-2, "C t"), (1, "t²")], [(1, "1/t")], "C ≫ t")
@example([(1, "C"), (-1, "t")], [], "")
def test_an_answer_that_holds_is_near_the_limit_on_every_path(both, on_a, relation):
    answer = f"q = ({written(both)})(k_a + k_b)" + (f" + ({written(on_a)}) k_a" if on_a else "")
    found = check("average", answer + (f", {relation}" if relation else ""))
    assumed = {relation, found.condition} - {""}
    if not found.holds or assumed - {*PATHS}:
        return
    paths = [path for name, some in PATHS.items() if assumed <= {name} for path in some] + ALIKE * (not assumed)
    with mpmath.workdps(700):
        for path in paths:
            assert error([*both, *on_a], both, FAR, path(FAR)) < 0.02


C, t = growing("C"), growing("t")


def test_growths_are_ordered_only_where_every_path_agrees():
    Effort.begin()
    (less,), (more,), (other,) = C.terms, (C * t).terms, (t * logarithm(t)).terms
    assert (compare(more, less), compare(less, more), compare(less, less)) == (1, -1, 0)
    assert (compare(less, other), compare(other, LEVEL)) == (None, 1)
    assert (limit(C + t - 7), limit(-C - exponential(t))) == ("∞", "−∞")
    assert limit(exponential(-C - t) * C * t) == Exact.of(0)
    assert eventual_sign(C * t - C - t) == 1
    for open_ended in (C - t, C / t, (C - t) ** 2, exponential(C - t), C - logarithm(t)):
        with pytest.raises(UndecidedError, match="which of its constants grows faster"):
            limit(open_ended)


def test_a_relation_makes_one_variable_of_two():
    far = {"C": t * growing("u")}
    assert limit((C - t).substituted(far)) == limit(((C - 3 * t) ** 2).substituted(far)) == "∞"
    assert limit(logarithm(C / t).substituted(far)) == "∞"
