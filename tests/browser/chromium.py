"""Where a Chromium is: on the PATH, Playwright's own, or one that is installed now. Never none in silence."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
ARGUMENTS = ("--no-sandbox",) if os.name == "posix" and os.geteuid() == 0 else ()
"""Chromium refuses to run as root in its sandbox."""


def find_chromium(own: str) -> str:
    """The path of a Chromium. `own` is where Playwright keeps the one that it installs."""
    found = _on_path() or (own if Path(own).is_file() else "")
    for command in _installers() if not found else ():
        subprocess.run(command, check=False)
        found = _on_path() or (own if Path(own).is_file() else "")
        if found:
            break
    if not found:
        raise RuntimeError("the tests of the studio need Chromium: install it, or run playwright install chromium")
    return found


def _on_path() -> str:
    return next((place for place in map(shutil.which, NAMES) if place), "")


def _installers() -> list[list[str]]:
    """The commands that install a Chromium, for those who may."""
    commands = [[sys.executable, "-m", "playwright", "install", "chromium"]]
    if os.geteuid() == 0 and shutil.which("apt-get"):
        commands.append(["apt-get", "install", "--yes", "--no-install-recommends", "chromium"])
    return commands
