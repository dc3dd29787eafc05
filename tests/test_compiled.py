"""Compiled loops."""

import gc

import numpy as np
import pytest

from attnlab.compiled import compiled


@pytest.mark.parametrize("searching", [True, False])
def test_a_loop_is_compiled_and_the_search_for_cycles_goes_on_as_before(searching):
    made = []

    def loop(numbers):
        total = 0
        for each in numbers:
            total += each
        return total

    try:
        if not searching:
            gc.disable()
        gc.callbacks.append(lambda phase, about: made.append(phase))
        found = compiled("i8(i8[::1])")(loop)
        assert gc.isenabled() == searching
        assert not made
    finally:
        gc.callbacks.pop()
        gc.enable()
    assert found(np.arange(5)) == 10
    assert found.nopython_signatures
