"""Inputs are made from their kind and their number, given to the lab in this process, and judged.

There are three routes. `command`: a valid input is mutated and given to the command that reads it; the exit code is 0,
1 or 2, an error is one line, and there is no traceback and no panic. `reader`: it is given to the function that reads
it, which returns or raises an error of the lab. `hypothesis`: the same function, with inputs that hypothesis draws.
"""

import contextlib
import io
import os
import shutil
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import hypothesis
from tests.fuzz.kinds import KINDS
from tests.fuzz.readers import READINGS
from tests.fuzz.requests import ask, ask_about_a_job, make_client

from attnlab.errors import AttnlabError, is_out_of_memory

REQUESTS = {"http": ask, "jobs": ask_about_a_job}
NAMES = (*KINDS, *REQUESTS)
ROUTES = ("command", "reader", "hypothesis")
TRYING = "trying"
"""The file, in the folder of a kind, with the input that hypothesis drew last."""


@dataclass(frozen=True)
class Outcome:
    """What became of an input, in how many seconds of processor time: empty words if all is well."""

    wrong: str
    seconds: float
    given: str = ""
    """The command line, or the input that was read; of an input that hypothesis drew, only if something is wrong."""


def routes(kind: str) -> tuple[str, ...]:
    """The routes of a kind."""
    return ROUTES if kind in READINGS else ROUTES[:1]


def try_batch(kind: str, route: str, first: int, count: int, place: Path, tell: Callable[[Outcome], None]) -> None:
    """Try inputs with the numbers from `first` on; `tell` gets what became of each."""
    if route == "command":
        for number in range(first, first + count):
            tell(tried(kind, number, place))
        return
    reading, folder = READINGS[kind], place / f"reading-{kind}"
    folder.mkdir(parents=True, exist_ok=True)
    if route == "reader":
        for number in range(first, first + count):
            tell(_read(kind, reading.made(Random(f"reading {kind} {number}")), folder))
        return

    @hypothesis.seed(first)
    @hypothesis.settings(
        max_examples=count,
        database=None,
        deadline=None,
        phases=[hypothesis.Phase.generate],
        suppress_health_check=list(hypothesis.HealthCheck),  # pyright: ignore
    )
    @hypothesis.given(reading.drawn())
    def read(value: Any) -> None:
        (folder / TRYING).write_text(repr(value)[:8_000], errors="replace")  # told if the process ends here
        tell(_read(kind, value, folder))

    read()


def last_drawn(kind: str, route: str, place: Path) -> str:
    """The last input that hypothesis drew; empty for other routes, whose inputs have numbers."""
    path = place / f"reading-{kind}" / TRYING
    return path.read_text(errors="replace") if route == "hypothesis" and path.exists() else ""


def _read(kind: str, value: Any, folder: Path) -> Outcome:
    """Give an input to its reader."""
    wrong, began = "", time.process_time()
    try:
        READINGS[kind].read(value, folder)
    except (AttnlabError, OSError):
        pass
    except Exception as error:
        wrong = "" if is_out_of_memory(error) else traceback.format_exc()
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        wrong = traceback.format_exc()
    return Outcome(wrong, time.process_time() - began, repr(value)[:8_000] if wrong else "")


def tried(kind: str, number: int, place: Path) -> Outcome:
    """Make an input in a folder of `place`, and give it to the lab."""
    draws, folder = Random(f"{kind} {number}"), place / f"{kind}-{number}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    words = [] if kind in REQUESTS else KINDS[kind](draws, folder)
    began = time.process_time()  # other work on the machine does not lengthen it
    wrong = _answered(kind, place, draws) if kind in REQUESTS else _judged(words)
    seconds = time.process_time() - began
    given = _given(words, folder) if wrong else ""
    shutil.rmtree(folder, ignore_errors=True)
    return Outcome(wrong, seconds, given)


def _given(words: list[str], folder: Path) -> str:
    """A command line and the files that it read."""
    files = {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
    return f"{words!r:.2000} { ({name: content[:2000] for name, content in files.items()})!r:.6000}"


def _answered(kind: str, place: Path, draws: Random) -> str:
    """Ask the studio, in its folder. Returns what was wrong, or nothing."""
    client = _client(place)
    with contextlib.chdir(place / "studio"):
        return REQUESTS[kind](client, draws)


@cache
def _client(place: Path) -> Any:
    return make_client(place / "studio")


def _judged(words: list[str]) -> str:
    """Run a command. Returns what was wrong with it, or nothing."""
    from attnlab.cli import main

    out, errors = io.StringIO(), io.StringIO()
    with tempfile.TemporaryFile() as file, _fd2(file.fileno()):
        try:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
                code = main(words)
        except (Exception, SystemExit):
            return traceback.format_exc()
        except BaseException as error:
            if type(error).__name__ != "PanicException":
                raise
            return traceback.format_exc()
        file.seek(0)
        raw = file.read().decode(errors="replace")
    said = errors.getvalue()
    if code not in (0, 1, 2) or "panicked" in raw or "Traceback" in said:
        return f"exit {code}: {said}{raw}"
    if code == 2 and (said.count("\n") != 1 or "please report" in said):
        return f"exit 2 with another number of lines than one: {said!r}"
    return ""


@contextlib.contextmanager
def _fd2(file: int) -> Any:
    """Whatever libraries print to stderr goes to a file."""
    sys.stderr.flush()
    kept = os.dup(2)
    os.dup2(file, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
