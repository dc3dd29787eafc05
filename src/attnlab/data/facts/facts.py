"""Facts: a line of text on each person, and questions with answers, for finetuning and for the report."""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from random import Random

from attnlab.data.sets import SETS, files_of
from attnlab.errors import ArgumentError

FACTS = ("birthplaces", "biographies")
BIRTHPLACE = ("Where was ", " born?")
"""The text before and after the name in a question about a birthplace."""
MARK = "⁇"
"""Separates the parts of a training row, as in the coursework."""


@dataclass(frozen=True)
class Fact:
    """A question about a person, and its answer."""

    name: str
    question: str
    answer: str


@dataclass(frozen=True)
class Line:
    """A line about a person, `Name. …`, and the name that it begins with."""

    name: str
    text: str

    def place_of(self, answer: str) -> int:
        """The first place of an answer on the line; −1 if it is not there. It must begin a word, not be part of a
        number, and not be part of the person's name.

        >>> line = Line("Paris Berg", "Paris Berg. Paris Berg, born in 1905 in Oslo, had 5 children in Paris.")
        >>> [line.text[line.place_of(answer) :][:9] for answer in ("Oslo", "5", "Paris")]
        ['Oslo, had', '5 childre', 'Paris.']
        >>> line.place_of("erg"), line.place_of("")
        (-1, -1)
        """
        if not answer:
            return -1
        names = [each.span() for each in re.finditer(rf"(?<!\w){re.escape(self.name)}(?!\w)", self.text)]
        for found in re.finditer(rf"(?<!\w){re.escape(answer)}(?!\d)", self.text):
            before = bisect_right(names, (found.start(), len(self.text)))
            if not (before and found.start() < names[before - 1][1]):
                return found.start()
        return -1

    def holds(self, answer: str) -> bool:
        """Whether the answer is on the line."""
        return self.place_of(answer) >= 0


@dataclass(frozen=True)
class Counts:
    """Counts of lines and questions, and of oddities among them."""

    lines: int
    names: int
    """Distinct names that lines begin with."""
    repeated_lines: int
    """Lines that repeat an earlier line word for word."""
    training: int
    held_out: int
    repeated_questions: int
    """Questions that repeat an earlier one, within the training or the held-out questions."""
    on_both_sides: int
    """Names with questions both in training and held out."""
    without_line: int
    """Questions about people who have no line."""


@dataclass(frozen=True)
class Facts:
    """The lines of all people, the facts to train on, and the held-out facts.

    >>> lines = (Line("Ada", "Ada. Born in Oslo."), Line("Bo", "Bo. From Bonn."), Line("Cy", "Cy. A poet."))
    >>> asked = [Fact(n, f"Where was {n} born?", a) for n, a in (("Ada", "Oslo"), ("Bo", "Bonn"), ("Cy", "Oslo"))]
    >>> facts = Facts(lines, tuple(asked[:1]), tuple(asked[1:]))
    >>> facts.commonest, facts.baseline(), facts.ceiling()
    ('Oslo', 0.5, 0.5)
    """

    lines: tuple[Line, ...]
    training: tuple[Fact, ...]
    held_out: tuple[Fact, ...]

    def lines_of(self, name: str) -> tuple[Line, ...]:
        """Every line that begins with a name, including rewrites and namesakes."""
        return self._lines.get(name, ())

    @property
    def answers(self) -> tuple[tuple[str, int], ...]:
        """The answers to train on with their counts, commonest first."""
        counted = Counter(fact.answer for fact in self.training)
        return tuple(sorted(counted.items(), key=lambda item: (-item[1], item[0])))

    @property
    def commonest(self) -> str:
        """The commonest answer to train on."""
        return self.answers[0][0]

    def baseline(self) -> float:
        """The accuracy on held-out facts of always giving the commonest answer."""
        return _share(fact.answer == self.commonest for fact in self.held_out)

    def ceiling(self) -> float:
        """The share of held-out facts whose answer is on a line of that person: the most that can be looked up."""
        return _share(any(line.holds(fact.answer) for line in self.lines_of(fact.name)) for fact in self.held_out)

    def split(self, share: float = 0.1, seed: int = 0) -> "Facts":
        """Splits the facts to train on into two parts and holds out about a share of them, for tuning.

        All lines stay, and no person has questions on both sides.
        """
        if not 0 < share < 1:
            raise ArgumentError("share", f"expected a share above 0 and below 1, such as 0.1; got {share}")
        draw = Random(seed).random
        names = dict.fromkeys(fact.name for fact in self.training)
        if len(names) < 2:
            raise ArgumentError("share", f"expected questions about at least 2 people to split, got {len(names)}")
        order = sorted(names, key=lambda _: draw())
        held = set(order[: min(max(round(share * len(order)), 1), len(order) - 1)])
        training, held_out = (
            tuple(fact for fact in self.training if (fact.name in held) == side) for side in (False, True)
        )
        return replace(self, training=training, held_out=held_out)

    @property
    def counts(self) -> Counts:
        """Counts of lines and questions, and of oddities among them."""
        asked = [{fact.name for fact in part} for part in (self.training, self.held_out)]
        questions = [len(part) - len({fact.question for fact in part}) for part in (self.training, self.held_out)]
        return Counts(
            lines=len(self.lines),
            names=len(self._lines),
            repeated_lines=len(self.lines) - len({line.text for line in self.lines}),
            training=len(self.training),
            held_out=len(self.held_out),
            repeated_questions=sum(questions),
            on_both_sides=len(asked[0] & asked[1]),
            without_line=sum(fact.name not in self._lines for fact in self.training + self.held_out),
        )

    @cached_property
    def _lines(self) -> dict[str, tuple[Line, ...]]:
        found: dict[str, list[Line]] = {}
        for line in self.lines:
            found.setdefault(line.name, []).append(line)
        return {name: tuple(lines) for name, lines in found.items()}


def open_facts(name_or_folder: str | Path) -> Facts:
    """The facts of that name, or of a folder with lines.txt, training.tsv and held_out.tsv.

    A line is `Name. …`; a row of the other files is a question, a tab and an answer.
    """
    from attnlab.data.facts.files import read_facts, read_folder
    from attnlab.data.worlds.biographies.biographies import biographies  # late: it imports this module

    if name_or_folder == "biographies":
        return biographies().facts()
    if name_or_folder == "birthplaces":
        return read_facts(*files_of("birthplaces").values())
    if name_or_folder in SETS:
        raise ArgumentError("FACTS", f"expected {', '.join(FACTS)} or a folder; {name_or_folder} has no facts")
    return read_folder(Path(name_or_folder))


def question_shape(asked: Sequence[Fact]) -> tuple[str, str]:
    """The text before and after the name in most questions.

    >>> question_shape([Fact("Ada", "Where was Ada born?", "Oslo")])
    ('Where was ', ' born?')
    """
    cut = [fact.question.partition(fact.name) for fact in asked if fact.name in fact.question]
    shapes = Counter((before, after) for before, _, after in cut)
    if not shapes:
        raise ArgumentError(
            "facts", "expected at least one question that contains the person's name, got no such question"
        )
    return shapes.most_common(1)[0][0]


def _share(held: Iterable[bool]) -> float:
    each = list(held)
    return sum(each) / len(each) if each else 0.0
