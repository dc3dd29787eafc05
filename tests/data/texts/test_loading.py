"""Texts by name, from files and from folders: what is split how, and what is refused in which words."""

import os
import zipfile
from pathlib import Path

import pytest

from attnlab.data.texts import slices as stretches
from attnlab.data.texts.loading import LONG_ENOUGH, load_text
from attnlab.data.texts.prose import prose
from attnlab.data.texts.slices import TextSlice
from attnlab.errors import ArgumentError, FileError


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ATTNLAB_DATA", raising=False)
    monkeypatch.setenv("ATTNLAB_CACHE", str(tmp_path / "cache"))


def test_the_default_needs_nothing_and_repeats_nothing():
    text = load_text("default")
    assert text == load_text("topics")
    assert text.train + text.validation + text.test == prose()
    assert text.size("train") == len(text.train.encode())
    assert text.size("validation") == pytest.approx(0.1 * len(prose().encode()), rel=0.05)
    assert "Python" in text.source
    before = set(text.train.split("\n\n"))
    assert not before & {part for part in text.test.split("\n\n") if part}


def test_a_file_is_split_at_lines_the_last_tenth_to_report_on():
    lines = [f"line {number}, é\n" for number in range(1000)]
    Path("a.txt").write_text("".join(lines), encoding="utf-8")
    text = load_text("a.txt")
    assert (text.name, text.source) == ("a.txt", "a.txt")
    assert text.train + text.validation + text.test == "".join(lines)
    assert all(part.endswith("\n") for part in (text.train, text.validation, text.test))
    assert abs(text.size("test") - text.size("validation")) < 50


@pytest.mark.parametrize("content", ["é" * 31, "a\r\nb" * 7, "\ufeffabcdefghij", "😀" * 11])
def test_a_text_is_never_cut_in_a_character(content):
    Path("a.txt").write_bytes(content.encode())
    text = load_text(Path("a.txt"))
    assert text.train + text.validation + text.test == content
    assert text.train
    assert text.validation
    assert text.test


def test_a_folder_is_its_files_in_order():
    for name, content in {"b.txt": "bee " * 10, "a/z.txt": "zed " * 10, "a/.hidden": "\0", ".git/x": "\0"}.items():
        Path("folder", name).parent.mkdir(parents=True, exist_ok=True)
        Path("folder", name).write_text(content)
    text = load_text("folder")
    assert text.train + text.validation + text.test == "zed " * 10 + "\n" + "bee " * 10


def test_tinyshakespeare_has_its_customary_split(monkeypatch, tmp_path):
    content = "To be,\nor not\n" * 77
    Path("tinyshakespeare").mkdir()
    Path("tinyshakespeare/input.txt").write_text(content)
    monkeypatch.setenv("ATTNLAB_DATA", str(tmp_path))
    text = load_text("tinyshakespeare")
    cut = int(0.9 * len(content))
    assert (text.train, text.validation, text.test) == (content[:cut], content[cut:], "")
    assert text.size("test") == 0


def test_wikitext_has_the_files_it_comes_in(monkeypatch, tmp_path):
    monkeypatch.setenv("ATTNLAB_DATA", str(tmp_path))
    with zipfile.ZipFile("wikitext-2-v1.zip", "w") as archive:
        archive.writestr("wikitext-2/wiki.train.tokens", " = A = \n")
    with pytest.raises(FileError, match=r"zip: expected the file wikitext-2/wiki.valid.tokens in this archive"):
        load_text("wikitext2")
    with zipfile.ZipFile("wikitext-2-v1.zip", "a") as archive:
        archive.writestr("wikitext-2/wiki.valid.tokens", " = B = \n")
    text = load_text("wikitext2")
    assert (text.train, text.validation, text.test) == (" = A = \n", " = B = \n", "")
    content = bytearray(Path("wikitext-2-v1.zip").read_bytes())
    content[6] |= 1
    content[content.find(b"PK\1\2") + 8] |= 1
    Path("wikitext-2-v1.zip").write_bytes(content)
    with pytest.raises(FileError, match=r"zip: not a \.zip file with text, .* is encrypted"):
        load_text("wikitext2")
    Path("wikitext-2-v1.zip").write_bytes(b"PK")
    with pytest.raises(FileError, match=r"not a \.zip file with text, or the file is damaged or cut short"):
        load_text("wikitext2")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "a.txt: the file is empty"),
        (b"one\ntwo\nthr\xe9e\n", "a.txt, line 3: expected text in UTF-8, got the byte 0xe9"),
        (b"one\n\xc3", "a.txt, line 2: expected text in UTF-8, got the byte 0xc3"),
        (b"one\n\n\0", "a.txt, line 3: expected text, got a zero byte: this looks like a binary file"),
        (b"%PDF-1.4\n\xe2", "a.txt: expected text in UTF-8, got a PDF; save it as plain text in UTF-8"),
        (b"abc", "a.txt: too short to split into train, validation and test: 3 bytes; 46 bytes are always enough"),
    ],
)
@pytest.mark.parametrize("block", [4, 1 << 22])
def test_a_file_that_is_no_text(monkeypatch, content, message, block):
    monkeypatch.setattr(stretches, "BLOCK", block)
    Path("a.txt").write_bytes(content)
    with pytest.raises(FileError) as error:
        load_text("a.txt")
    assert str(error.value) == message


@pytest.mark.parametrize("line", [*range(1, 47)])
def test_the_shortest_text_that_can_always_be_split(line):
    """Wherever its lines end."""
    for size in range(LONG_ENOUGH, LONG_ENOUGH + 10):
        text = ("x" * (line - 1) + "\n") * size
        assert all(part.size for part in TextSlice.of([text[:size].encode()]).split(0.8, 0.9))


def test_what_is_not_there():
    Path("empty").mkdir()
    with pytest.raises(FileError, match=r"^/dev/null: expected a file, got a device or pipe$"):
        load_text("/dev/null")
    with pytest.raises(FileError, match=r": cannot be read: file name too long$"):
        load_text("x" * 5000)
    os.symlink("gone", "empty/broken")
    with pytest.raises(FileError, match=r"^empty/broken: there is no such file$"):
        load_text("empty")
    os.unlink("empty/broken")
    with pytest.raises(FileError, match=r"^empty: expected files with text, got an empty folder$"):
        load_text("empty")
    with pytest.raises(FileError, match=r"^gone\.txt: there is no such file or folder; expected a file, a folder"):
        load_text("gone.txt")
    with pytest.raises(ArgumentError, match=r"not on this machine: run attnlab data get tinyshakespeare$"):
        load_text("tinyshakespeare")
    with pytest.raises(ArgumentError, match=r"^text: expected a text, such as topics, .* glove is no text$"):
        load_text("glove")
    with pytest.raises(ArgumentError, match=r"^text: imdb has labels: use attnlab classify train imdb$"):
        load_text("imdb")


@pytest.mark.parametrize("block", [1, 2, 3, 7, 1000])
def test_pieces_are_the_text_cut_between_words(monkeypatch, block):
    monkeypatch.setattr(stretches, "BLOCK", block)
    content = "one twö  three\n\n😀 four five\tsix " * 5
    Path("a.txt").write_text(content, encoding="utf-8")
    stretch = TextSlice.of([Path("a.txt"), b"seven", Path("a.txt")])
    pieces = list(stretch.pieces())
    assert "".join(pieces) == stretch.read() == f"{content}\nseven\n{content}"
    assert all(piece[0] in " \n" for piece in pieces[1:])
    monkeypatch.setattr(stretches, "LONGEST", 4)
    assert "".join(TextSlice.of([b"x" * 100]).pieces()) == "x" * 100


def test_a_file_that_shrinks_while_it_is_read():
    Path("a.txt").write_text("one two three four five")
    text = load_text("a.txt")
    Path("a.txt").write_text("one")
    with pytest.raises(FileError, match=r"^a\.txt: the file became shorter while it was read; read it again$"):
        _ = text.train
