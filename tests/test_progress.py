"""Observers: silent, on a terminal, and in a notebook."""

import sys
from types import ModuleType
from typing import Any

import pytest

from attnlab import observers, progress
from attnlab.observers import NotebookObserver, TerminalObserver, watching
from attnlab.progress import SILENT


def work(observer: progress.Observer) -> list[int]:
    with observer.task("outer", 2) as outer:
        found = list(observer.track([1, 2, 3], "inner"))
        outer.advance(1, "half")
        outer.reach(2, "all", total=2)
        observer.say("a sample")
    return found


def test_a_silent_observer_says_nothing(capsys):
    assert work(SILENT) == [1, 2, 3]
    SILENT.warn("never told")
    assert capsys.readouterr() == ("", "")


def test_a_terminal_that_is_none_shows_warnings_alone(capsys):
    observer = TerminalObserver()
    assert work(observer) == [1, 2, 3]
    observer.warn("this takes long")
    assert capsys.readouterr() == ("", "attnlab: this takes long\n")


class Notebook:
    """What a notebook shows, as IPython would be asked to show it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch):
        self.shown: list[str] = []
        module = ModuleType("IPython.display")
        module.HTML = lambda text: text  # pyright: ignore[reportAttributeAccessIssue]
        module.display = self.display  # pyright: ignore[reportAttributeAccessIssue]
        monkeypatch.setitem(sys.modules, "IPython.display", module)
        monkeypatch.setattr(observers, "REFRESH", 0.0)

    def display(self, text: str, display_id: bool) -> Any:
        self.shown.append(text)
        return self

    def update(self, text: str) -> None:
        self.shown.append(text)


def test_a_notebook_shows_bars_that_go(monkeypatch, capsys):
    notebook = Notebook(monkeypatch)
    with NotebookObserver().task("<reading>", 4) as task:
        task.advance()
        task.advance(2, "more")
    assert notebook.shown[0] == '<progress value="1" max="4" style="width:16em"></progress> &lt;reading&gt;'
    assert notebook.shown[1] == '<progress value="3" max="4" style="width:16em"></progress> more'
    assert notebook.shown[2] == ""
    NotebookObserver().say("a sample")
    NotebookObserver().warn("slow")
    assert capsys.readouterr() == ("a sample\n", "attnlab: slow\n")


def test_quick_work_in_a_notebook_shows_nothing(monkeypatch):
    notebook = Notebook(monkeypatch)
    monkeypatch.setattr(observers, "REFRESH", 60.0)
    assert work(NotebookObserver()) == [1, 2, 3]
    assert notebook.shown == []


def test_the_observer_fits_where_python_runs(monkeypatch):
    monkeypatch.delitem(sys.modules, "IPython", raising=False)
    assert isinstance(watching(), TerminalObserver)
    module = ModuleType("IPython")
    module.get_ipython = type("ZMQInteractiveShell", (), {})  # pyright: ignore[reportAttributeAccessIssue]
    monkeypatch.setitem(sys.modules, "IPython", module)
    assert isinstance(watching(), NotebookObserver)
