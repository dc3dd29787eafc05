"""What benchmarks print of what they measured."""

import runpy
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import sympy

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


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ([0.9], "90.00% (1 seed)"),
        ([0.88, 0.9, 0.92], "90.00% ± 4.97 (3 seeds)"),
        ([0.89, 0.91] * 3, "90.00% ± 1.15 (6 seeds)"),  # 2.571 · 1.0954 / √6
        ([0.89, 0.91] * 5, "90.00% ± 0.75 (10 seeds)"),  # 2.262 · 1.0541 / √10
    ],
)
def test_the_interval_of_reviews_is_that_of_any_number_of_seeds(values: list[float], told: str):
    assert runpy.run_path(str(BENCHMARKS / "sentiment.py"))["spread"](values) == told


def test_what_order_is_worth_is_told_of_every_kind_of_model(capsys: pytest.CaptureFixture[str]):
    runpy.run_path(str(BENCHMARKS / "sentiment.py"))["reading"]("reviews", most=8, texts=128, seeds=1)
    first, *lines = capsys.readouterr().out.splitlines()
    assert first == "reviews, the first 8 words of a review, 3,600 to train on, 400 held out:"
    assert [line.split(":")[0].strip() for line in lines] == ["averaging", "recurrent", "Transformer"]


def test_reviews_need_a_seed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.setattr("sys.argv", ["sentiment.py", "--data", str(tmp_path), "--seeds", "0"])
    with pytest.raises(SystemExit, match="2"):
        runpy.run_path(str(BENCHMARKS / "sentiment.py"), run_name="__main__")
    assert "--seeds: expected at least 1, got 0" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("terms", "right"),
    [
        ([("C", "a + b")], True),
        ([("C", "a"), ("C + exp(-C)", "b")], True),
        ([("log(log(C))", "a + b"), ("exp(C)", "all")], True),
        ([("C**2", "a + b"), ("log(C)", "a")], False),
        ([("C*(n - 5)**2", "a + b")], False),  # for five keys, q is 0
    ],
)
def test_limits_decide_which_answers_of_the_benchmark_are_right(terms, right):
    meaning = meanings()
    symbols = {"C": meaning["C"], "n": meaning["n"]}
    query = meaning["query"](*((sympy.sympify(share, locals=symbols), keys) for share, keys in terms))
    assert meaning["gives"]((query,), meaning["even"]) is right


@cache
def meanings() -> dict[str, Any]:
    return runpy.run_path(str(BENCHMARKS / "answer_meanings.py"))
