"""Ctrl-C ends a command soon, even in the middle of one long computation of a library.

Python raises KeyboardInterrupt between two of its own instructions. Sorting a gigabyte is one instruction. So a thread
waits for the signal; if the main thread is still at the same instruction a moment later, the thread ends the process.
Nothing is lost by that: every file is written completely or not at all, and a run goes on from its last checkpoint.
While a training handles Ctrl-C itself, to save a checkpoint, the thread leaves it alone.

Python drops an exception that is raised in a finaliser, or in a function that a C library calls back. If Ctrl-C comes
there, for example while numba loads compiled loops, the thread sends it again.
"""

import os
import signal
import sys
import threading
import time
from types import CodeType, FrameType
from typing import Any

PATIENCE = 0.7
"""The seconds between Ctrl-C and the end of a process that does not hear it."""
DROPPED = b"\0"
"""Tells the thread that Python has dropped a KeyboardInterrupt; no signal has the number 0."""
SHOW_CURSOR = b"\x1b[?25h"
"""A progress bar hides the cursor of the terminal."""


def end_promptly(name: str) -> None:
    """Watch for Ctrl-C from now on. `name` is the command that the last line tells of."""
    if threading.current_thread() is not threading.main_thread():
        return
    ours, theirs = os.pipe()
    os.set_blocking(theirs, False)
    signal.set_wakeup_fd(theirs, warn_on_full_buffer=False)

    def dropped(error: Any) -> None:
        if issubclass(error.exc_type, KeyboardInterrupt):
            os.write(theirs, DROPPED)
        else:
            sys.__unraisablehook__(error)

    sys.unraisablehook = dropped
    threading.Thread(target=_watch, args=(ours, name, dropped.__code__), daemon=True).start()


def _watch(pipe: int, name: str, dropped: CodeType) -> None:
    main = threading.main_thread().ident or 0
    while signals := os.read(pipe, 64):
        if DROPPED in signals:
            while (frame := sys._current_frames().get(main)) and frame.f_code is dropped:
                time.sleep(0.001)  # Python would drop it there, too
            signal.pthread_kill(main, signal.SIGINT)
            continue
        before = _place(sys._current_frames().get(main))
        if signal.SIGINT not in signals or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
            continue
        time.sleep(PATIENCE)
        if before is not None and _place(sys._current_frames().get(main)) == before:
            cursor = SHOW_CURSOR if os.isatty(2) else b""
            os.write(2, cursor + f"attnlab {name}: interrupted\n".encode())
            os._exit(130)


def _place(frame: FrameType | None) -> tuple[int, int] | None:
    """A function that runs, and the instruction that it is at."""
    return (id(frame), frame.f_lasti) if frame is not None else None
