"""Word vectors in GloVe's format: only those that are wanted are read, from every kind of file."""

import gzip
import zipfile

import pytest

from attnlab.errors import FileError
from attnlab.text.vectors import read_vectors, vector_width

CONTENT = "the 0.5 -1\n, 1 2\nodd words here\nfilm 3 4e-1\n"


@pytest.fixture(params=["v.txt", "v.txt.gz", "v.zip"])
def path(request, tmp_path):
    path = tmp_path / request.param
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("v.2d.txt", CONTENT)
            archive.writestr("v.300d.txt", "the 1\n")
    else:
        path.write_bytes(gzip.compress(CONTENT.encode()) if path.suffix == ".gz" else CONTENT.encode())
    return path


def test_wanted_words_are_read_and_others_are_not_looked_at(path):
    found = read_vectors(path, {"film", "the", "missing"}, 2)
    assert dict(zip(found.words, found.values.tolist(), strict=True)) == {
        "the": [0.5, -1.0],
        "film": [3.0, pytest.approx(0.4)],
    }


def test_what_is_wrong_names_the_file_and_the_line(tmp_path, path):
    with pytest.raises(FileError, match="line 3: expected a word and its numbers"):
        read_vectors(path, {"odd"}, 2)
    if path.suffix != ".zip":
        with pytest.raises(FileError, match="line 1: expected 3 numbers after the word, got 2"):
            read_vectors(path, {"the"}, 3)
    with pytest.raises(FileError, match="expected vectors for at least one of 1 words, got 0"):
        read_vectors(path, {"missing"}, 2)
    path.write_bytes(path.read_bytes()[:20])
    if path.suffix != ".txt":
        with pytest.raises(FileError, match="or the file is damaged or cut short"):
            read_vectors(path, {"film"}, 2)
    with pytest.raises(FileError, match="there is no such file"):
        read_vectors(tmp_path / "none.txt", {"the"})


def test_a_zip_with_none_of_that_width(tmp_path):
    with zipfile.ZipFile(tmp_path / "v.zip", "w") as archive:
        archive.writestr("v.50d.txt", "a 1\n")
        archive.writestr("v.100d.txt", "a 1\n")
    with pytest.raises(FileError, match=r"expected one .txt file of 7 dimensions in it, got v.50d.txt, v.100d.txt"):
        read_vectors(tmp_path / "v.zip", {"a"}, 7)


def test_the_width_is_that_of_the_first_line(path, tmp_path):
    assert vector_width(path, 2) == 2
    with zipfile.ZipFile(tmp_path / "many.zip", "w") as archive:
        archive.writestr("a.2d.txt", "the 1 2\n")
        archive.writestr("a.3d.txt", "the 1 2 3\n")
    assert vector_width(tmp_path / "many.zip", 3) == 3
    with pytest.raises(FileError, match=r"expected one \.txt file of 5 dimensions"):
        vector_width(tmp_path / "many.zip", 5)


def changed_zip(path, **at: int):
    """A .zip file with one entry, whose heading has other bytes at some places."""
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("v.2d.txt", CONTENT)
    content = bytearray(path.read_bytes())
    start = content.find(b"PK\1\2")
    for place, value in at.items():
        content[start + int(place[1:])] = value
    if "_8" in at:  # the flag stands before the entry, too
        content[6] = at["_8"]
    path.write_bytes(content)
    return path


ZIPS = {"encrypted": {"_8": 1}, "of an unknown method": {"_10": 97}, "of a later version": {"_6": 99},
        "with a name in no UTF-8": {"_9": 8, "_46": 0xFF}}  # fmt: skip


@pytest.mark.parametrize("kind", ZIPS)
def test_a_zip_that_cannot_be_unpacked_is_named(tmp_path, kind):
    path = changed_zip(tmp_path / "v.zip", **ZIPS[kind])
    with pytest.raises(FileError, match=r"v.zip: not a file of word vectors, or the file is damaged or cut short: "):
        read_vectors(path, {"film"}, 2)


@pytest.mark.parametrize("number", ["nan", "1e39", "-inf"])
@pytest.mark.filterwarnings("error")
def test_vectors_are_finite(tmp_path, number):
    (tmp_path / "v.txt").write_text(f"the 1 2\nfilm 1 {number}\n")
    with pytest.raises(FileError, match="line 2: expected finite numbers"):
        read_vectors(tmp_path / "v.txt", {"film"}, 2)


def test_a_line_that_would_fill_the_memory_is_not_read_whole(tmp_path):
    path = tmp_path / "v.txt.gz"
    path.write_bytes(gzip.compress(b"the 1\nfilm " + b" " * (2 << 20)))
    for read in (lambda: read_vectors(path, {"film"}, 1), lambda: read_vectors(path, {"other"}, 1)):
        with pytest.raises(FileError, match=r"line 2: .* got a line of more than a megabyte"):
            read()
