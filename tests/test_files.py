"""Files: written whole or not at all, and never over what is no file."""

import os
import stat

import pytest

from attnlab.errors import FileError
from attnlab.files import parse_json, read_json, remove, write_whole


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
