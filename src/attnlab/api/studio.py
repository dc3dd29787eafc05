"""The studio: `al.studio()` opens the lab in a browser."""

import json
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from attnlab.arguments import checked
from attnlab.benches.language import LanguageModel, TrainedRun
from attnlab.errors import ArgumentError

__all__ = ["studio"]


@dataclass(frozen=True)
class Studio:
    """A studio that runs beside this Python, and ends with it."""

    url: str
    """The address, with the token that opens it."""
    process: subprocess.Popen[str] = field(repr=False)

    def stop(self) -> None:
        """End the server. Jobs that it started go on."""
        self.process.terminate()
        self.process.communicate()


@checked
def studio(model: str | Path | LanguageModel | TrainedRun = ".", *, port: int = 0, browser: bool = True) -> Studio:
    """Open the studio, as `attnlab studio` does, in a process of its own.

    `model` is a folder to work in, the folder of a run, "hf:FOLDER", or an opened model or run. The result has the
    `url` of the page; `stop()` ends the server.
    """
    words = [_name(model), "--port", str(port), "--json", *([] if browser else ["--no-browser"])]
    process = subprocess.Popen(
        [sys.executable, "-m", "attnlab", "studio", *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    told = process.stdout.readline()
    if not told:
        _, said = process.communicate()
        message = said.strip().removeprefix("attnlab studio: ") or "the server did not start"
        about_port = message.startswith("--port: ")
        raise ArgumentError("port" if about_port else "model", message.removeprefix("--port: "))
    return Studio(json.loads(told)["url"], process)


def _name(model: str | Path | LanguageModel | TrainedRun) -> str:
    if isinstance(model, LanguageModel):
        return model.name
    return str(model.path if isinstance(model, TrainedRun) else model)
