"""Ctrl-C ends a command soon, even in the middle of one long computation of a library.

Python raises KeyboardInterrupt between two of its own instructions. Sorting a gigabyte is one instruction. So a thread
waits for the signal; if the main thread is still at the same instruction a moment later, the thread ends the process.
Nothing is lost by that: every file is written completely or not at all, and a run goes on from its last checkpoint.
While a training handles Ctrl-C itself, to save a checkpoint, the thread leaves it alone.
"""

import os
import signal
import sys
import threading
import time
from types import FrameType

PATIENCE = 0.7
"""The seconds between Ctrl-C and the end of a process that does not hear it."""
SHOW_CURSOR = b"\x1b[?25h"
"""A progress bar hides the cursor of the terminal."""


def end_promptly(name: str) -> None:
    """Watch for Ctrl-C from now on. `name` is the command that the last line tells of."""
    if threading.current_thread() is not threading.main_thread():
        return
    ours, theirs = os.pipe()
    os.set_blocking(theirs, False)
    signal.set_wakeup_fd(theirs, warn_on_full_buffer=False)
    threading.Thread(target=_watch, args=(ours, name), daemon=True).start()


def _watch(pipe: int, name: str) -> None:
    main = threading.main_thread().ident
    while signals := os.read(pipe, 64):
        before = _place(sys._current_frames().get(main or 0))
        if signal.SIGINT not in signals or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
            continue
        time.sleep(PATIENCE)
        if before is not None and _place(sys._current_frames().get(main or 0)) == before:
            cursor = SHOW_CURSOR if os.isatty(2) else b""
            os.write(2, cursor + f"attnlab {name}: interrupted\n".encode())
            os._exit(130)


def _place(frame: FrameType | None) -> tuple[int, int] | None:
    """A function that runs, and the instruction that it is at."""
    return (id(frame), frame.f_lasti) if frame is not None else None
