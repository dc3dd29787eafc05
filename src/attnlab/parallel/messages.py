"""What a process tells of its progress, and how it learns that it should stop.

A process of this machine writes lines into a named pipe; a worker of a cluster sends the same lines to its scheduler as
events. A file tells the tasks to stop, so all machines must see its folder.
"""

import json
import os
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from attnlab.files import HIDDEN
from attnlab.progress import CountedTask, Observer, WatchedTask

REFRESH = 0.2
"""The shortest time between two lines about a task, and between two looks for the file that stops it, in seconds."""
LONGEST = 900
"""The most characters of a text in a line: a pipe takes short lines whole."""
PIPE, STOP = "progress", "stop"


@dataclass(frozen=True)
class Channel:
    """Where a task tells its progress, and where it looks whether it should stop."""

    folder: str
    topic: str = ""
    """The name of the events of a cluster; empty in a process of this machine."""

    def tell(self, message: Mapping[str, Any]) -> None:
        """Tell something to the process that started the tasks."""
        if self.topic:
            from distributed import get_worker

            get_worker().log_event(self.topic, dict(message))
            return
        try:
            number = os.open(Path(self.folder) / PIPE, os.O_WRONLY)
        except OSError:  # the process that started this one has ended
            return
        try:
            os.write(number, (json.dumps(message, ensure_ascii=False) + "\n").encode())
        except BrokenPipeError:
            pass
        finally:
            os.close(number)


class TellingObserver(Observer):
    """The observer of a task in another process. A part of the task is told instead of the task that it is in."""

    def __init__(self, channel: Channel, number: int):
        self.channel, self.number, self.last = channel, number, -REFRESH

    @contextmanager
    def task(self, what: str, total: float | None = None) -> Iterator[WatchedTask]:
        """A part of the task."""
        part = CountedTask(what, total, self.reached)
        self.reached(part)
        yield part

    def say(self, text: str) -> None:
        """Tell a text."""
        self.channel.tell({"task": self.number, "said": text[:LONGEST]})

    def warn(self, text: str) -> None:
        """Tell a warning."""
        self.channel.tell({"task": self.number, "warned": text[:LONGEST]})

    def reached(self, bar: CountedTask) -> None:
        """Tell how far a part is, a few times per second at most."""
        if time.monotonic() - self.last >= REFRESH:
            self.last = time.monotonic()
            told = {"what": bar.what[:LONGEST], "done": bar.done, "total": bar.total}
            self.channel.tell({"task": self.number, **told})


class Heard:
    """Shows what tasks tell: a bar for each task that runs, below the bar of the caller."""

    def __init__(self, observer: Observer, names: Sequence[str], channel: Channel):
        self.observer, self.names, self.channel = observer, names, channel
        self._bars: dict[int, tuple[ExitStack, WatchedTask]] = {}
        self._ended: set[int] = set()
        self._lock = threading.Lock()

    def hear(self, message: Mapping[str, Any]) -> None:
        """Show a message. It comes from a thread that listens."""
        number = int(message["task"])
        if "warned" in message:
            self.observer.warn(f"{self.names[number]}: {message['warned']}")
        elif "said" in message:
            self.observer.say(f"{self.names[number]}: {message['said']}")
        else:
            with self._lock:
                if number in self._ended:
                    return
                if number not in self._bars:
                    held = ExitStack()
                    self._bars[number] = held, held.enter_context(self.observer.task(self.names[number]))
                name = self.names[number]
                what = name if message["what"] == name else f"{name}: {message['what']}"
                self._bars[number][1].reach(message["done"], what, message["total"])

    def ended(self, number: int) -> None:
        """Remove the bar of a task."""
        with self._lock:
            self._ended.add(number)
            if number in self._bars:
                self._bars.pop(number)[0].close()

    def stop(self) -> None:
        """Ask all tasks to stop."""
        (Path(self.channel.folder) / STOP).touch()


@contextmanager
def listening(observer: Observer, names: Sequence[str], shared: Path | None = None) -> Iterator[Heard]:
    """Hear what tasks tell, while the block runs. The folder of the channel is below `shared`, which all machines see,
    or else a folder for temporary files."""
    with tempfile.TemporaryDirectory(prefix=HIDDEN, dir=shared, ignore_cleanup_errors=True) as folder:
        pipe = Path(folder) / PIPE
        os.mkfifo(pipe)
        number = os.open(pipe, os.O_RDWR)  # also for writing, so that it does not end when no task writes
        heard = Heard(observer, names, Channel(folder))
        thread = threading.Thread(target=_listen, args=(number, heard), daemon=True)
        thread.start()
        try:
            yield heard
        finally:
            os.write(number, b"\n")  # an empty line ends the thread
            thread.join()
            os.close(number)
            for task in range(len(names)):
                heard.ended(task)


def _listen(number: int, heard: Heard) -> None:
    """Hear lines until an empty one comes."""
    rest = b""
    while True:
        *lines, rest = (rest + os.read(number, 1 << 16)).split(b"\n")
        for line in lines:
            if not line:
                return
            heard.hear(json.loads(line))


_stop: list[Path] = []
"""The file that asks the current task to stop."""
_looked = [0.0, 0.0]
"""When that was last looked for, and whether it was found."""


@contextmanager
def stopped_by(channel: Channel) -> Iterator[None]:
    """While a task runs in a process of its own, `stop_requested` looks at its channel."""
    _stop[:], _looked[:] = [Path(channel.folder) / STOP], [0.0, 0.0]
    try:
        yield
    finally:
        _stop.clear()


def stop_requested() -> bool:
    """Whether the current task should save what it has, and stop. Always False for work that is not spread."""
    if not _stop:
        return False
    if not _looked[1] and time.monotonic() - _looked[0] >= REFRESH:
        _looked[:] = [time.monotonic(), float(_stop[0].exists())]
    return bool(_looked[1])
