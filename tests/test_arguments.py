"""Arguments of a wrong type are named in one line; numbers of NumPy and paths of any kind are taken."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path, PurePath
from typing import Any, Literal, TypedDict, Unpack

import numpy as np
import pytest

from attnlab.arguments import checked
from attnlab.errors import ArgumentError, FileError

pytestmark = pytest.mark.usefixtures("as_installed")


class Extras(TypedDict, total=False):
    """Settings that their own reader checks."""

    depth: int


@checked
def call(
    count: int = 0,
    share: float = 0.0,
    place: str | Path | None = None,
    part: Literal["train", "test"] = "train",
    names: Sequence[str] = (),
    settings: Mapping[str, Any] | None = None,
    *more: str,
    flag: bool = False,
    **extras: Unpack[Extras],
) -> str:
    """A function with an argument of each kind."""
    return "called"


@pytest.mark.parametrize(
    "given",
    [
        {"count": np.int64(3)},
        {"share": 1},
        {"share": np.float32(0.5)},
        {"place": PurePath("a")},
        {"place": None},
        {"part": "test"},
        {"names": ["a"]},
        {"settings": {"width": 3}},
        {"flag": True},
        {"depth": "not checked here"},
    ],
)
def test_what_fits_is_taken(given):
    assert call(**given) == "called"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"count": 0.5}, "count: expected a whole number, got 0.5"),
        ({"count": True}, "count: expected a whole number, got True"),
        ({"share": "x"}, "share: expected a number, got 'x'"),
        ({"place": 1}, "place: expected a text, a path or None, got 1"),
        ({"part": "x"}, "part: expected train or test, got 'x'"),
        ({"part": ["train"]}, "part: expected train or test, got a list"),
        ({"names": 3}, "names: expected a list, got 3"),
        ({"settings": "x" * 100}, "settings: expected a dict or None, got a str"),
        ({"flag": "yes"}, "flag: expected true or false, got 'yes'"),
    ],
)
def test_what_does_not_fit_is_named(given, message):
    with pytest.raises(ArgumentError) as refused:
        call(**given)
    assert str(refused.value) == message


def test_each_of_several_arguments_is_checked():
    wrong: Any = None
    with pytest.raises(ArgumentError, match="more: expected a text, got None"):
        call(0, 0.0, None, "train", (), None, "a", wrong)


def test_too_many_arguments_are_python_s_own_error():
    unknown: Any = {"colour": 1, "count": 1}
    with pytest.raises(TypeError, match="multiple values"):
        call(1, **unknown)


@checked
def opened(
    *names: str | Path, beside: Sequence[str | Path] = (), text: str = "", texts: Iterable[str] | Path = ()
) -> None:
    """A function that opens files."""
    for each in names:
        Path(each).read_bytes()


@pytest.mark.parametrize("path", ["a\0b", "\ud800", "caf\udce9"])
def test_a_path_that_no_file_can_have_is_an_error_of_its_argument(path):
    for name, call in (("names", lambda: opened(path)), ("beside", lambda: opened(beside=["a", Path(path)]))):
        with pytest.raises(
            ArgumentError, match=f"^{name}: expected a (path without a null character|file name in UTF-8)"
        ):
            call()
    opened(text=path, texts=path)  # no paths


@pytest.mark.parametrize("path", ["a" * 5000, "missing", "."])
def test_an_error_of_the_system_about_a_file_is_one_of_the_lab(path):
    with pytest.raises(FileError, match=f"^{path}: (cannot be read: |there is no such file)"):
        opened(path)


def test_a_full_disk_is_no_error_of_reading():
    @checked
    def written(path: Path) -> None:
        raise OSError(28, "No space left on device", str(path))

    with pytest.raises(FileError, match=r"^a: cannot be written: no space left on device$"):
        written(Path("a"))
