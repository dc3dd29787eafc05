"""Roots of many functions at once, beside scipy's."""

import numpy as np
from scipy.optimize.elementwise import find_root

from attnlab.attention.noise.roots import roots

LOW, HIGH = np.full(200, -30.0), np.full(200, 40.0)
SHIFT = np.linspace(-20.0, 20.0, 200)
STEEP = np.geomspace(0.01, 1e6, 200)


def step(which: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Flat far from its root, and steep there."""
    return np.tanh(STEEP[which] * (x - SHIFT[which])) + 0.1 * (x - SHIFT[which]) / (1 + abs(x - SHIFT[which]))


def test_the_roots_are_those_of_scipy():
    every = np.arange(len(SHIFT))
    found = roots(step, LOW, HIGH, step(every, LOW), step(every, HIGH))
    tolerances = {"xatol": 1e-15, "xrtol": 1e-15}
    beside = find_root(lambda x, which: step(which.astype(int), x), (LOW, HIGH), args=(every,), tolerances=tolerances)
    np.testing.assert_allclose(found, SHIFT, atol=1e-14)
    np.testing.assert_allclose(found, beside.x, atol=1e-14)


def test_a_root_may_be_an_end_and_there_may_be_none():
    ends = np.array([0.0, 1.0])
    found = roots(lambda which, x: x - which, np.zeros(2), np.ones(2), np.zeros(2) - ends, np.ones(2) - ends)
    assert found.tolist() == [0.0, 1.0]
    nothing = np.zeros(0)
    assert len(roots(lambda which, x: x, nothing, nothing, nothing, nothing)) == 0


def test_a_first_step_that_is_right_saves_the_others():
    asked = []

    def bend(which: np.ndarray, x: np.ndarray) -> np.ndarray:
        asked.append(len(x))
        return x**3 - 8.0

    ends = np.zeros(1), np.full(1, 5.0), np.full(1, -8.0), np.full(1, 117.0)
    assert roots(bend, *ends, first=np.array([0.4])).tolist() == [2.0]
    assert asked == [1]
    for useless in (np.nan, -0.5, 1.5):  # then the step of linear functions is taken
        np.testing.assert_allclose(roots(bend, *ends, first=np.array([useless])), [2.0], rtol=1e-14)
