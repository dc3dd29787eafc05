"""Runs of older labs, copied."""

import shutil
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def golden(tmp_path_factory) -> Path:
    """A copy of the runs of an older lab, to be read."""
    place = tmp_path_factory.mktemp("golden") / "golden"
    return shutil.copytree(Path(__file__).parents[2] / "golden", place)
