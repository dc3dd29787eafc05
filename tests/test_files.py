"""Files: written whole or not at all, and never over what is no file."""

import os
import re
import stat
from pathlib import Path

import pytest

from attnlab.errors import FileError
from attnlab.files import content_of, open_file, parse_json, read_json, remove, write_whole

SOURCE = Path(__file__).parents[1] / "src" / "attnlab"
READS = re.compile(r"path\.(open\((\"rb\"|encoding)|read_bytes\(|read_text\()|gzip\.open\(path|ZipFile\(path")


def test_a_link_stays_one_and_its_file_is_written(tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "file").write_text("old")
    (tmp_path / "link").symlink_to(tmp_path / "there" / "file")
    write_whole(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "there" / "file").read_bytes() == b"new"


def test_what_is_no_file_is_left_alone(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(FileError, match="pipe: cannot be written: expected a file, got a device or pipe"):
        write_whole(tmp_path / "pipe", b"new")
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)
    with pytest.raises(FileError, match="cannot be written: expected a file, got a folder"):
        write_whole(tmp_path, b"new")


@pytest.mark.parametrize("number", ["9" * 21, f"-{'1' * 400}"])
def test_a_whole_number_too_large_to_count_anything_is_no_json_of_the_lab(tmp_path, number):
    (tmp_path / "notes.json").write_text(f'{{"step": {number}}}')
    with pytest.raises(FileError, match=r"notes\.json: expected notes, got a number too large"):
        read_json(tmp_path / "notes.json", "notes")
    assert parse_json(f"[{2**63 - 1}, {-(2**63)}]") == [2**63 - 1, -(2**63)]


def test_what_cannot_be_removed_is_named(tmp_path):
    (tmp_path / "folder").mkdir()
    with pytest.raises(FileError, match="folder: cannot be written"):
        remove(tmp_path / "folder")
    remove(tmp_path / "nothing")


@pytest.mark.parametrize("read", [open_file, content_of, lambda path: read_json(path, "notes")])
def test_only_ordinary_files_are_read(tmp_path, read):
    """A pipe would make its reader wait for ever, and /dev/zero would fill the memory."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "zeros").symlink_to("/dev/zero")
    for name, kind in (("pipe", "device or pipe"), ("zeros", "device or pipe"), ("", "folder")):
        with pytest.raises(FileError, match=f"expected a file, got a {kind}$"):
            read(tmp_path / name)


def test_a_file_above_its_limit_is_refused_before_it_is_read(tmp_path):
    (tmp_path / "large").touch()
    os.truncate(tmp_path / "large", 10**12)
    with pytest.raises(FileError, match=r"expected at most 1,000 bytes, got 1,000,000,000,000$"):
        content_of(tmp_path / "large", 1000)
    with pytest.raises(FileError, match=r"expected at most 100,000,000 bytes, got 1,000,000,000,000$"):
        read_json(tmp_path / "large", "notes")


def test_every_other_folder_opens_its_files_here():
    """Files that a user names are opened by `open_file`, so that none of them can be a pipe or a device."""
    own = {"claims", "report", "studio", "cli", "files.py", "graded_file.py", "counting_on_disk.py", "formulas.py"}
    found = []
    for path in SOURCE.rglob("*.py"):
        if own.isdisjoint(path.relative_to(SOURCE).parts):
            lines = enumerate(path.read_text().splitlines(), start=1)
            found += [f"{path.name}:{number}" for number, line in lines if READS.search(line)]
    assert found == []
