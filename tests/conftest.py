"""What all tests share: shapes in signatures are checked, and a file's tests run in one process."""

import gc
import json
import os
import signal
import subprocess
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Any

import jaxtyping
import pytest
import torch
from hypothesis import settings
from tests import shape_checks
from xdist.scheduler.loadscope import LoadScopeScheduling

if TYPE_CHECKING:
    from attnlab.records import Record

# The tests' tensors are small: a second thread would only wait for the first, and worse where the machine is busy.
torch.set_num_threads(1)

# Machines are noisy: how long an example takes says nothing. `make fuzz` tries examples by the hour.
settings.register_profile("lab", deadline=None, max_examples=50)
settings.load_profile("lab")

shape_checks.install()

# A shell that starts the tests in the background makes them, and every process that they start, ignore Ctrl-C.
# The tests of Ctrl-C need it heard.
signal.signal(signal.SIGINT, signal.default_int_handler)


LONGEST = (
    "tests/claims/",
    "tests/test_notebooks.py",
    "tests/browser/",
    "tests/test_documents.py",
    "tests/evaluation/audit/test_faults.py",
    "tests/cli/test_commands.py",
    "tests/cli/test_run.py",
    "tests/cli/test_knowledge_resume.py",
    "tests/attention/test_best_queries.py",
    "tests/training/test_compiling.py",
    "tests/training/test_processes.py",
)
"""These begin first, so that no process is left alone with one of them at the end."""


TOGETHER = ("tests/claims/", "tests/browser/")
"""Folders whose files share something large: one run of every claim; one studio and one browser."""


class ByFile(LoadScopeScheduling):
    """One process takes all tests of a file, which share what they made, or of a folder of `TOGETHER`."""

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        return next((folder for folder in TOGETHER if file.startswith(folder)), file)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> ByFile:
    """Who takes which tests; pytest-xdist's own groups do not reach it from the pytest of today."""
    config.option.loadscopereorder = False  # by the number of tests in a file, which says little about its time
    return ByFile(config, log)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is imported stays to the end: nobody looks for garbage in it, neither now nor while tests run. Tests make
    little garbage, so it is looked for a tenth as often as usual."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(7_000)
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest files first, in the order above; then the others as they come."""

    def place(item: pytest.Item) -> int:
        return next((n for n, file in enumerate(LONGEST) if item.nodeid.startswith(file)), len(LONGEST))

    items.sort(key=place)


def pytest_runtest_setup() -> None:
    """Every test checks shapes anew."""
    shape_checks.begin_test()


@pytest.fixture(scope="session", autouse=True)
def _own_state(tmp_path_factory: pytest.TempPathFactory) -> None:
    """The studio keeps its token in a folder of the tests, not in the user's."""
    os.environ["XDG_STATE_HOME"] = str(tmp_path_factory.mktemp("state"))


@pytest.fixture
def as_installed():
    """Shapes unchecked, as a user has it: for the tests of what attnlab itself says about bad input."""
    jaxtyping.config.update("jaxtyping_disable", True)
    yield
    jaxtyping.config.update("jaxtyping_disable", False)


OFTEN_OTHER = {"run", "runs", "checkpoint", "seconds", "tokens_per_second", "text", "reference", "out"}
"""The parts of a record that differ if it is made again: folders, files, times, and names of texts that were given."""


@pytest.fixture
def again(capsys: pytest.CaptureFixture[str], as_installed: None) -> "Callable[[Record], Any]":
    """What the command line of a record prints as JSON when it is typed. Its Python gives the same."""

    import attnlab  # after the shapes of its signatures are checked
    from attnlab.cli import main

    def run(found: "Record") -> Any:
        shell = f'attnlab() {{ printf "%s\\0" "$@"; }}; {found.command}'
        words = subprocess.run(["sh", "-c", shell], capture_output=True, check=True).stdout.decode().split("\0")
        capsys.readouterr()
        last = words.index("--") if "--" in words else -1
        assert main([*words[:last], "--json", *words[last:-1]]) == (0 if found.holds else 1)
        told = json.loads(capsys.readouterr().out)
        first, last = found.python.split("\n", 1)
        assert first == "import attnlab as al"
        made = json.loads(json.dumps(eval(last, {"al": attnlab}).to_dict()))
        assert _lasting(made) == _lasting(told)
        return told

    return run


def _lasting(value: Any) -> Any:
    """A JSON value without the parts that differ if it is made again."""
    if isinstance(value, dict):
        return {name: _lasting(each) for name, each in value.items() if name not in OFTEN_OTHER}
    if isinstance(value, str) and value.startswith("runs/"):
        return "a new folder"
    return [*map(_lasting, value)] if isinstance(value, list) else value
