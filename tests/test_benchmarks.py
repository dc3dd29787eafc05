"""What benchmarks print of what they measured."""

import runpy
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ([50.0], "50.0 % (1 seed)"),
        ([49.0, 51.0], "50.0 ± 12.7 % (2 seeds)"),
        ([49.0, 50.0, 51.0], "50.0 ± 2.5 % (3 seeds)"),
        ([49.0, 49.0, 51.0, 51.0], "50.0 ± 1.8 % (4 seeds)"),
    ],
)
def test_the_interval_is_that_of_any_number_of_seeds(values: list[float], told: str):
    assert runpy.run_path(str(BENCHMARKS / "knowledge.py"))["over_seeds"](values) == told
