"""What tests of benches share: a text, an observer that remembers, and commands that make a record again."""

import json
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from attnlab.cli import main
from attnlab.progress import Observer, WatchedTask
from attnlab.records import Record

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


@pytest.fixture
def again(capsys: pytest.CaptureFixture[str], as_installed: None) -> Callable[[Record], Any]:
    """What the command line of a record prints as JSON when it is typed."""

    def run(found: Record) -> Any:
        program, *words = shlex.split(found.command)
        assert program == "attnlab"
        capsys.readouterr()
        assert main([*words, "--json"]) == (0 if found.holds else 1)
        return json.loads(capsys.readouterr().out)

    return run
