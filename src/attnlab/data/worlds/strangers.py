"""Strangers: made-up people who are on no line, with names combined from real ones.

Every answer about a stranger is made up. Their names consist of known parts, so the name does not give them away.
"""

from random import Random

from attnlab.data.facts.facts import Fact, Facts, question_shape
from attnlab.settings import Range


def strangers(facts: Facts, count: int = 200, seed: int = 0) -> tuple[Fact, ...]:
    """Questions about `count` strangers, in the commonest shape: the given names of one person with the last name of
    another, such that nobody has that name. The answer is empty, because there is no true answer.

    There may be fewer strangers if there are too few such names.

    >>> from attnlab.data.facts.facts import Line
    >>> lines = tuple(Line(name, f"{name}. Born.") for name in ("Ada Byron", "Bo Berg", "Cher"))
    >>> known = Facts(lines, (Fact("Bo Berg", "Where was Bo Berg born?", "Bonn"),), ())
    >>> sorted(fact.question for fact in strangers(known))
    ['Where was Ada Berg born?', 'Where was Bo Byron born?']
    """
    Range(0).require("count", count)
    taken = {line.name for line in facts.lines} | {fact.name for fact in facts.training + facts.held_out}
    parts = [name.rpartition(" ") for name in dict.fromkeys(line.name for line in facts.lines) if " " in name]
    given, last = (list(dict.fromkeys(each)) for each in ([p[0] for p in parts], [p[2] for p in parts]))
    before, after = question_shape(facts.training)
    draw, tried, found = Random(seed).random, set[int](), list[Fact]()
    while len(found) < count and len(tried) < len(given) * len(last):
        number = int(draw() * len(given) * len(last))
        if number in tried:
            continue
        tried.add(number)
        name = f"{given[number // len(last)]} {last[number % len(last)]}"
        if name not in taken:
            found.append(Fact(name, f"{before}{name}{after}", ""))
    return tuple(found)
