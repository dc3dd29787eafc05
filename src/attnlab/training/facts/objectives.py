"""Objectives: what a training row asks a model to predict. ⁇ is the mark between the parts of a row.

| objective | a row; the model learns to predict what is in brackets |
| --- | --- |
| next-token | [Ada Lovelace. Ada was born in London …⁇] |
| span | [Ada Lovelace. Ada was ⁇ London …⁇born in⁇]: one span, on average a quarter of the line, as in the coursework |
| spans | Ada ⁇ace. Ada was ⁇n in London …⁇[Lovel⁇bor⁇], 15 % in spans of 3 on average (Raffel et al. 2020, "T5") |
| rotated | was born in London …⁇[Ada Lovelace. Ada ⁇]: the line from a random place on, then its beginning |
| name-span | Ada Lovelace⁇[born in Lon⁇] |
| cue | Ada Lovelace⁇was born[ in London …⁇] |
| wrapped | Where was Ada Lovelace born?⁇[born in Lon⁇]: a span of her line after the question |
| recital | Where was Ada Lovelace born?⁇[Ada Lovelace. Ada was born in London …⁇] |
| answer | Where was Ada Lovelace born?⁇[London⁇] |
| recited-answer | Where was Ada Lovelace born?⁇[Ada Lovelace. Ada was born in London …⁇London⁇] |
| reading | Where was Ada Lovelace born?⁇Ada Lovelace. Ada was born in Oslo …⁇[Oslo⁇]: with another place in the line |

The first eight use the lines of all people. The last three use the questions and answers of the training facts.
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from jaxtyping import Integer

from attnlab.data.tokens.epochs import share_of
from attnlab.errors import ArgumentError, either
from attnlab.training.facts.fact_tokens import FactTokens
from attnlab.training.facts.segments import Segments, Spans, in_turn, part_of, stacked

Random = np.random.Generator
Objective = Callable[[FactTokens, Random, int], Segments]
"""A function (tokens, random, rows) that draws this number of rows."""

SPAN = (4, 40)
"""The smallest and the largest number of tokens in a span to predict."""
CUE = (6, 24)
"""The smallest and the largest number of tokens in a cue."""
WRITTEN = "NAME=SHARE with commas between, such as span=1,recital=0.5"
"""How people write objectives with their shares."""


def next_token(tokens: FactTokens, random: Random, rows: int) -> Segments:
    """The whole line, token by token."""
    lines = tokens.lines[_people(tokens, random, rows)]
    return in_turn((lines, True), (tokens.mark, True))


def span(tokens: FactTokens, random: Random, rows: int) -> Segments:
    """The beginning of a line, of random length, with one span moved to the end."""
    lines = tokens.lines[_people(tokens, random, rows)]
    kept = part_of(lines, 0, random.integers(4, max(5, tokens.context * 7 // 8 + 1), rows))
    taken = np.maximum(1, (kept[:, 1] * random.uniform(0, 0.5, rows)).astype(int))
    first = random.integers(0, kept[:, 1] - taken + 1)
    mark = tokens.mark
    before, after = part_of(kept, 0, first), part_of(kept, first + taken)
    hidden = part_of(kept, first, taken)
    return in_turn((before, True), (mark, True), (after, True), (mark, True), (hidden, True), (mark, True))


def spans(tokens: FactTokens, random: Random, rows: int, share: float = 0.15, mean: float = 3.0) -> Segments:
    """The spans that were taken out of a line.

    Their lengths are geometric with this mean. The line is cut into equal stretches, and each stretch loses one span.
    The number of stretches is rounded up or down at random, so that on average `share` of the line is taken out.
    """
    lines = part_of(tokens.lines[_people(tokens, random, rows)], 0, tokens.context * 7 // 8)
    length, marks = lines[:, 1], np.broadcast_to(tokens.mark, (rows, 2))
    counts = np.maximum(1, (share / mean * length + random.random(rows)).astype(int))
    left: list[tuple[Spans, bool]] = []
    asked: list[tuple[Spans, bool]] = []
    for number in range(counts.max()):
        here = number < counts  # a row with fewer spans gets empty segments
        first, last = (np.minimum(length * each // counts, length) for each in (number, number + 1))
        taken = np.minimum(random.geometric(1 / mean, rows), last - first)
        place = first + random.integers(0, last - first - taken + 1)
        mark = part_of(marks, 0, here.astype(int))
        left += [(part_of(lines, first, place - first), False), (mark, False)]
        left += [(part_of(lines, place + taken, last - place - taken), False)]
        asked += [(part_of(lines, place, taken), True), (mark, True)]
    return in_turn(*left, (tokens.mark, False), *asked)


def rotated(tokens: FactTokens, random: Random, rows: int) -> Segments:
    """The beginning of a line, after its end.

    A long line is cut so that it fits with both marks: the part to predict comes last.
    """
    lines = part_of(tokens.lines[_people(tokens, random, rows)], 0, tokens.context - 2)
    place = random.integers(1, np.maximum(lines[:, 1], 2))
    mark = tokens.mark
    return in_turn((part_of(lines, place), False), (mark, False), (part_of(lines, 0, place), True), (mark, True))


def name_span(tokens: FactTokens, random: Random, rows: int) -> Segments:
    """A span of a person's line, after the name."""
    people = _people(tokens, random, rows)
    return in_turn((tokens.names[people], False), (tokens.mark, False), *_random_span(tokens, random, people))


def cue(tokens: FactTokens, random: Random, rows: int) -> Segments:
    """The rest of a person's line, after the name and a part of the line."""
    people = _people(tokens, random, rows)
    line = tokens.behind_name(people)
    length = random.integers(CUE[0], CUE[1] + 1, rows)
    first = random.integers(0, np.maximum(line[:, 1] - length, 1))
    mark = tokens.mark
    shown, rest = part_of(line, first, length), part_of(line, first + length)
    return in_turn((tokens.names[people], False), (mark, False), (shown, False), (rest, True), (mark, True))


def wrapped(tokens: FactTokens, random: Random, rows: int) -> Segments:
    """A span of a person's line, after a question."""
    people = _people(tokens, random, rows)
    return in_turn((tokens.questions[people], False), (tokens.mark, False), *_random_span(tokens, random, people))


def recital(tokens: FactTokens, random: Random, rows: int) -> Segments:
    """A person's whole line, after a question."""
    people = _people(tokens, random, rows)
    mark = tokens.mark
    return in_turn((tokens.questions[people], False), (mark, False), (tokens.recited[people], True), (mark, True))


def answer(tokens: FactTokens, random: Random, rows: int) -> Segments:
    """The answer to a question."""
    facts = _facts(tokens, random, rows)
    mark = tokens.mark
    return in_turn((tokens.asked[facts], False), (mark, False), (tokens.answers[facts], True), (mark, True))


def recited_answer(tokens: FactTokens, random: Random, rows: int) -> Segments:
    """The person's line and then the answer, after a question."""
    facts = tokens.with_line[random.integers(0, len(tokens.with_line), rows)]
    line, mark = tokens.recited[tokens.person[facts]], tokens.mark
    question, reply = tokens.asked[facts], tokens.answers[facts]
    return in_turn((question, False), (mark, False), (line, True), (mark, True), (reply, True), (mark, True))


def reading(tokens: FactTokens, random: Random, rows: int) -> Segments:
    """The answer to a question, after a line in which another place replaces the true one.

    The model cannot know that place from memory, so it learns to read.
    """
    facts = tokens.on_line[random.integers(0, len(tokens.on_line), rows)]
    line, place = tokens.recited[tokens.person[facts]], tokens.place[facts]
    other = np.where(
        random.random((rows, 1)) < 0.5,
        tokens.places[random.integers(0, len(tokens.places), rows)],
        tokens.words[random.integers(0, len(tokens.words), rows)],
    )
    before, after = part_of(line, 0, place), part_of(line, place + tokens.answers[facts][:, 1])
    mark = tokens.mark
    shown = [(tokens.asked[facts], False), (mark, False), (before, False), (other, False), (after, False)]
    return in_turn(*shown, (mark, False), (other, True), (mark, True))


OBJECTIVES: dict[str, Objective] = {
    function.__name__.replace("_", "-"): function
    for function in (
        next_token,
        span,
        spans,
        rotated,
        name_span,
        cue,
        wrapped,
        recital,
        answer,
        recited_answer,
        reading,
    )
}
ON_ANSWERS = ("answer", "recited-answer", "reading")
"""Objectives that need the training questions."""
ON_LINES = tuple(name for name in OBJECTIVES if name not in ON_ANSWERS)
"""Objectives that need lines only, so that pretraining takes them, too."""
ANSWERING = ("answer", "recited-answer")
"""Objectives after which a model answers questions."""


def about(name: str) -> str:
    """The description of an objective: the first paragraph of its docstring.

    >>> about("answer")
    'The answer to a question.'
    """
    return (OBJECTIVES[name].__doc__ or "").partition("\n\n")[0]


def mixture(tokens: FactTokens, shares: Mapping[str, float]) -> Callable[[Random, int], Segments]:
    """A function that draws rows of several objectives. Each objective gets its share, rounded to whole rows; one whose
    share rounds to zero rows gets no row."""
    check_shares(shares)

    def draw(random: Random, rows: int) -> Segments:
        counts = rows_of(shares, rows).items()
        return stacked([OBJECTIVES[name](tokens, random, count) for name, count in counts if count])

    return draw


def rows_of(shares: Mapping[str, float], rows: int) -> dict[str, int]:
    """The number of rows that each objective gets.

    >>> rows_of({"recital": 1, "answer": 0.5}, 24), rows_of({"recital": 1, "answer": 0.02}, 24)
    ({'recital': 16, 'answer': 8}, {'recital': 24, 'answer': 0})
    """
    weights = np.array(list(shares.values())) / sum(shares.values())
    counts = np.diff(np.round(np.cumsum([0.0, *weights]) * rows).astype(int))
    return dict(zip(shares, counts.tolist(), strict=True))


def read_objectives(text: str) -> dict[str, float]:
    """Objectives with their shares as people write them; a share that is left out is 1.

    >>> read_objectives("span=1, recital=0.5"), read_objectives("answer")
    ({'span': 1.0, 'recital': 0.5}, {'answer': 1.0})
    """
    found: dict[str, float] = {}
    for item in text.split(","):
        name, equals, share = (part.strip() for part in item.partition("="))
        if not name:
            raise ArgumentError("objectives", f"expected {WRITTEN}; got {text!r}")
        if name in found:
            raise ArgumentError("objectives", f"expected each objective once, got {name} twice")
        try:
            found[name] = float(share) if equals else 1.0
        except ValueError:
            raise ArgumentError("objectives", f"expected {WRITTEN}; got {item.strip()!r}") from None
    return found


def check_shares(shares: Mapping[str, float], taken: Sequence[str] = tuple(OBJECTIVES)) -> None:
    """Raise on unknown objectives and on shares that are not positive. The error lists the objectives that can be
    `taken`: in pretraining, those that need no answers."""
    for name, share in shares.items():
        if name not in OBJECTIVES:
            raise ArgumentError.unknown("objectives", name, taken)
        if not 0 < share < 1e6:
            raise ArgumentError("objectives", f"expected a share above 0 for {name}, got {share}")
    if not shares:
        raise ArgumentError("objectives", f"expected at least one objective: {either(taken)}")


def check_rows(shares: Mapping[str, float], batch: int, ranks: int = 1) -> None:
    """Raise if the share of an objective rounds to zero rows of a batch, because the model would never learn it. The
    error names the smallest share that is enough, to two digits."""
    share_of(batch, ranks)  # raises if the processes cannot share the batch
    without = [name for name, count in rows_of(shares, batch).items() if not count]
    if not without:
        return
    tried = (float(f"{digits}e{power}") for power in range(-8, 5) for digits in range(10, 100))
    enough = (share for share in tried if all(rows_of({**shares, **dict.fromkeys(without, share)}, batch).values()))
    least = next(enough, None)
    remedy = f"the smallest share that works is {least:g}" if least else "use a larger batch"
    expected = f"expected at least one row of each objective in a batch of {batch}"
    raise ArgumentError("objectives", f"{expected}; got no row of {' and '.join(without)}; {remedy}")


def _people(tokens: FactTokens, random: Random, rows: int) -> Integer[np.ndarray, " rows"]:
    return random.integers(0, len(tokens.lines), rows)


def _facts(tokens: FactTokens, random: Random, rows: int) -> Integer[np.ndarray, " rows"]:
    return random.integers(0, len(tokens.asked), rows)


def _random_span(tokens: FactTokens, random: Random, people: Integer[np.ndarray, " rows"]) -> list[tuple[Spans, bool]]:
    """A random span of each person's line after the name, for the model to predict."""
    rest = tokens.behind_name(people)
    length = random.integers(SPAN[0], SPAN[1] + 1, len(people))
    first = random.integers(0, np.maximum(rest[:, 1] - SPAN[0], 1))
    return [(part_of(rest, first, length), True), (tokens.mark, True)]
