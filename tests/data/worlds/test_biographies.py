"""The truth about generated people is true: a reader of their lines comes to the same; and dials do what they say."""

import hashlib
import re
import subprocess
import sys
from collections import Counter
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnlab.data.facts.facts import open_facts
from attnlab.data.worlds.biographies import vocabulary as words
from attnlab.data.worlds.biographies.biographies import Biographies, biographies
from attnlab.data.worlds.biographies.names import FIRST, MEN, WOMEN, Name, blurred, last_names, resemblance
from attnlab.data.worlds.biographies.people import Person
from attnlab.errors import ArgumentError

CITY = re.compile("|".join(rf"\b{place.city}\b" for place in words.PLACES))
WORLD = biographies(1500, rewrites=2, orders=2, distractors=2, colliding=0.02, seed=5)

# What a reader of English knows, written down once more: how a sentence says where somebody was born.
BORN = re.compile(
    r"born (?:(?:on )?[\w, ]+? )?(?:in|at) (\w+)|\((?:\d+ \w+|\w+ \d+,) \d+, (\w+)\)|native of (\w+)|of (\w+) by birth",
    re.IGNORECASE,
)

Dials = dict[str, Any]
DIALS = st.fixed_dictionaries(
    {
        "people": st.integers(2, 60),
        "rewrites": st.integers(1, 4),
        "orders": st.integers(1, 6),
        "resembling": st.floats(0, 0.7),
        "colliding": st.floats(0, 0.3),
        "distractors": st.integers(0, 2),
        "strangers": st.integers(0, 20),
        "seed": st.integers(0, 10_000),
    }
)


def lines_by_person(world: Biographies) -> list[tuple[Person, list[str]]]:
    each = world.rewrites * world.orders
    assert len(world.lines) == each * len(world.people)
    texts = [line.text for line in world.lines]
    return [(person, texts[place * each : (place + 1) * each]) for place, person in enumerate(world.people)]


@given(DIALS)
@settings(max_examples=40, deadline=None)
def test_a_line_names_the_birthplace_once_and_as_many_others_as_wanted(dials: Dials):
    world = biographies(**dials)
    for person, texts in lines_by_person(world):
        assert len(set(texts)) == len(texts)
        wanted = [person.birthplace, person.workplace, person.studied][: world.distractors + 1]
        assert len(set(wanted)) == len(wanted)
        for text in texts:
            assert text.startswith(f"{person.name}. ")
            assert Counter(CITY.findall(text)) == Counter(place.city for place in wanted)
            assert all(each in text for each in (person.job, person.employer, person.subject, str(person.born.year)))


@given(DIALS)
@settings(max_examples=40, deadline=None)
def test_names_differ_unless_they_are_wanted_to_resemble(dials: Dials):
    """Every two people are compared, and every stranger with all people and strangers."""
    world = biographies(**dials)
    everybody = [*world.people, *world.strangers]
    seen: dict[int, list[tuple[str, str]]] = {}
    for (a, one), (b, other) in combinations(enumerate(everybody), 2):
        if part := resemblance(one.parts, other.parts):
            assert one.birthplace != other.birthplace
            seen.setdefault(b, []).append((one.name, part))
            if b < len(world.people):  # a stranger is like somebody, who need not be like a stranger
                seen.setdefault(a, []).append((other.name, part))
    for place, person in enumerate(everybody):
        assert seen.get(place, []) == ([(person.like, person.differs)] if person.like else [])
    names = Counter(person.name for person in everybody)
    same = {person.name for person in world.people if person.differs == "nothing"}
    assert {name for name, count in names.items() if count > 1} == same
    assert all(names[name] == 2 for name in same)


@given(
    st.integers(2, 200), st.floats(0, 0.6), st.floats(0, 0.4), st.integers(0, 50), st.integers(0, 100)
)  # fmt: skip
@settings(max_examples=60, deadline=None)
def test_rates_are_those_asked_for(people, resembling, colliding, strangers, seed):
    world = biographies(people, resembling=resembling, colliding=colliding, strangers=strangers, seed=seed)
    found = Counter("same" if p.differs == "nothing" else "alike" if p.like else "" for p in world.people)
    assert len(world.people) == people
    assert abs(found["alike"] - resembling * people) <= 1 + 1e-9
    assert abs(found["same"] - colliding * people) <= 2 + 1e-9  # what the pairs that resemble have left
    assert len(world.strangers) == strangers
    alike = sum(bool(stranger.like) for stranger in world.strangers)
    assert abs(alike - min(resembling * strangers, found[""])) <= 0.5 + 1e-9


@given(DIALS, st.integers(0, 2), st.integers(0, 2), st.integers(0, 2), st.integers(0, 30))
@settings(max_examples=15, deadline=None)
def test_how_people_are_written_about_does_not_change_who_they_are(
    dials: Dials, rewrites: int, orders: int, distractors: int, strangers: int
):
    world = biographies(**dials)
    again = biographies(**dials)
    assert (again, again.lines) == (world, world.lines)
    more = {"rewrites": world.rewrites + rewrites, "orders": min(world.orders + orders, 6), "strangers": strangers}
    longer = biographies(**{**dials, **more})
    assert longer.people == world.people
    assert set(longer.lines) >= set(world.lines)
    other = biographies(**{**dials, **more, "distractors": distractors})
    assert other.people == world.people
    if len({person.name for person in world.people}) > 1:
        asked, others = (each.facts(0.5, 0.3) for each in (world, other))
        assert (asked.training, asked.held_out) == (others.training, others.held_out)


def test_a_reader_of_a_line_finds_the_birthplace():
    for person, texts in lines_by_person(WORLD):
        for text in texts:
            (found,) = BORN.findall(text)
            assert "".join(found) == person.birthplace.city, text


def test_where_the_birthplace_stands_does_not_tell():
    """In a third of all lines it is the first of three places, the second, or the last."""
    found = Counter(
        CITY.findall(text).index(person.birthplace.city) for person, texts in lines_by_person(WORLD) for text in texts
    )
    assert all(0.28 < count / len(WORLD.lines) < 0.39 for count in found.values())
    assert len(found) == 3


def test_other_places_are_drawn_as_birthplaces_are():
    """So how common a place is does not tell either."""
    kinds = [[getattr(person, kind) for person in WORLD.people] for kind in ("birthplace", "workplace", "studied")]
    for places in kinds:
        assert 0.05 < Counter(places)[words.PLACES[0]] / len(places) < 0.1
        assert len(set(places)) > 100


def test_every_wording_is_another_one():
    for distractors in (0, 2):
        world = biographies(2, rewrites=words.WORDINGS, orders=6, distractors=distractors)
        assert len({line.text for line in world.lines}) == len(world.lines) == 2 * words.WORDINGS * 6


def test_every_pattern_comes_and_in_every_order():
    def bare(pattern: str) -> str:
        return re.sub(r"\\\{\w+\\\}", r"[\\w,.& ]+?", re.escape(re.sub(r"[\[\]]", "", pattern)))

    texts = "\n".join(line.text for line in WORLD.lines)
    for pattern in (*words.BIRTHS, *words.WORKS, *words.STUDIES):
        assert re.search(bare(pattern), texts, re.IGNORECASE), pattern


def test_pronouns_follow_the_first_name_and_do_not_come_first():
    for person, texts in lines_by_person(WORLD):
        wrong = r"\b[Hh]e\b" if person.parts.first in WOMEN else r"\b[Ss]he\b"
        for text in texts:
            assert not re.search(wrong, text)
            first, *_ = text.removeprefix(f"{person.name}. ").replace(person.name, "NAME").split(". ")
            assert "NAME" in first or person.parts.last in first


def test_the_words_do_not_get_in_each_others_way():
    """A place must not stand in another, in a country, in a name or in an employer."""
    cities = [place.city for place in words.PLACES]
    assert len(set(cities)) == len(cities)
    rest = [*cities, *words.CITIES, *FIRST, *last_names(), *words.EMPLOYERS, *words.JOBS, *words.MONTHS]
    for city in cities:
        assert [each for each in rest if city in each] == [city]
    assert not set(WOMEN) & set(MEN)
    assert len(set(FIRST)) == len(FIRST)
    assert words.WORDINGS == 9 * 7 * 5


def test_one_letter_apart_is_what_edit_distance_says():
    def apart(one: str, other: str) -> int:
        row = list(range(len(other) + 1))
        for i, a in enumerate(one, start=1):
            row, before = [i], row
            for j, b in enumerate(other, start=1):
                row.append(min(before[j] + 1, row[-1] + 1, before[j - 1] + (a != b)))
        return row[-1]

    for one, other in combinations([*FIRST, *last_names()[::200]], 2):
        assert bool(blurred(one) & blurred(other)) == (apart(one, other) <= 1)


def test_what_resembles_what():
    name = Name("Anna", "B.", "Halby")
    for other, part in {
        Name("Anne", "B.", "Halby"): "first",
        Name("Anna", "", "Halby"): "middle",
        Name("Anna", "B.", "Halbey"): "last",
        name: "nothing",
        Name("Anne", "", "Halby"): None,
        Name("Eva", "B.", "Halby"): None,
        Name("Anna", "B.", "Torby"): None,
    }.items():
        assert resemblance(name, other) == resemblance(other, name) == part


def test_many_share_a_last_name():
    """Else the last name would say it all."""
    last = Counter(person.parts.last for person in WORLD.people if not person.like)
    assert 0.2 < sum(count for count in last.values() if count > 1) / sum(last.values()) < 0.6


def test_facts_ask_where_people_were_born():
    facts = WORLD.facts(0.6, 0.3)
    assert facts.lines == WORLD.lines
    counts = facts.counts
    assert (counts.without_line, counts.repeated_lines, counts.on_both_sides) == (0, 0, 0)
    assert counts.training == pytest.approx(0.6 * 1500, abs=15)
    assert counts.held_out == pytest.approx(0.3 * 1500, abs=15)
    born = {(person.name, person.birthplace.city) for person in WORLD.people}
    for fact in facts.training + facts.held_out:
        assert (fact.name, fact.answer) in born
        assert fact.question == f"Where was {fact.name} born?"
    assert facts.ceiling() == 1
    assert facts.commonest in {place.city for place in words.PLACES[:3]}
    assert 0.03 < facts.baseline() < 0.12
    assert set(facts.training) < set(WORLD.facts(0.7, 0.3).training)
    assert set(facts.held_out) > set(WORLD.facts(0.6, 0.2).held_out)


def test_strangers_are_in_no_line():
    asked = WORLD.unseen()
    assert len(asked) == 200
    facts = WORLD.facts()
    assert not any(facts.lines_of(fact.name) for fact in asked)
    alike = [stranger for stranger in WORLD.strangers if stranger.like]
    assert len(alike) == 40
    for stranger in alike:
        assert facts.lines_of(stranger.like)
        assert WORLD.lookalikes()[stranger.name] == stranger.like


def test_lookalikes_are_told_from_both_sides():
    found = WORLD.lookalikes()
    for person in WORLD.people:
        assert (person.name in found) == bool(person.like)
        if person.like:
            assert found[person.like] == person.name


def test_the_named_world_is_read_from_files_as_it_is(tmp_path):
    facts = open_facts("biographies")
    assert (facts.counts.lines, facts.counts.training, facts.counts.held_out) == (1000, 800, 200)
    (tmp_path / "lines.txt").write_text("".join(f"{line.text}\n" for line in facts.lines))
    for name, part in (("training", facts.training), ("held_out", facts.held_out)):
        (tmp_path / f"{name}.tsv").write_text("".join(f"{fact.question}\t{fact.answer}\n" for fact in part))
    assert open_facts(tmp_path) == facts


def test_the_same_on_every_machine():
    """The hash was taken once; another process with other hashes of strings, too, writes these lines."""
    code = "from attnlab.data.worlds.biographies.biographies import biographies as b; "
    code += "print(*(n.text for n in b(200).lines), sep='\\n')"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, encoding="utf-8")
    here = "".join(f"{line.text}\n" for line in biographies(200).lines)
    assert ran.stdout == here
    assert hashlib.sha256(here.encode()).hexdigest()[:16] == "3c10a74b3cc99235"


def test_seeds_differ():
    names = [{person.name for person in biographies(100, seed=seed).people} for seed in (1, 2)]
    assert len(names[0] & names[1]) < 5


@pytest.mark.parametrize(
    ("dials", "said"),
    [
        ({"people": 1}, "people: expected a whole number from 2 to 100,000, got 1; try 2"),
        ({"rewrites": 0}, "rewrites: expected a whole number from 1 to 315, got 0; try 1"),
        ({"orders": 7}, "orders: expected a whole number from 1 to 6, got 7; try 6"),
        ({"resembling": 1.5}, "resembling: expected a number from 0 to 1, got 1.5; try 1"),
        ({"resembling": float("nan")}, "resembling: expected a finite number from 0 to 1, got nan"),
        ({"colliding": -0.1}, "colliding: expected a number from 0 to 1, got -0.1; try 0"),
        ({"resembling": 0.7, "colliding": 0.5}, "resembling: expected resembling + colliding to be at most 1, got 1.2"),
        ({"distractors": 3}, "distractors: expected a whole number from 0 to 2, got 3; try 2"),
        ({"strangers": -1}, "strangers: expected a whole number from 0 to 100,000, got -1; try 0"),
        ({"seed": -1}, "seed: expected a whole number of at least 0, got -1; try 0"),
    ],
)
def test_worlds_that_cannot_be(dials, said):
    with pytest.raises(ArgumentError) as caught:
        biographies(**dials)
    assert str(caught.value) == said


@pytest.mark.parametrize(
    ("shares", "said"),
    [
        ((0.0, 0.2), "training: expected a share above 0 and below 1, such as 0.5; got 0.0"),
        ((0.5, 1.0), "held_out: expected a share above 0 and below 1, such as 0.5; got 1.0"),
        ((0.8, 0.4), "training: expected training + held_out of at most 1, got 1.2"),
    ],
)
def test_shares_that_cannot_be(shares, said):
    with pytest.raises(ArgumentError) as caught:
        WORLD.facts(*shares)
    assert str(caught.value) == said


def test_one_name_alone_cannot_be_split():
    with pytest.raises(ArgumentError, match="people: expected at least two different names to ask about, got 1"):
        biographies(2, resembling=0, colliding=1).facts()
