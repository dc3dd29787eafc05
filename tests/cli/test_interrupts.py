"""Ctrl-C ends a process within a second, whatever it is doing."""

import signal
import subprocess
import sys
import time

import pytest

LONG = "import hashlib; print('ready', flush=True); hashlib.pbkdf2_hmac('sha256', b'a', b'b', 100_000_000)"
OWN = """
import signal, time
asked = []
signal.signal(signal.SIGINT, lambda *_: asked.append(1))
import hashlib; print('ready', flush=True)
hashlib.pbkdf2_hmac('sha256', b'a', b'b', 4_000_000)
print('saved', asked, flush=True)
"""

FINALISER = """
import signal, time
class Late:
    def __del__(self):
        signal.raise_signal(signal.SIGINT)
late = Late()
del late
"""
CALLED_BACK = """
import ctypes, signal, time
call = ctypes.CFUNCTYPE(None)(lambda: signal.raise_signal(signal.SIGINT))
call()
"""
IN_PLACES = """
import signal, time
class Late:
    def __del__(self):
        signal.raise_signal(signal.SIGINT)
class Later:
    def __del__(self):
        del self.late
        time.sleep(0.3)
later = Later()
later.late = Late()
del later
"""


def interrupted(program: str) -> tuple[int, str, str, float]:
    """The exit code, the output and the errors of a program, and the seconds after Ctrl-C."""
    words = [sys.executable, "-c", f"from attnlab.cli.interrupts import end_promptly; end_promptly('train')\n{program}"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.1)
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        out, error = process.communicate(timeout=60)
        return process.returncode, out, error, time.monotonic() - began


def test_one_long_computation_of_a_library_is_ended():
    code, _, error, seconds = interrupted(LONG)
    assert (code, error) == (130, "attnlab train: interrupted\n")
    assert seconds < 10  # on a busy machine; the computation itself would take a minute


def test_a_training_that_handles_it_itself_is_left_alone():
    code, out, error, _ = interrupted(OWN)
    assert (code, out, error) == (0, "saved [1]\n", "")


@pytest.mark.parametrize("program", ["import time; print('ready', flush=True); time.sleep(60)"])
def test_python_hears_it_first_where_it_can(program: str):
    code, _, error, _ = interrupted(program)
    assert code in (1, -signal.SIGINT)
    assert error.endswith("KeyboardInterrupt\n")


@pytest.mark.parametrize("program", [FINALISER, CALLED_BACK, IN_PLACES])
def test_an_interrupt_that_python_drops_comes_again(program: str):
    watched = f"from attnlab.cli.interrupts import end_promptly; end_promptly('train')\n{program}\ntime.sleep(60)"
    ended = subprocess.run([sys.executable, "-c", watched], capture_output=True, text=True, timeout=50)
    assert ended.returncode in (1, -signal.SIGINT)
    assert ended.stderr.endswith("KeyboardInterrupt\n")
    assert "ignored" not in ended.stderr
