"""Lines of random letters that repeat."""

import pytest

from attnlab.data.texts.loading import load_text
from attnlab.data.worlds.repeats import LENGTH, LETTERS, LINES, PERIODS, repeats
from attnlab.errors import ArgumentError


def period_of(line: str) -> int:
    """The distance to the first letter's next copy."""
    return line.index(line[0], 1)


def test_every_line_repeats_different_letters_with_a_period_of_its_own():
    lines = repeats(400, periods=(3, 9), length=30).splitlines()
    assert {period_of(line) for line in lines} == set(range(3, 10))
    for line in lines:
        period = period_of(line)
        assert len(line) == 30
        assert len(set(line[:period])) == period
        assert line == (line[:period] * 30)[:30]
        assert set(line) <= set(LETTERS)


def test_a_seed_draws_the_same_text_again_and_another_seed_other_lines():
    first, again, other = repeats(50), repeats(50), repeats(50, seed=1)
    assert first == again
    assert not set(first.splitlines()) & set(other.splitlines())


def test_no_line_of_the_named_text_is_in_two_parts():
    text = load_text("repeats")
    parts = [text.train.splitlines(), text.validation.splitlines(), text.test.splitlines()]
    assert sum(map(len, parts)) == LINES == len(set().union(*parts))
    assert all(len(line) == LENGTH for part in parts for line in part)
    assert {period_of(line) for line in parts[2]} == set(range(PERIODS[0], PERIODS[1] + 1))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"periods": (5, 4)}, "periods: expected two numbers from 1 to 26, the smaller one first; got 5 and 4"),
        ({"periods": (5, 27)}, "periods: expected two numbers from 1 to 26, the smaller one first; got 5 and 27"),
        ({"length": 0}, "length: expected a whole number of at least 1, got 0; try 1"),
        ({"lines": 0}, "lines: expected a whole number of at least 1, got 0; try 1"),
    ],
)
def test_bad_options_are_named(options, message):
    with pytest.raises(ArgumentError) as error:
        repeats(**options)
    assert str(error.value) == message
