"""The command line as a user has it: shapes unchecked, and what is printed caught."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from attnlab.cli import main


@dataclass(frozen=True)
class Ran:
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one JSON value on stdout; strictly JSON, so no NaN, and nothing else anywhere."""
        assert self.err == ""
        assert self.out.count("\n") == 1
        return json.loads(self.out, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))

    @property
    def refusal(self) -> str:
        """The one line on stderr of a command that was refused."""
        assert self.code == 2
        assert self.out == ""
        assert self.err.endswith("\n")
        assert self.err.count("\n") == 1
        return self.err[:-1]


Run = Callable[..., Ran]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], as_installed: None) -> Run:
    """Run `attnlab` with the given arguments in this process."""

    def run(*arguments: str) -> Ran:
        code = main(list(arguments))
        out, err = capsys.readouterr()
        return Ran(code, out, err)

    return run
