"""A new folder: there whole, or not at all."""

import errno
import os
from pathlib import Path

import pytest

from attnlab.errors import FileError
from attnlab.files import new_folder


def names(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


def test_it_is_hidden_until_it_is_whole(tmp_path: Path):
    with new_folder(tmp_path / "a" / "b") as folder:
        folder.write("x", b"1")
        assert not (tmp_path / "a" / "b").exists()
    assert folder.path == tmp_path / "a" / "b"
    assert (folder.path / "x").read_bytes() == b"1"
    assert names(tmp_path / "a") == ["b"]
    assert folder.path.stat().st_mode & 0o777 == (tmp_path / "a").stat().st_mode & 0o777


def test_an_empty_folder_is_kept_and_filled(tmp_path: Path):
    place = tmp_path / "empty"
    place.mkdir()
    before = place.stat().st_ino
    with new_folder(place) as folder:
        folder.write("x", b"1")
        folder.write("y", b"2")
        assert not (place / "x").exists()
    assert names(place) == ["x", "y"]
    assert place.stat().st_ino == before


@pytest.mark.parametrize("existing", [False, True])
@pytest.mark.parametrize("error", [KeyboardInterrupt, ZeroDivisionError])
def test_an_error_leaves_nothing(tmp_path: Path, existing: bool, error: type[BaseException]):
    place = tmp_path / "a" / "b"
    if existing:
        place.mkdir(parents=True)

    def fail() -> None:
        with new_folder(place) as folder:
            folder.write("x", b"1")
            raise error

    with pytest.raises(error):
        fail()
    assert names(tmp_path) == (["a"] if existing else [])
    assert not existing or names(place) == []


def test_what_is_in_the_way_is_named_before_anything_is_done(tmp_path: Path):
    (tmp_path / "file").write_text("kept")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").write_text("kept")
    (tmp_path / "dangling").symlink_to("nowhere")
    for name, message in {
        "file": "file: expected a new or empty folder, got a file",
        "dangling": "dangling: expected a new or empty folder, got a file",
        "full": "full: expected a new or empty folder, got a folder with files in it",
        "file/new": "new: cannot be written: its folder is a file",
        "x" * 300: "cannot be written: file name too long",
    }.items():
        with pytest.raises(FileError, match=f"{message}$"), new_folder(tmp_path / name):
            pytest.fail("began")
    assert names(tmp_path) == ["dangling", "file", "full"]
    assert (tmp_path / "file").read_text() == "kept"


def test_a_place_that_cannot_be_written_is_known_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(os, "mkdir", refuse)
    with pytest.raises(FileError, match=r"new: cannot be written: permission denied$"), new_folder(tmp_path / "new"):
        pytest.fail("began")


@pytest.mark.parametrize("step", ["fsync", "rename"])
def test_a_full_disk_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str):
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, step, full)
    with (
        pytest.raises(FileError, match=r"cannot be written: no space left on device$"),
        new_folder(tmp_path / "new") as f,
    ):
        f.write("x", b"1")
    assert names(tmp_path) == []


def test_a_name_that_is_taken_gives_way_to_the_next(tmp_path: Path):
    for expected in ("now", "now-2", "now-3"):
        with new_folder(tmp_path / "now", or_beside=True) as folder:
            folder.write("x", expected.encode())
        assert folder.path == tmp_path / expected
    assert (tmp_path / "now" / "x").read_text() == "now"


def test_a_folder_that_comes_meanwhile_is_left_alone(tmp_path: Path):
    with pytest.raises(FileError, match=r"another program has created it meanwhile$"), new_folder(tmp_path / "a"):
        (tmp_path / "a").mkdir()
    assert names(tmp_path) == ["a"]
