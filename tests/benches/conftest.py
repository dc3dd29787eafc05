"""What tests of benches share: a text and an observer that remembers."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from attnlab.progress import Observer, WatchedTask

TEXT = "".join(f"{n} and {n * n % 97} make {n + n * n % 97}.\n" for n in range(300))


class Watcher(Observer):
    """An observer that remembers what it was told."""

    def __init__(self) -> None:
        self.tasks: list[str] = []
        self.done: list[float] = []
        self.said: list[str] = []
        self.warned: list[str] = []

    @contextmanager
    def task(self, what: str, total: float | None = None) -> Iterator[WatchedTask]:
        self.tasks.append(what)
        yield _Watched(self.done)

    def say(self, text: str) -> None:
        self.said.append(text)

    def warn(self, text: str) -> None:
        self.warned.append(text)


class _Watched(WatchedTask):
    def __init__(self, done: list[float]):
        self.told = done

    def advance(self, done: float = 1, what: str | None = None) -> None:
        self.told.append(done)

    def reach(self, done: float, what: str | None = None, total: float | None = None) -> None:
        self.told.append(done)


@pytest.fixture
def watcher() -> Watcher:
    return Watcher()


@pytest.fixture
def in_a_folder(tmp_path, monkeypatch):
    """A folder of its own with a text in it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text.txt").write_text(TEXT)
    return tmp_path
