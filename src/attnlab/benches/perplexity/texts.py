"""The texts that models are measured on: a file, the held-out part of a named text, or a string."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from attnlab.calls import GivenInput, given_text, literal
from attnlab.data.sets import PASSAGES, files_of
from attnlab.data.texts.loading import TEXTS, load_text
from attnlab.data.texts.slices import TextSlice
from attnlab.data.tokens.files import cut_again
from attnlab.errors import ArgumentError, AttnlabError, FileError
from attnlab.evaluation.explanation.words import LARGEST
from attnlab.evaluation.scoring.subjects import Subject
from attnlab.settings import settings
from attnlab.text import Tokenizer
from attnlab.text.encoding import utf8


@settings
class GivenText:
    """A text given as a string, with the name that reports show."""

    text: str
    name: str = "text"


AnyText = str | Path | GivenText
"""The path of a file, the name of a text, or a text itself."""


@dataclass(frozen=True)
class OpenedText:
    """An opened text: it can be read in pieces, several times."""

    name: str
    slice: TextSlice
    given: GivenText | None = None
    """The text, if it was given as a string."""

    @property
    def argument(self) -> str | GivenInput:
        """It as an argument of a call."""
        if self.given is None:
            return self.name
        words = (self.given.text,) if self.name == "text" else (self.given.text, self.name)
        return given_text(self.name, self.given.text, f"al.GivenText({', '.join(map(literal, words))})")

    def pieces(self, tokenizer: Tokenizer) -> Iterator[str]:
        """The text in pieces that the tokenizer can encode one by one."""
        return cut_again(tokenizer, self.slice.pieces())

    def whole(self) -> str:
        """The whole text, for preprocessing and explanations."""
        self.check_size()
        return self.slice.read()

    def check_size(self) -> None:
        """Raise if the text is too large to be held in memory."""
        if self.slice.size > LARGEST:
            expected = f"expected at most {LARGEST:,} bytes for preprocessing and explanations"
            raise self.error(f"{expected}, got {self.slice.size:,}; use a part of the text")

    def error(self, message: str) -> AttnlabError:
        """An error about this text."""
        return ArgumentError("text", f"{self.name}: {message}") if self.given else FileError(self.name, message)

    @contextmanager
    def read_by(self, subject: Subject) -> Iterator[None]:
        """While a model reads the text, add the names of the text and of the model to errors."""
        try:
            yield
        except ArgumentError as error:
            if error.argument != "text":
                raise
            raise self.error(f"{error.message} (with the tokenizer of {subject.name})") from error


def open_text(text: AnyText) -> OpenedText:
    """Open a file, the test split of a named text (or its validation split, if it has no test split), or a string."""
    if isinstance(text, GivenText):
        found = OpenedText(text.name, TextSlice.of([utf8(text.text)]), text)
        if not found.slice.size:
            raise found.error("the text is empty")
        return found
    name = str(text)
    if not name:
        raise ArgumentError("text", "expected the name of a text or a file, got an empty word")
    if name in TEXTS:
        parts = load_text(name).parts
        return OpenedText(name, parts.get("test") or parts["validation"])
    try:
        found = OpenedText(name, TextSlice.of([Path(name)]))
    except FileError as error:
        if Path(name).exists():
            raise
        raise FileError.unknown(name, ("file",), TEXTS) from error
    if not found.slice.size:
        raise found.error("the file is empty")
    return found


def open_texts(texts: AnyText | Sequence[AnyText]) -> list[OpenedText]:
    """Open texts, each text once."""
    some = [texts] if isinstance(texts, str | Path | GivenText) else texts
    some = [one for each in some for one in _named_files(each)]
    found: dict[str, AnyText] = {}
    for each in (each if isinstance(each, GivenText) else str(each) for each in some):
        name = each.name if isinstance(each, GivenText) else each
        if found.setdefault(name, each) != each:
            raise ArgumentError("text", f"expected texts with different names, got two texts called {name!r}")
    if not found:
        raise ArgumentError("text", "expected at least one text")
    return [open_text(each) for each in found.values()]


def _named_files(text: AnyText) -> list[AnyText]:
    """The files of a text: both of the passages, which are not to be joined; else the text itself."""
    return [*map(str, files_of(PASSAGES.name).values())] if text == PASSAGES.name else [text]


def short_names(paths: Sequence[str]) -> list[str]:
    """The names of the files without folders, if these names are different; else the paths.

    >>> short_names(["texts/a.txt", "b.txt"]), short_names(["one/a.txt", "two/a.txt"])
    (['a.txt', 'b.txt'], ['one/a.txt', 'two/a.txt'])
    """
    names = [Path(each).name for each in paths]
    return names if len(set(names)) == len(paths) else list(paths)
