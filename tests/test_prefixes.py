"""Three files of a folder that begin with the same word are a folder that is missing."""

import re
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
GIVEN = {"__pycache__", "vendor", "golden"}
"""Folders of files that somebody else named."""


def crowded(folder: Path) -> list[str]:
    """The words with which three or more files of one folder begin, each with its folder. What a word ends at is a
    `_` or the `.` of an ending; in tests, `test_` is not the word."""
    files = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    words = Counter(
        path.parent / re.split(r"[._]", path.name.removeprefix("test_"))[0]
        for path in files
        if not GIVEN.intersection(path.parts) and not path.name.startswith((".", "__"))
    )
    return sorted(str(word) for word, count in words.items() if count > 2)


@pytest.mark.parametrize("folder", ["src", "tests", "benchmarks", "docs"])
def test_files_that_begin_with_one_word_have_a_folder(folder):
    assert crowded(ROOT / folder) == []


def test_a_missing_folder_is_found(tmp_path):
    for name in ("heads.css", "heads.html", "heads_map.js", "look.css", "look.html", "test_a_b.py", "a.py", "b.py"):
        (tmp_path / name).touch()
    assert crowded(tmp_path) == ["heads"]
    (tmp_path / "a_c.py").touch()
    assert crowded(tmp_path) == ["a", "heads"]
