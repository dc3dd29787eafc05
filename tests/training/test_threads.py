"""Threads: their number, and advice if they wait for one another."""

import pytest
import torch

from attnlab.errors import ArgumentError
from attnlab.training.threads import ThreadWatch, using_threads


def test_the_number_of_threads_holds_inside_the_block():
    before = torch.get_num_threads()
    with using_threads(before + 1):
        assert torch.get_num_threads() == before + 1
    with using_threads(None):
        assert torch.get_num_threads() == before
    assert torch.get_num_threads() == before
    with (
        pytest.raises(ArgumentError, match=r"^threads: expected a whole number from 1 to 1,024, got 0; try 1$"),
        using_threads(0),
    ):
        pass


@pytest.mark.parametrize(
    ("threads", "seconds", "worked", "advised"),
    [(2, 10, 9, True), (2, 10, 18, False), (2, 1, 0.5, False), (1, 10, 3, False), (8, 10, 40, True)],
)
def test_advice_comes_once_and_only_for_threads_that_wait(threads, seconds, worked, advised):
    clock, spent = iter([0, seconds, seconds]), iter([0, worked, worked])
    watch = ThreadWatch(clock.__next__, spent.__next__, threads)
    assert bool(watch.advice()) == advised
    assert not watch.advice()
