"""The files of facts: lines of text, and questions with answers."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from attnlab.data.facts.facts import BIRTHPLACE, FACTS, MARK, Fact, Facts, Line
from attnlab.data.texts.slices import check_text
from attnlab.errors import FileError
from attnlab.files import content_of

FILES = (
    ("lines.txt", "wiki.txt"),
    ("training.tsv", "birth_places_train.tsv"),
    ("held_out.tsv", "birth_dev.tsv"),
)
"""The files of a folder: the lab's names, and the coursework's names."""
# A full stop after a single letter, or after one of these, does not end a name: A. G. E. Blake, St. John Smith.
LONGEST_NAME = 200
"""In characters. A longer name is taken only from the place of a name in a question whose shape is known."""
ABBREVIATED = re.compile(r"(?:(?<!\w)[^\W\d_]|\b(?:St|Dr|Mrs?|Ms|Rev|Prof|Lt|Col|Gen|Capt|Sgt|Hon))$")

Shape = tuple[str, str]
"""The text before and after the name in a question."""
Row = tuple[Path, int, str, str]
"""A file, the number of a line, its question and its answer."""


def read_folder(folder: Path) -> Facts:
    """The facts of a folder; the files may have either name."""
    if not folder.is_dir():
        if folder.exists():
            raise FileError(folder, "expected a folder with lines.txt, training.tsv and held_out.tsv, got a file")
        raise FileError.unknown(folder, ("folder",), FACTS)
    paths = []
    for names in FILES:
        found = next((folder / name for name in names if (folder / name).exists()), None)
        if found is None:
            raise FileError(folder, f"expected the file {names[0]} (or {names[1]}) in this folder")
        paths.append(found)
    return read_facts(*paths)


def read_facts(lines: Path, training: Path, held_out: Path) -> Facts:
    """Reads the facts from three files."""
    told = tuple(Line(name_of(text, lines, number), text) for number, text in _rows(lines))
    asked = [_questions(path) for path in (training, held_out)]
    _check_apart(*asked)
    names = KnownNames(line.name for line in told)
    shapes = KnownShapes(question_shapes(names, [question for part in asked for _, _, question, _ in part]))
    return Facts(told, *(tuple(_fact(row, names, shapes) for row in part) for part in asked))


def name_of(text: str, path: Path, number: int) -> str:
    """The name that a line begins with: the text before the first full stop that does not end an initial, or that is
    followed by the same name.

    >>> name_of("A. G. E. Blake. Born in Bristol.", Path("lines.txt"), 1)
    'A. G. E. Blake'
    >>> name_of("Malcolm X. Malcolm X was born in Omaha. He was an activist.", Path("lines.txt"), 1)
    'Malcolm X'
    """
    found = (match.start() for match in re.finditer(r"\.\s", text))
    stops = [stop for number, stop in enumerate(found) if not number or stop <= LONGEST_NAME]
    ends = (stop for stop in stops if not ABBREVIATED.search(text, max(stop - 6, 0), stop) or _comes_again(text, stop))
    end = next(ends, stops[0] if stops else 0)
    name = text[:end].strip()
    if not name:
        raise FileError(path, f"expected 'Name. …', got {_short(text)}", number)
    return name


class KnownNames:
    """Names, to be found in questions. A name is looked up only where its first word stands, so that a question takes
    time in proportion to its length."""

    def __init__(self, names: Iterable[str]):
        self.names = {name for name in names if name}
        self.lengths: dict[str, set[int]] = {}
        for name in (name for name in self.names if len(name) <= LONGEST_NAME):
            self.lengths.setdefault(name[: _cuts(name)[1]], set()).add(len(name))

    def longest_in(self, question: str) -> str:
        """The longest of the names that occurs in a question as whole words; empty if none does.

        >>> KnownNames({"Ada", "Ada Lovelace", "Love"}).longest_in("What does Ada Lovelace do?")
        'Ada Lovelace'
        """
        cuts = _cuts(question)
        ends = set(cuts)
        spans = (
            question[first : first + length]
            for first, after in pairwise(cuts)
            for length in self.lengths.get(question[first:after], ())
            if first + length in ends
        )
        return max((span for span in spans if span in self.names), key=len, default="")


def _cuts(text: str) -> list[int]:
    """The places where a word may begin or end, the ends of the text included."""
    return [0, *(place for place in range(1, len(text)) if not text[place - 1 : place + 1].isalnum()), len(text)]


def question_shapes(names: KnownNames, questions: Sequence[str]) -> tuple[Shape, ...]:
    """The shapes of questions: that of birthplaces, and every shape that at least two people with lines share.

    >>> question_shapes(KnownNames({"Ada", "Bo"}), ["What does Ada do?", "What does Bo do?", "Is Bo tall?"])
    (('Where was ', ' born?'), ('What does ', ' do?'))
    """
    asked: dict[Shape, set[str]] = {}
    for question in questions:
        if _between(question, BIRTHPLACE) is None and (name := names.longest_in(question)):
            before, _, after = question.partition(name)
            asked.setdefault((before, after), set()).add(name)
    shared = [shape for shape, found in asked.items() if len(found) > 1]
    return BIRTHPLACE, *sorted(shared, key=lambda shape: -len(shape[0] + shape[1]))


def _comes_again(text: str, stop: int) -> bool:
    """Whether the name before a full stop also follows it; initials alone are not a name: A. A. Milne."""
    name, rest = text[:stop].strip(), text[stop + 1 :].lstrip()
    return bool(re.search(r"\w\w", name)) and bool(re.match(rf"{re.escape(name)}(?!\w)", rest))


def _check_apart(training: Sequence[Row], held_out: Sequence[Row]) -> None:
    """Raise if a held-out question and its answer are in training too; a namesake's answer may differ."""
    taught = {(question, answer): (path, number) for path, number, question, answer in reversed(training)}
    for path, number, question, answer in held_out:
        if (question, answer) in taught:
            other, line = taught[question, answer]
            told = f"the same question and answer are in {other.name}, line {line}; remove one of them"
            raise FileError(path, f"expected questions that are not trained on; {told}", number)


class KnownShapes:
    """Shapes of questions, to be looked up: there may be thousands."""

    def __init__(self, shapes: Sequence[Shape]):
        self.order = {shape: number for number, shape in enumerate(shapes)}
        self.lengths = {(len(before), len(after)) for before, after in shapes}

    def names_in(self, question: str) -> list[str]:
        """The text at the place of the name, for each shape that a question has, in the order of the shapes."""
        room = [(before, len(question) - after) for before, after in self.lengths if before + after <= len(question)]
        found = [((question[:start], question[end:]), question[start:end]) for start, end in room]
        fitting = [(self.order[shape], name) for shape, name in found if shape in self.order]
        return [name for _, name in sorted(fitting)]


def _fact(row: Row, names: KnownNames, shapes: KnownShapes) -> Fact:
    path, number, question, answer = row
    found = shapes.names_in(question)
    name = next((name for name in found if name in names.names), found[0] if found else names.longest_in(question))
    if not name.strip():
        expected = "the name of a person who has a line, or 'Where was NAME born?'"
        raise FileError(path, f"expected a question with {expected}; got {_short(question)}", number)
    return Fact(name.strip(), question, answer)


def _between(question: str, shape: Shape) -> str | None:
    """The text at the place of the name if the question has that shape; else None."""
    before, after = shape
    fits = len(question) >= len(before + after) and question.startswith(before) and question.endswith(after)
    return question[len(before) : len(question) - len(after)] if fits else None


def _questions(path: Path) -> list[Row]:
    found = []
    for number, text in _rows(path):
        fields = [field.strip() for field in text.split("\t")]
        if len(fields) != 2:
            tabs = "no tab" if len(fields) == 1 else f"{len(fields) - 1} tabs"
            raise FileError(path, f"expected a question, a tab and an answer, got {tabs}", number)
        question, answer = fields
        if not question or not answer:
            missing = "an answer after" if question else "a question before"
            raise FileError(path, f"expected {missing} the tab, got nothing", number)
        found.append((path, number, question, answer))
    return found


def _rows(path: Path) -> Iterator[tuple[int, str]]:
    """Yields the lines of a file that are not empty, with their numbers; an empty file is an error."""
    check_text(path)
    text = content_of(path).decode("utf-8-sig")
    if not text.strip():
        raise FileError(path, "the file is empty")
    for number, line in enumerate(text.split("\n"), start=1):
        if MARK in line:
            raise FileError(path, f"expected text without {MARK}: it separates the parts of a training row", number)
        if line.strip():
            yield number, line.rstrip("\r")


def _short(text: str) -> str:
    return repr(text if len(text) <= 60 else f"{text[:60]}…")
