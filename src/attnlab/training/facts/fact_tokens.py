"""Facts as tokens, from which objectives draw rows: lines, names, questions and answers are spans of one array."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Int, Integer

from attnlab.data.facts.facts import MARK, Fact, Facts, Line, question_shape
from attnlab.errors import ArgumentError
from attnlab.text.tokenizers import Tokenizer
from attnlab.training.facts.segments import Spans, laid_out, part_of

LEAST = 16
"""At least this many tokens of a line must fit between a question and its answer."""
CAPITALISED = re.compile(r"\b[A-Z][a-z]{2,}\b")


@dataclass(frozen=True)
class FactTokens:
    """Facts as tokens. Lines, names and questions are about all people; `asked` and `answers` are for training."""

    ids: Int[np.ndarray, " tokens"]
    context: int
    """The context window of the model, in tokens."""
    mark: Spans
    lines: Spans
    names: Spans
    recited: Spans
    """The part of each line that fits between a question and its answer."""
    questions: Spans
    """For the person of each line, the commonest question with the person's name."""
    asked: Spans
    answers: Spans
    person: Int[np.ndarray, " facts"]
    """The number of the line about the person of each fact; −1 if that person has no line."""
    place: Int[np.ndarray, " facts"]
    """Where the answer begins in that line; −1 if it occurs there twice or not at all."""
    places: Spans
    """The different answers."""
    words: Spans
    """The different capitalised words of the lines."""

    @property
    def longest_question(self) -> int:
        """The most tokens that a question can have, so that the shortest allowed part of a line and any answer fit."""
        return int(self.context - 2 - LEAST - self.answers[:, 1].max())

    @property
    def with_line(self) -> Int[np.ndarray, " some"]:
        """The facts whose person has a line."""
        return _not_empty(np.flatnonzero(self.person >= 0), "a line about a person of the training questions")

    @property
    def on_line(self) -> Int[np.ndarray, " some"]:
        """The facts whose answer occurs exactly once in the recited part of the line."""
        return _not_empty(np.flatnonzero(self.place >= 0), "a line with the answer to a question about its person")

    def behind_name(self, people: Integer[np.ndarray, " rows"]) -> Spans:
        """The part of each person's line after the name."""
        return part_of(self.lines[people], self.names[people][:, 1])


def texts_of(facts: Facts) -> list[str]:
    """The texts to train a tokenizer on: the mark, the lines, and the questions and answers for training."""
    for line in facts.lines:
        if MARK in line.text:
            reason = f"expected lines without {MARK}, which separates parts; the line of {line.name!r} has it"
            raise ArgumentError("facts", reason)
    pairs = (text for fact in facts.training for text in (fact.question, fact.answer))
    return [MARK, *(line.text for line in facts.lines), *pairs]


def make_fact_tokens(facts: Facts, tokenizer: Tokenizer, context: int) -> FactTokens:
    """The facts as tokens, for a model with this context window. A fact occurs once for each line of its person."""
    before, after = question_shape(facts.training)
    paired = pairs(facts)
    groups = [
        [MARK],
        [line.text for line in facts.lines],
        [f"{before}{line.name}{after}" for line in facts.lines],
        [fact.question for fact, _ in paired],
        [fact.answer for fact, _ in paired],
        sorted({fact.answer for fact in facts.training}),
        capitalised(facts.lines) or [facts.commonest],
    ]
    ids, every = laid_out(tokenizer, [text for group in groups for text in group])
    mark, lines, questions, asked, answers, places, words = np.split(every, np.cumsum([*map(len, groups)])[:-1])
    names = np.stack([lines[:, 0], [len(tokenizer.encode(line.name)) for line in facts.lines]], 1)
    room = int(context - 2 - answers[:, 1].max() - max(questions[:, 1].max(), asked[:, 1].max()))
    if room < LEAST:
        shortest = context + LEAST - room
        raise ArgumentError(
            "context", f"expected at least {shortest} tokens, for a question, a line and an answer; got {context}"
        )
    recited = part_of(lines, 0, room)
    person = np.array([number for _, number in paired])
    known = [
        (ids[first : first + length], reply) for (first, length), reply in zip(recited[person], answers, strict=True)
    ]
    place = np.array([place_of(ids[start : start + length], line) for line, (start, length) in known])
    place = np.where(person >= 0, place, -1)
    return FactTokens(
        ids, context, mark, lines, names, recited, questions, asked, answers, person, place, places, words
    )


def pairs(facts: Facts) -> list[tuple[Fact, int]]:
    """Each training fact with the number of every line of its person, or −1 if the person has no line.

    A line without the answer may be about a namesake: the first line that has the answer replaces it, if there is one.

    >>> lines = (Line("Ada", "Ada. Born in Oslo."), Line("Ada", "Ada. From Bonn."), Line("Bo", "Bo. A poet."))
    >>> asked = [Fact(n, f"Where was {n} born?", a) for n, a in (("Ada", "Bonn"), ("Bo", "Rome"), ("Cy", "Oslo"))]
    >>> [(fact.name, number) for fact, number in pairs(Facts(lines, tuple(asked), ()))]
    [('Ada', 1), ('Ada', 1), ('Bo', 2), ('Cy', -1)]
    """
    numbers: dict[str, list[int]] = {}
    for number, line in enumerate(facts.lines):
        numbers.setdefault(line.name, []).append(number)
    found = []
    for fact in facts.training:
        named = numbers.get(fact.name, [])
        holding = [number for number in named if facts.lines[number].holds(fact.answer)]
        found += [(fact, n if n in holding or not holding else holding[0]) for n in named or [-1]]
    return found


def place_of(wanted: Int[np.ndarray, " tokens"], line: Int[np.ndarray, " positions"]) -> int:
    """Where some tokens begin in a line if they occur exactly once; else −1.

    >>> place_of(np.array([2, 3]), np.array([1, 2, 3, 2])), place_of(np.array([2]), np.array([1, 2, 3, 2]))
    (1, -1)
    """
    if len(wanted) > len(line):
        return -1
    found = np.flatnonzero((np.lib.stride_tricks.sliding_window_view(line, len(wanted)) == wanted).all(1))
    return int(found[0]) if len(found) == 1 else -1


def capitalised(lines: Sequence[Line]) -> list[str]:
    """The different capitalised words of the lines, without the names.

    >>> capitalised([Line("Ada", "Ada. Born in Oslo to Bo.")])
    ['Born', 'Oslo']
    """
    found = {word for line in lines for word in CAPITALISED.findall(line.text[len(line.name) :])}
    return sorted(found)


def _not_empty(numbers: Int[np.ndarray, " some"], what: str) -> Int[np.ndarray, " some"]:
    if not len(numbers):
        raise ArgumentError("facts", f"expected {what}; there is no such line")
    return numbers
