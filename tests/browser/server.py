"""A studio in a process of its own."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

PATIENCE = 60_000
"""Milliseconds: machines that run tests are busy."""


@dataclass
class Server:
    """A studio in a process of its own, which can be ended and started again."""

    folder: Path
    state: Path
    port: int = 0
    url: str = ""
    process: subprocess.Popen[str] = field(init=False)

    def start(self) -> None:
        """Start it, on the same port as before."""
        words = ["--port", str(self.port), "--no-browser", "--json"]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "attnlab", "studio", str(self.folder), *words],
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"XDG_STATE_HOME": str(self.state), "OMP_NUM_THREADS": "1"},
        )
        assert self.process.stdout is not None
        self.url = json.loads(self.process.stdout.readline())["url"]
        self.port = int(self.url.split(":")[2].split("/")[0])

    def stop(self) -> None:
        """End it without a word, as a crash would."""
        self.process.kill()
        self.process.communicate()
