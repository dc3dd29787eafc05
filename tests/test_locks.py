"""Locks: one process writes into a folder, and what a killed process left is used again."""

import fcntl
import os
import signal
import threading
from pathlib import Path

import pytest

from attnlab.errors import FileError
from attnlab.files import HIDDEN, new_folder, write_whole
from attnlab.locks import is_held, writing_in


def _killed(work) -> None:
    """Do some work in another process, which is then killed."""
    child = os.fork()
    if not child:
        work()
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)


def _half_a_file(path: Path) -> None:
    """Be killed just before a file gets its name."""
    os.replace = lambda old, new: os.kill(os.getpid(), signal.SIGKILL)
    write_whole(path, b"half")


def test_a_second_process_is_refused_until_the_first_ends(tmp_path):
    with writing_in(tmp_path):
        child = os.fork()
        if not child:
            try:
                with writing_in(tmp_path):
                    os._exit(1)
            except FileError as error:
                os._exit(0 if "another process is writing into this folder" in str(error) else 2)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    _killed(lambda: writing_in(tmp_path).__enter__())
    with writing_in(tmp_path):  # the lock died with its process
        pass
    with pytest.raises(FileError, match="no such file"), writing_in(tmp_path / "none"):
        pass


def test_whether_a_folder_is_held_can_be_asked_without_holding_it(tmp_path):
    assert not is_held(tmp_path)
    with writing_in(tmp_path):
        assert is_held(tmp_path)
        assert is_held(tmp_path)
    assert not is_held(tmp_path)
    assert not is_held(tmp_path / "none")


def test_who_only_looks_keeps_nobody_from_writing(tmp_path):
    number = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(number, fcntl.LOCK_SH)
    threading.Timer(0.005, os.close, (number,)).start()
    with writing_in(tmp_path):
        pass


def test_what_a_killed_process_left_is_used_again(tmp_path):
    _killed(lambda: _half_a_file(tmp_path / "a.txt"))
    (left,) = tmp_path.iterdir()
    assert left.name.startswith(HIDDEN)
    write_whole(tmp_path / "a.txt", b"whole")
    assert [(each.name, each.read_bytes()) for each in tmp_path.iterdir()] == [("a.txt", b"whole")]


def test_a_hidden_name_of_somebody_else_is_left_alone(tmp_path):
    (tmp_path / "precious").write_text("precious")
    _killed(lambda: _half_a_file(tmp_path / "a.txt"))
    (left,) = tmp_path.glob(f"{HIDDEN}*")
    for link in (left.symlink_to, left.hardlink_to):
        left.unlink()
        link(tmp_path / "precious")
        write_whole(tmp_path / "a.txt", b"whole")
        assert (tmp_path / "a.txt").read_bytes() == b"whole"
        assert (tmp_path / "precious").read_text() == "precious"


@pytest.mark.parametrize("or_beside", [False, True])
def test_a_folder_that_a_killed_process_began_is_begun_again(tmp_path, or_beside):
    def begun(name):
        with new_folder(tmp_path / name, or_beside=or_beside) as folder:
            folder.write("first.txt", b"half")
            os.kill(os.getpid(), signal.SIGKILL)

    _killed(lambda: begun("a"))
    with new_folder(tmp_path / ("b" if or_beside else "a"), or_beside=or_beside) as folder:
        folder.write("second.txt", b"whole")
    (found,) = tmp_path.iterdir()
    assert [each.name for each in found.iterdir()] == ["second.txt"]


def test_an_empty_folder_that_was_filled_in_part_counts_as_empty(tmp_path):
    (tmp_path / "a").mkdir()

    def filled():
        with new_folder(tmp_path / "a") as folder:
            folder.write("config.json", b"1")
            folder.write("weights", b"1")
            real = os.replace
            os.replace = lambda old, new: real(old, new) or os.kill(os.getpid(), signal.SIGKILL)

    _killed(filled)
    assert {each.name for each in (tmp_path / "a").iterdir()} > {"weights"}
    with new_folder(tmp_path / "a") as folder:
        folder.write("config.json", b"2")
        folder.write("weights", b"2")
    assert {each.name: each.read_bytes() for each in (tmp_path / "a").iterdir()} == {
        "config.json": b"2",
        "weights": b"2",
    }


def test_folders_that_nobody_named_get_different_names(tmp_path):
    with new_folder(tmp_path / "a", or_beside=True) as one, new_folder(tmp_path / "a", or_beside=True) as other:
        one.write("x", b"1")
        other.write("x", b"2")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a", "a-2"]
