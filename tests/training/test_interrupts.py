"""Which signals the training loop listens to."""

import os
import signal

import pytest

from attnlab.training.loop import interrupts


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_asks_to_stop_and_then_means_what_it_meant_before(number: signal.Signals):
    before = signal.getsignal(number)
    with interrupts() as asked:
        assert not asked()
        os.kill(os.getpid(), number)
        assert asked()
    assert signal.getsignal(number) is before


def test_a_handler_of_the_program_itself_stays():
    """The processes that run claims end at once when they are told to."""
    heard: list[int] = []
    before = signal.signal(signal.SIGTERM, lambda number, frame: heard.append(number))
    try:
        with interrupts() as asked:
            os.kill(os.getpid(), signal.SIGTERM)
            assert not asked()
    finally:
        signal.signal(signal.SIGTERM, before)
    assert heard == [signal.SIGTERM]
