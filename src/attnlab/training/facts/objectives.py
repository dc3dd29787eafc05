"""Objectives: what a model learns from lines about people and questions about them. ⁇ is the mark between parts.

| objective | a row, what is learnt in brackets |
| --- | --- |
| next-token | [Ada Lovelace. Ada was born in London …⁇] |
| span | [Ada Lovelace. Ada was ⁇ London …⁇born in⁇]: one span, a quarter on average, as in the coursework |
| spans | Ada ⁇ace. Ada was ⁇n in London …⁇[Lovel⁇bor⁇], 15 % in spans of 3 on average (Raffel et al. 2020, "T5") |
| rotated | was born in London …⁇[Ada Lovelace. Ada ⁇]: the line from anywhere on, then what came before |
| name-span | Ada Lovelace⁇[born in Lon⁇] |
| cue | Ada Lovelace⁇was born[ in London …⁇] |
| wrapped | Where was Ada Lovelace born?⁇[born in Lon⁇]: a span of her line behind the question's words |
| recital | Where was Ada Lovelace born?⁇[Ada Lovelace. Ada was born in London …⁇] |
| answer | Where was Ada Lovelace born?⁇[London⁇] |
| recited-answer | Where was Ada Lovelace born?⁇[Ada Lovelace. Ada was born in London …⁇London⁇] |
| reading | Where was Ada Lovelace born?⁇Ada Lovelace. Ada was born in Oslo …⁇[Oslo⁇]: another place put in the line |

The first eight need lines only, those of everybody; the last three need the facts that are to be trained on.
"""

from collections.abc import Callable, Mapping

import numpy as np
from jaxtyping import Integer

from attnlab.data.tokens.epochs import share_of
from attnlab.errors import ArgumentError
from attnlab.training.facts.fact_tokens import FactTokens
from attnlab.training.facts.segments import Segments, Spans, in_turn, part_of, stacked

Random = np.random.Generator
Objective = Callable[[FactTokens, Random, int], Segments]
"""Draws some number of rows."""

SPAN = (4, 40)
"""The least and most tokens of a span that is asked for."""
CUE = (6, 24)
"""The least and most tokens of a cue."""


def next_token(tokens: FactTokens, random: Random, rows: int) -> Segments:
    """The whole line, token by token."""
    lines = tokens.lines[_people(tokens, random, rows)]
    return in_turn((lines, True), (tokens.mark, True))


def span(tokens: FactTokens, random: Random, rows: int) -> Segments:
    """The beginning of a line, of a random length, with one span taken out and put behind it."""
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

    Their lengths are geometric with this mean. The line is cut into as many equal stretches as make the share, at
    random the next whole number below or above, and each stretch loses one span.
    """
    lines = part_of(tokens.lines[_people(tokens, random, rows)], 0, tokens.context * 7 // 8)
    length, marks = lines[:, 1], np.broadcast_to(tokens.mark, (rows, 2))
    counts = np.maximum(1, (share / mean * length + random.random(rows)).astype(int))
    left: list[tuple[Spans, bool]] = []
    asked: list[tuple[Spans, bool]] = []
    for number in range(counts.max()):
        here = number < counts  # a row with fewer of them has empty segments
        first, last = (np.minimum(length * each // counts, length) for each in (number, number + 1))
        taken = np.minimum(random.geometric(1 / mean, rows), last - first)
        place = first + random.integers(0, last - first - taken + 1)
        mark = part_of(marks, 0, here.astype(int))
        left += [(part_of(lines, first, place - first), False), (mark, False)]
        left += [(part_of(lines, place + taken, last - place - taken), False)]
        asked += [(part_of(lines, place, taken), True), (mark, True)]
    return in_turn(*left, (tokens.mark, False), *asked)


def rotated(tokens: FactTokens, random: Random, rows: int) -> Segments:
    """The beginning of a line, behind its end.

    As much of the line is taken as fits with both marks, since what is learnt stands last.
    """
    lines = part_of(tokens.lines[_people(tokens, random, rows)], 0, tokens.context - 2)
    place = random.integers(1, np.maximum(lines[:, 1], 2))
    mark = tokens.mark
    return in_turn((part_of(lines, place), False), (mark, False), (part_of(lines, 0, place), True), (mark, True))


def name_span(tokens: FactTokens, random: Random, rows: int) -> Segments:
    """A span of a person's line, behind the name."""
    people = _people(tokens, random, rows)
    return in_turn((tokens.names[people], False), (tokens.mark, False), *_some(tokens, random, people))


def cue(tokens: FactTokens, random: Random, rows: int) -> Segments:
    """How a person's line goes on, behind the name and some of the line."""
    people = _people(tokens, random, rows)
    line = tokens.behind_name(people)
    length = random.integers(CUE[0], CUE[1] + 1, rows)
    first = random.integers(0, np.maximum(line[:, 1] - length, 1))
    mark = tokens.mark
    shown, rest = part_of(line, first, length), part_of(line, first + length)
    return in_turn((tokens.names[people], False), (mark, False), (shown, False), (rest, True), (mark, True))


def wrapped(tokens: FactTokens, random: Random, rows: int) -> Segments:
    """A span of a person's line, behind the words of a question."""
    people = _people(tokens, random, rows)
    return in_turn((tokens.questions[people], False), (tokens.mark, False), *_some(tokens, random, people))


def recital(tokens: FactTokens, random: Random, rows: int) -> Segments:
    """A person's whole line, behind the words of a question."""
    people = _people(tokens, random, rows)
    mark = tokens.mark
    return in_turn((tokens.questions[people], False), (mark, False), (tokens.recited[people], True), (mark, True))


def answer(tokens: FactTokens, random: Random, rows: int) -> Segments:
    """The answer to a question."""
    facts = _facts(tokens, random, rows)
    mark = tokens.mark
    return in_turn((tokens.asked[facts], False), (mark, False), (tokens.answers[facts], True), (mark, True))


def recited_answer(tokens: FactTokens, random: Random, rows: int) -> Segments:
    """The person's line and then the answer, behind a question."""
    facts = tokens.with_line[random.integers(0, len(tokens.with_line), rows)]
    line, mark = tokens.recited[tokens.person[facts]], tokens.mark
    question, reply = tokens.asked[facts], tokens.answers[facts]
    return in_turn((question, False), (mark, False), (line, True), (mark, True), (reply, True), (mark, True))


def reading(tokens: FactTokens, random: Random, rows: int) -> Segments:
    """The answer to a question, read off a line in which another place was put.

    What is learnt is to read, since that place cannot be remembered.
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
"""Objectives that are drawn from the questions to be trained on; the others need lines only."""
ANSWERING = ("answer", "recited-answer")
"""Objectives after which a model answers questions."""


def about(name: str) -> str:
    """The first sentence on an objective.

    >>> about("answer")
    'The answer to a question.'
    """
    return (OBJECTIVES[name].__doc__ or "").partition("\n\n")[0]


def mixture(tokens: FactTokens, shares: Mapping[str, float]) -> Callable[[Random, int], Segments]:
    """A function that draws rows of several objectives, each its share of them in whole rows: the same number every
    time. An objective whose share rounds to zero rows is left out."""
    check_shares(shares)

    def draw(random: Random, rows: int) -> Segments:
        counts = rows_of(shares, rows).items()
        return stacked([OBJECTIVES[name](tokens, random, count) for name, count in counts if count])

    return draw


def rows_of(shares: Mapping[str, float], rows: int) -> dict[str, int]:
    """How many of some rows each objective has.

    >>> rows_of({"recital": 1, "answer": 0.5}, 24), rows_of({"recital": 1, "answer": 0.02}, 24)
    ({'recital': 16, 'answer': 8}, {'recital': 24, 'answer': 0})
    """
    weights = np.array(list(shares.values())) / sum(shares.values())
    counts = np.diff(np.round(np.cumsum([0.0, *weights]) * rows).astype(int))
    return dict(zip(shares, counts.tolist(), strict=True))


def check_shares(shares: Mapping[str, float]) -> None:
    """Raise on unknown objectives and on shares that are not positive."""
    for name, share in shares.items():
        if name not in OBJECTIVES:
            raise ArgumentError("objectives", f"expected {', '.join(OBJECTIVES)}, got {name!r}")
        if not 0 < share < 1e6:
            raise ArgumentError("objectives", f"expected a share above 0 for {name}, got {share}")
    if not shares:
        raise ArgumentError("objectives", f"expected at least one of {', '.join(OBJECTIVES)}")


def check_rows(shares: Mapping[str, float], batch: int, ranks: int = 1) -> None:
    """Raise where the share of an objective rounds to zero rows of a batch that so many processes share, so that it
    would never be learnt. The error names the least share that would do, to two digits."""
    rows = share_of(batch, ranks)
    without = [name for name, count in rows_of(shares, rows).items() if not count]
    if not without:
        return
    tried = (float(f"{digits}e{power}") for power in range(-8, 5) for digits in range(10, 100))
    enough = (share for share in tried if all(rows_of({**shares, **dict.fromkeys(without, share)}, rows).values()))
    least = next(enough, None)
    what = f"a batch of {batch}" if ranks == 1 else f"the {rows} rows of each process in a batch of {batch}"
    remedy = f"the least share that would do is {least:g}" if least else "a larger batch would do"
    raise ArgumentError(
        "objectives", f"expected a row of each in {what}, got no row of {' and '.join(without)}; {remedy}"
    )


def _people(tokens: FactTokens, random: Random, rows: int) -> Integer[np.ndarray, " rows"]:
    return random.integers(0, len(tokens.lines), rows)


def _facts(tokens: FactTokens, random: Random, rows: int) -> Integer[np.ndarray, " rows"]:
    return random.integers(0, len(tokens.asked), rows)


def _some(tokens: FactTokens, random: Random, people: Integer[np.ndarray, " rows"]) -> list[tuple[Spans, bool]]:
    """A span of each person's line behind the name, to be learnt."""
    rest = tokens.behind_name(people)
    length = random.integers(SPAN[0], SPAN[1] + 1, len(people))
    first = random.integers(0, np.maximum(rest[:, 1] - SPAN[0], 1))
    return [(part_of(rest, first, length), True), (tokens.mark, True)]
