"""A sample of hostile inputs, the same in every run; `make fuzz` tries them by the hour.

Whatever comes: exit 0, 1 or 2, one line, in time, no traceback and no panic.
"""

import contextlib
import os
import signal
from collections.abc import Callable
from pathlib import Path
from random import Random
from time import process_time

import pytest
from hypothesis.strategies import integers, just
from tests.fuzz.__main__ import in_a_process, merged, new_row, note, plan
from tests.fuzz.kinds import facts_files
from tests.fuzz.readers import READINGS, Reading, read_facts
from tests.fuzz.running import NAMES, Outcome, _judged, routes, tried, try_batch

from attnlab.benches.attention.written import NUMBER
from attnlab.benches.sentiment.predictions import text_or_file
from attnlab.errors import AttnlabError
from attnlab.evaluation.explanation.costliest import _sentence_starts
from attnlab.text.preprocessing import STEPS

COUNTS = {"formulas": 25, "problems": 12, "classes": 4, "texts": 3, "runs": 5, "options": 5, "hf": 6, "http": 8}
COUNTS["jobs"] = 4  # of twelve requests each
OTHERS, READ = 12, 25
SECONDS = 10.0
"""The most processor seconds that an input of less than a megabyte may take."""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fuzz")


@pytest.mark.parametrize("kind", NAMES)
def test_hostile_inputs(as_installed, place: Path, kind: str):
    for number in range(COUNTS.get(kind, OTHERS)):
        found = tried(kind, number, place)
        assert not found.wrong, f"{kind} {number}: {found.given}"
        assert found.seconds < SECONDS


@pytest.mark.parametrize("kind", READINGS)
@pytest.mark.parametrize("route", ["reader", "hypothesis"])
def test_readers_of_hostile_inputs(as_installed, place: Path, kind: str, route: str):
    found: list[Outcome] = []
    try_batch(kind, route, 0, READ, place, found.append)
    assert len(found) > READ // 4
    assert [each.given + each.wrong for each in found if each.wrong] == []


def test_readers_accept_what_is_valid(as_installed, place: Path):
    """Else they would be tried with nothing but the first line of their checks."""
    for kind, reading in READINGS.items():
        accepted = 0
        for number in range(30):
            try:
                (place / "valid").mkdir(exist_ok=True)
                reading.read(reading.made(Random(number)), place / "valid")
                accepted += 1
            except AttnlabError:
                pass
        assert accepted, kind


def slow(value, folder):
    while value == 3:
        sum(range(1000))
    assert value != 5
    if value == 7:
        os.kill(os.getpid(), signal.SIGKILL)


def test_a_hang_a_traceback_and_a_crash_are_seen_and_cost_one_input_each(place: Path, monkeypatch):
    numbers = iter(range(1000))
    monkeypatch.setitem(READINGS, "formulas", Reading(lambda draws: next(numbers), lambda: integers(), slow))
    monkeypatch.setattr("tests.fuzz.__main__.PATIENCE", 0.3)
    row, failures, first = new_row("formulas", "reader"), [], 0
    while first < 10:
        done = 0
        for found in in_a_process("formulas", "reader", first, 10 - first, place):
            note(row, found, failures, first + done)
            done += 1
        first += done
        numbers = iter(range(first, 1000))
    assert (row["inputs"], row["tracebacks"], row["hangs"]) == (10, 2, 1)
    assert [each["number"] for each in failures] == [3, 5, 7]
    assert failures[1]["given"] == "5"
    twice = merged([{"rows": [row], "failures": failures}] * 2)
    assert twice["rows"][0]["inputs"] == 20


def test_an_input_that_hypothesis_drew_is_told_if_it_ends_the_process(place: Path, monkeypatch):
    def die(value, folder):
        os.kill(os.getpid(), signal.SIGKILL)

    monkeypatch.setitem(READINGS, "formulas", Reading(lambda draws: 0, lambda: just(("copy", "q = k_a")), die))
    (found,) = in_a_process("formulas", "hypothesis", 0, 3, place)
    assert (found["wrong"], found["given"]) == ("the process ended with -9", "('copy', 'q = k_a')")


def test_every_kind_and_route_is_in_the_plan():
    planned = plan(list(NAMES), 100_000, 0)
    assert {each[:2] for each in planned} == {(kind, route) for kind in NAMES for route in routes(kind)}
    assert 100_000 <= sum(each[3] for each in planned) < 101_000


FOUND = (
    "train {text} --steps 1 --threads 111111111111111111111111111111",
    "train {text} --model.layers 10000000",
    "train {text} --tokens byte-pairs --tokens.vocabulary 10000000000000000000",
)
"""Command lines that once ended in a traceback or a hang."""


FORMULAS = {
    "k_jᵀ q ≫ k_i for all i ≠ j": "copy",
    "k_jᵀ q C ≫ 0": "copy",
    "P = 2.5^{t}^{2.5^{t}}": "perplexity-base",
    "P = 2.5^{2.5}^{2.5^{t}}": "perplexity-base",
}
"""The same for formulas, with their problems."""


@pytest.mark.parametrize("answer", FORMULAS)
def test_formulas_that_were_found(as_installed, answer: str):
    began = process_time()
    assert _judged(["check", FORMULAS[answer], answer]) == ""
    assert process_time() - began < 5


@pytest.mark.parametrize("line", FOUND)
def test_what_was_found(as_installed, place: Path, line: str):
    (place / "text.txt").write_text("To be, or not to be: that is the question.\n" * 9)
    assert _judged(line.format(text=place / "text.txt").split()) == ""


def long_facts(line: str = "", question: str = "") -> Callable[[Path], object]:
    """Reads facts with one long line or question more."""

    def read(folder: Path) -> object:
        more = {"lines.txt": line, "training.tsv": question}
        found = {name: f"{text}{more.get(name, '')}".encode() for name, text in facts_files().items()}
        return read_facts(found, folder)

    return read


def long_path(folder: Path) -> object:
    return list(text_or_file("/" * 100_000 + " x"))


LONG: dict[str, Callable[[Path], object]] = {
    "a question": long_facts(question="a b " * 5_000 + "?\tOslo\n"),
    "a question of signs": long_facts(question="." * 400_000 + "?\tOslo\n"),
    "a line of initials": long_facts(line="A. " * 60_000 + "\n"),
    "line ends": lambda folder: _sentence_starts("\n" * 200_000),
    "spaces": lambda folder: STEPS["lines"].pattern.sub(" ", " " * 200_000 + "x"),
    "slashes": long_path,
    "digits": lambda folder: NUMBER.fullmatch("1" * 200_000 + "x"),
}
"""Long inputs, all below a megabyte, that once took from ten seconds to hours."""


@pytest.mark.parametrize("what", LONG)
def test_long_inputs_take_time_in_proportion_to_their_length(place: Path, what: str):
    began = process_time()
    with contextlib.suppress(AttnlabError):
        LONG[what](place)
    assert process_time() - began < 5
