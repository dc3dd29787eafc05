"""Processes that check answers. One that takes too long is ended, so that no formula keeps the studio busy."""

import json
import queue
import select
import subprocess
import sys
import weakref
from typing import Any

from attnlab.errors import AttnlabError

PROCESSES = 2
"""One can read what is being typed while the other one checks an answer."""
PATIENCE = 5.0
"""The most seconds that a question may take. Most answers take less than one."""
START = 60.0
"""The most seconds that a process may take to start, on a busy machine."""
PROGRAM = ("-m", "attnlab.studio.checking")


class LateError(Exception):
    """A question took too long."""


class Checkers:
    """A few processes, started when they are first needed. Each answers one question at a time."""

    def __init__(self, patience: float = PATIENCE):
        self.patience = patience
        self._idle: queue.Queue[_Process | None] = queue.LifoQueue()  # the last one used is the warmest
        for _ in range(PROCESSES):
            self._idle.put(None)

    def ask(self, question: str, **asked: Any) -> dict[str, Any]:
        """What a process answers. Raises `LateError` if it takes too long, and the user's error."""
        try:
            process = self._idle.get(timeout=self.patience + START)
        except queue.Empty:
            raise AttnlabError("the studio is busy with other answers; try again in a moment") from None
        kept = None
        try:
            process = process if process and process.alive else _Process()
            told = process.ask({"question": question, **asked}, self.patience)
            kept = process
        finally:
            if kept is None and process:
                process.end()
            self._idle.put(kept)
        if "refused" in told:
            raise AttnlabError(told["refused"])
        return told["told"]


class _Process:
    """A process that answers a line with a line. It ends with its input, and so with the studio."""

    def __init__(self) -> None:
        pipe = subprocess.PIPE
        command = [sys.executable, *PROGRAM]
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, start_new_session=True)
        self.end = weakref.finalize(self, _end, self.process)
        self._line(START)

    @property
    def alive(self) -> bool:
        return self.process.poll() is None

    def ask(self, asked: dict[str, Any], patience: float) -> dict[str, Any]:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(asked) + "\n")
        self.process.stdin.flush()
        return self._line(patience)

    def _line(self, patience: float) -> Any:
        """The next line; it is short or comes at once, so waiting for its beginning is enough."""
        assert self.process.stdout is not None
        ready, _, _ = select.select([self.process.stdout], [], [], patience)
        if not ready:
            self.end()
            raise LateError
        return json.loads(self.process.stdout.readline())


def _end(process: subprocess.Popen[str]) -> None:
    """End a process; also when nobody asks it any more."""
    process.kill()
    process.communicate()
