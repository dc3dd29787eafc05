"""The code that learns as it goes is a real one: a reader who knows only what came before gets the strings back."""

import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnlab.evaluation.coding.adaptive_code import END, before, encoded_nats, spelled_nats

STRINGS = st.lists(
    st.sampled_from(["", " ", "  ", "\r\n", "é", "^", "=", "ab", "a" * 9]) | st.text(max_size=4), max_size=25
)


class Coder:
    """Both ends of an arithmetic coder with exact fractions: given a number it reads, else it writes one."""

    def __init__(self, number: Fraction | None = None):
        self.number = number
        self.low, self.width = Fraction(0), Fraction(1)

    def choose(self, chances: Sequence[tuple[Hashable, Fraction]], wanted: Hashable = None) -> Hashable:
        """The one of the choices that is wanted, or that the number read lies in."""
        assert sum(chance for _, chance in chances) <= 1
        low = self.low
        for choice, chance in chances:
            width = self.width * chance
            here = choice == wanted if self.number is None else low <= self.number < low + width
            if here:
                self.low, self.width = low, width
                return choice
            low += width
        raise AssertionError(f"no room for {wanted!r}")


class Line:
    """One sequence of strings, encoded one after the other: the counts that both sides keep."""

    def __init__(self, coder: Coder, usual: Mapping[str, int]):
        self.coder = coder
        self.told = Counter(usual)
        self.new = 0
        self.counts: defaultdict[Hashable, Counter] = defaultdict(Counter)
        self.bytes: defaultdict[Hashable, Counter] = defaultdict(Counter)

    def tell(self, contexts: Sequence[Hashable], string: str | None = None) -> str:
        """Write a string, or read one."""
        n, known = self.told.total(), self.told
        new = Fraction(max(self.new, 1), n + 1)
        chances = {each: (1 - new) * count / n for each, count in known.items()}
        contexts = list(enumerate(contexts))
        for context in contexts:
            counts, among = self.counts[context], self.counts[context].total()
            chances = {each: (counts[each] + chance) / (among + 1) for each, chance in chances.items()}
            new /= among + 1
        wanted = string if string in known else None
        found = self.coder.choose([*chances.items(), (None, new)], wanted)
        self.new += found is None
        found = self._spell(string) if found is None else str(found)
        self.told[found] += 1
        for context in contexts:
            self.counts[context][found] += 1
        return found

    def _spell(self, string: str | None) -> str:
        given = None if string is None else [*string.encode(), END]
        found: list[int] = [END, END]
        while len(found) == 2 or found[-1] != END:
            contexts = [(), (found[-1],), (found[-2], found[-1])]
            chances = [Fraction(1, 257)] * 257
            for context in contexts:
                counts, among = self.bytes[context], self.bytes[context].total()
                chances = [(counts[each] + chance) / (among + 1) for each, chance in enumerate(chances)]
            byte = self.coder.choose([*enumerate(chances)], None if given is None else given[len(found) - 2])
            assert isinstance(byte, int)
            for context in contexts:
                self.bytes[context][byte] += 1
            found.append(byte)
        return bytes(found[2:-1]).decode()


@settings(max_examples=40, deadline=None)
@given(STRINGS, st.integers(1, 3), st.sampled_from([{}, {" ": 1}, {"": 5, " ": 3, "never": 2}]))
def test_a_reader_gets_the_strings_back_from_as_many_bits_as_are_charged(strings, kinds, usual):
    narrow = [n % kinds for n in range(len(strings))]
    writer = Coder()
    line = Line(writer, usual)
    for string, context in zip(strings, narrow, strict=True):
        line.tell((context, (context, 1)), string)
    reader = Line(Coder(writer.low + writer.width / 2), usual)
    assert [reader.tell((context, (context, 1))) for context in narrow] == strings
    contexts = np.array(narrow, np.int64)
    told = math.log(writer.width.denominator) - math.log(writer.width.numerator)
    assert encoded_nats(strings, (contexts, contexts), usual).sum() == pytest.approx(told, abs=1e-9)


def test_what_repeats_gets_cheap_and_what_never_does_is_not_announced_at_length():
    assert encoded_nats([" "] * 1000)[1:].sum() == pytest.approx(math.log(1000))
    different = [f"{n:03}" for n in range(500)]
    assert encoded_nats(different).sum() - spelled_nats(different).sum() == pytest.approx(math.log(500))


def test_what_is_usual_is_cheap_from_the_first():
    usual = {"": 28, " ": 28, "\n": 4}
    assert encoded_nats([" "], usual=usual)[0] == pytest.approx(-math.log(60 / 61 * 28 / 60))
    odd = encoded_nats(["?!"], usual=usual)[0]
    assert odd == pytest.approx(math.log(61) + spelled_nats(["?!"])[0])


def test_a_narrow_context_learns_for_itself():
    strings, kinds = ["a", "b"] * 200, np.array([0, 1] * 200)
    assert encoded_nats(strings, (kinds,))[-100:].mean() < 0.05 < encoded_nats(strings)[-100:].mean()


def test_a_long_string_has_its_price_and_no_string_has_none():
    assert 1000 < encoded_nats(["x" * 3 + "".join(map(chr, range(200, 800)))])[0] < 10_000
    assert encoded_nats([]).tolist() == []
    assert before(np.array([3, 3, 1, 3, 1])).tolist() == [0, 1, 0, 2, 1]
