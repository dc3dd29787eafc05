"""A sample of hostile inputs, the same in every run; `make fuzz` tries them by the hour.

Whatever comes: exit 0, 1 or 2, one line, in time, no traceback and no panic.
"""

from pathlib import Path

import pytest
from tests.fuzz.running import NAMES, _judged, tried

COUNTS = {
    "formulas": 60,
    "problems": 40,
    "classes": 6,
    "matrices": 30,
    "texts": 5,
    "runs": 8,
    "options": 8,
    "hf": 12,
    "http": 15,
}
OTHERS = 25
SECONDS = 10.0
"""An input of less than a megabyte may take so many seconds of processor time."""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fuzz")


@pytest.mark.parametrize("kind", NAMES)
def test_hostile_inputs(as_installed, place: Path, kind: str):
    for number in range(COUNTS.get(kind, OTHERS)):
        found = tried(kind, number, place)
        assert not found.wrong, f"{kind} {number}: {found.given}"
        assert found.seconds < SECONDS


FOUND = (
    "train {text} --steps 1 --threads 111111111111111111111111111111",
    "train {text} --model.layers 10000000",
    "train {text} --tokens byte-pairs --tokens.vocabulary 10000000000000000000",
)
"""Command lines that once ended in a traceback or a hang."""


FORMULAS = {"k_jᵀ q ≫ k_i for all i ≠ j": "copy", "k_jᵀ q C ≫ 0": "copy"}
"""The same for formulas, with their problems."""


@pytest.mark.parametrize("answer", FORMULAS)
def test_formulas_that_were_found(as_installed, answer: str):
    assert _judged(["check", FORMULAS[answer], answer]) == ""


@pytest.mark.parametrize("line", FOUND)
def test_what_was_found(as_installed, place: Path, line: str):
    (place / "text.txt").write_text("To be, or not to be: that is the question.\n" * 9)
    assert _judged(line.format(text=place / "text.txt").split()) == ""
