"""Resemblance of names, against its definition pair by pair."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnlab.evaluation.knowledge.names import edits, likeness, parts, resemblance, resemblances

word = st.text("abcé", max_size=7)
name = st.lists(word, max_size=4).map(" ".join)


def by_definition(one: str, other: str) -> float:
    ours, theirs = parts(one), parts(other)
    if not ours + theirs:
        return 0.0
    best = [max((likeness(part, each) for each in theirs), default=0.0) for part in ours]
    best += [max((likeness(part, each) for each in ours), default=0.0) for part in theirs]
    return sum(best) / len(best)


@given(st.lists(name, max_size=5), st.lists(name, max_size=5))
def test_all_pairs_at_once_are_as_one_by_one(asked, known):
    found = resemblances(asked, known)
    assert found.shape == (len(asked), len(known))
    expected = [[by_definition(one, other) for other in known] for one in asked]
    np.testing.assert_allclose(found, np.array(expected).reshape(found.shape), atol=1e-12)


@given(name, name)
def test_it_is_mutual_and_between_0_and_1(one, other):
    assert 0 <= resemblance(one, other) <= 1
    assert resemblance(one, other) == pytest.approx(resemblance(other, one))
    assert resemblance(one, one) == (1 if parts(one) else 0)


@given(word, word, word)
def test_edits_are_a_distance(one, other, third):
    assert (edits(one, other) == 0) == (one == other)
    assert edits(one, other) == edits(other, one)
    assert abs(len(one) - len(other)) <= edits(one, other) <= max(len(one), len(other))
    assert edits(one, third) <= edits(one, other) + edits(other, third)


def all_edited(one: str) -> set[str]:
    """Everything that one edit makes of a word."""
    cut = [(one[:place], one[place:]) for place in range(len(one) + 1)]
    return (
        {a + b[1:] for a, b in cut if b}
        | {a + letter + b for a, b in cut for letter in "ab"}
        | {a + letter + b[1:] for a, b in cut if b for letter in "ab"}
    )


@given(st.text("ab", max_size=5), st.text("ab", max_size=5))
def test_edits_are_as_few_as_a_search_finds(one, other):
    reached, steps = {one}, 0
    while other not in reached:
        reached |= {new for each in reached for new in all_edited(each) if len(new) <= 6}
        steps += 1
    assert edits(one, other) == steps


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("John Smith", "Mary Smith", 0.5),
        ("John Smith", "John Brown", 0.5),
        ("JOSÉ  Díaz", "Jose Diaz", 1.0),
        ("Jon Smith", "John Smith", (2 + 2 * 0.75) / 4),
        ("Al Smith", "Ed Smith", 0.5),  # two edits of two letters leave nothing
        ("Ann", "", 0.0),
        ("", "", 0.0),
        ("a" * 5000, "a" * 4999, 0.0),
        ("a" * 5000, "a" * 5000, 1.0),
    ],
)
def test_what_names_resemble(one, other, expected):
    assert resemblance(one, other) == pytest.approx(expected)
