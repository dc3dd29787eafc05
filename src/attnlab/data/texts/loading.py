"""Texts in parts for training, validation and the report: named texts, files and folders."""

import hashlib
import os
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from attnlab.data.sets import SETS, files_of
from attnlab.data.texts.prose import prose, prose_version
from attnlab.data.texts.slices import TextSlice
from attnlab.data.worlds.repeats import repeats
from attnlab.errors import ArgumentError, FileError
from attnlab.files import open_file
from attnlab.text.archives import reading_archive

Part = Literal["train", "validation", "test"]
TEXTS = ("topics", "repeats", "tinyshakespeare", "wikitext2", "birthplaces")
PARTS: tuple[Part, ...] = ("train", "validation", "test")
LONG_ENOUGH = 46
"""The fewest bytes that can always be split in three, wherever the lines end."""


def _unwatched(done: int) -> None:
    """Tells nobody how much was read."""


@dataclass(frozen=True)
class Text:
    """A text in up to three parts: to train on, to pick checkpoints with, and to report on.

    `train`, `validation` and `test` read a whole part (empty if there is none); `pieces` reads it in bounded memory.

    >>> text = load_text("topics")
    >>> text.split
    'the last 10 % to report on, the 10 % before them to pick checkpoints with'
    >>> text.train[:22], text.size("train") > 8 * text.size("test") > 0
    ('The "assert" statement', True)
    """

    name: str
    source: str
    """The source of the text, in words."""
    split: str
    """The split, in words."""
    parts: dict[Part, TextSlice]
    progress: Callable[[int], None] = field(default=_unwatched, repr=False, compare=False)
    """Called with the bytes of each piece that was read and used."""

    def watched(self, progress: Callable[[int], None]) -> "Text":
        """The same text, with a function that is called with the bytes of each piece that was read and used."""
        return replace(self, progress=progress)

    @property
    def train(self) -> str:
        """The part to train on."""
        return "".join(self.pieces("train"))

    @property
    def validation(self) -> str:
        """The part to pick checkpoints with."""
        return "".join(self.pieces("validation"))

    @property
    def test(self) -> str:
        """The part to report on; empty for texts that are usually reported on their validation part."""
        return "".join(self.pieces("test"))

    def pieces(self, part: Part) -> Iterator[str]:
        """A part in pieces of some megabytes, cut between words where possible."""
        for piece in self.parts[part].pieces() if part in self.parts else ():
            yield piece
            self.progress(len(piece.encode()))

    def size(self, part: Part) -> int:
        """The size of a part in bytes."""
        return self.parts[part].size if part in self.parts else 0

    @property
    def sha256(self) -> str:
        """The hash of all parts: another split of the same text has another hash."""
        found = hashlib.sha256()
        for part in PARTS:
            found.update(f"{part} {self.size(part)}\n".encode())
            for piece in self.pieces(part):
                found.update(piece.encode())
        return found.hexdigest()


@dataclass(frozen=True)
class TrainingText:
    """The text that a model was trained on, by name or path, and the hash that it had then, if that is known."""

    name: str
    sha256: str | None = None

    def read(self) -> Text:
        """The text; raises if another text is there now."""
        found = load_text(self.name)
        if self.sha256 is not None and found.sha256 != self.sha256:
            raise FileError(self.name, "the text has changed since the model was trained on it")
        return found


def load_text(name_or_path: str | Path) -> Text:
    """The text of that name, in that file, or in the files of that folder.

    Names come first: write ./topics for a file called topics. The files of a folder are joined in the order of their
    paths, with a line end between them; files whose name begins with a dot are skipped.
    """
    match name_or_path:
        case "topics" | "default":
            return _in_three("topics", prose_version(), TextSlice.of([prose().encode()]))
        case "repeats":
            return _in_three("repeats", "generated", TextSlice.of([repeats().encode()]))
        case "tinyshakespeare":
            return _tinyshakespeare()
        case "wikitext2":
            return _wikitext2()
        case "birthplaces":
            path = files_of("birthplaces")["birthplaces/wiki.txt"]
            return _in_three("birthplaces", str(path), TextSlice.of([path]))
    if name_or_path in SETS:
        expected = f"expected a text, such as {', '.join(TEXTS)} or a file; {name_or_path} is no text"
        labels = "imdb has labels: use attnlab classify train imdb"
        raise ArgumentError("text", labels if name_or_path == "imdb" else expected)
    path = Path(name_or_path)
    try:
        path.stat()
    except (FileNotFoundError, ValueError):
        raise FileError.unknown(path, ("file", "folder"), TEXTS) from None
    except OSError as error:
        raise FileError.unreadable(path, error) from error
    files = _files_in(path) if path.is_dir() else [path]
    whole = TextSlice.of(files)
    if not any(size for _, size in whole.sources):
        raise FileError(path, "the file is empty" if path in files else "expected files with text, got empty files")
    return _in_three(path.name or str(path), str(path), whole)


def _in_three(name: str, source: str, whole: TextSlice) -> Text:
    train, validation, test = whole.split(0.8, 0.9)
    if not (train.size and validation.size and test.size):
        got = f"{whole.size} {'byte' if whole.size == 1 else 'bytes'}; {LONG_ENOUGH} bytes are always enough"
        raise FileError(source, f"too short to split into train, validation and test: {got}")
    split = "the last 10 % to report on, the 10 % before them to pick checkpoints with"
    return Text(name, source, split, {"train": train, "validation": validation, "test": test})


def _tinyshakespeare() -> Text:
    path = files_of("tinyshakespeare")["tinyshakespeare/input.txt"]
    whole = TextSlice.of([path])
    cut = int(0.9 * whole.size)  # to the byte, as is usual; the text is ASCII
    parts: dict[Part, TextSlice] = {
        "train": TextSlice(whole.sources, 0, cut),
        "validation": TextSlice(whole.sources, cut, whole.stop),
    }
    return Text("tinyshakespeare", str(path), "as is customary, the first 90 % to train on, the rest validates", parts)


def _wikitext2() -> Text:
    path = files_of("wikitext2")["wikitext-2-v1.zip"]
    names: dict[Part, str] = {"train": "train", "validation": "valid", "test": "test"}
    parts: dict[Part, TextSlice] = {}
    with reading_archive(path, "a .zip file with text"), open_file(path) as packed, zipfile.ZipFile(packed) as archive:
        for part, name in names.items():
            member = f"wikitext-2/wiki.{name}.tokens"
            if member in archive.namelist():
                parts[part] = _held(archive.read(member))
            elif part != "test":  # some copies lack the test file
                raise FileError(path, f"expected the file {member} in this archive")
    return Text("wikitext2", str(path), f"the files it comes in: {', '.join(parts)}", parts)


def _held(raw: bytes) -> TextSlice:
    """A slice of these bytes; raises unless they are UTF-8."""
    raw.decode("utf-8")
    return TextSlice.of([raw])


def _files_in(folder: Path) -> list[Path]:
    """The files in a folder and its subfolders, sorted by path."""

    def fail(error: OSError) -> None:
        raise FileError.unreadable(Path(error.filename or folder), error) from error

    found = []
    for here, folders, names in os.walk(folder, onerror=fail):
        folders[:] = [name for name in folders if not name.startswith(".")]
        found += [Path(here, name) for name in names if not name.startswith(".")]
    if not found:
        raise FileError(folder, "expected files with text, got an empty folder")
    return sorted(found)
