"""Memory-mapped arrays: reading a file in pieces keeps little of it in memory, and loses no change."""

import sys
from pathlib import Path

import numpy as np
import pytest

from attnlab import mapped
from attnlab.mapped import let_go, pieces_of

LARGE = 1 << 24


@pytest.fixture
def a_file(tmp_path: Path) -> Path:
    """A file of numbers below 256."""
    path = tmp_path / "numbers"
    path.write_bytes(np.arange(LARGE, dtype=np.uint8).tobytes())
    return path


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells how much of a file is in memory")
@pytest.mark.parametrize("view", [lambda array: array, np.asarray, lambda array: np.asarray(array)[8:]])
def test_pieces_of_a_mapped_file_leave_memory(a_file, monkeypatch, view):
    monkeypatch.setattr(mapped, "AT_ONCE", LARGE // 16)
    array = view(np.memmap(a_file, np.uint8, "r"))
    before, most, added = _mapped_bytes(), 0, 0
    for piece in pieces_of(array):
        added += sum(bytes(piece))
        most = max(most, _mapped_bytes() - before)
    assert added == array.sum()
    assert most < LARGE // 2


def test_changes_of_mapped_files_are_kept(a_file):
    for mode in ("r+", "c"):
        array = np.memmap(a_file, np.uint8, mode)  # pyright: ignore[reportArgumentType, reportCallIssue]
        array[:3] = 7
        let_go(array)
        assert array[:4].tolist() == [7, 7, 7, 3]


def test_other_arrays_stay_as_they_are():
    array = np.arange(5)
    let_go(array)
    assert b"".join(map(bytes, pieces_of(array))) == array.tobytes()


def _mapped_bytes() -> int:
    fields = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return int(fields["RssFile"].split()[0]) * 1024
