"""Strangers: names of known parts that nobody has."""

import pytest

from attnlab.data.facts.facts import Fact, Facts, Line
from attnlab.data.worlds.biographies.biographies import biographies
from attnlab.data.worlds.strangers import strangers
from attnlab.errors import ArgumentError

FACTS = biographies(60).facts()


def test_nobody_has_their_names_and_everybody_has_a_part_of_them():
    found = strangers(FACTS, 100, seed=3)
    names = {line.name for line in FACTS.lines}
    assert len({fact.name for fact in found}) == 100
    assert not names & {fact.name for fact in found}
    for fact in found:
        given, _, last = fact.name.rpartition(" ")
        assert any(name.startswith(f"{given} ") for name in names)
        assert any(name.endswith(f" {last}") for name in names)
        assert fact.question == f"Where was {fact.name} born?"
        assert fact.answer == ""


def test_the_same_seed_draws_the_same_and_another_draws_others():
    assert strangers(FACTS, 20, seed=1) == strangers(FACTS, 20, seed=1)
    assert strangers(FACTS, 20, seed=1) != strangers(FACTS, 20, seed=2)
    assert strangers(FACTS, 30, seed=1)[:20] == strangers(FACTS, 20, seed=1)


def test_there_are_no_more_than_there_can_be():
    lines = tuple(Line(name, f"{name}. A poet.") for name in ("Ada Berg", "Bo Berg", "Cher"))
    asked = (Fact("Ada Berg", "Who is Ada Berg?", "a poet"),)
    assert strangers(Facts(lines, asked, ()), 5) == ()
    assert len(strangers(Facts((*lines, Line("Di Dahl", "Di Dahl.")), asked, ()), 50)) == 3


def test_people_who_are_asked_about_without_a_line_are_no_strangers():
    lines = (Line("Ada Berg", "Ada Berg. A poet."), Line("Bo Dahl", "Bo Dahl. A cook."))
    asked = (Fact("Ada Berg", "Who is Ada Berg?", "a poet"), Fact("Ada Dahl", "Who is Ada Dahl?", "a cook"))
    assert [fact.name for fact in strangers(Facts(lines, asked, ()))] == ["Bo Berg"]


def test_a_negative_number_is_refused():
    with pytest.raises(ArgumentError, match="count: expected a whole number of at least 0, got -1; try 0"):
        strangers(FACTS, -1)
