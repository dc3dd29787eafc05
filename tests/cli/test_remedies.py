"""attnlab remedies: the table and the JSON value say what the bench found, and bad input is named.

The example in its help, which `test_commands` runs, asks the real bench; here the answer is given, to see each digit.
"""

import re
import shlex
from pathlib import Path

import pytest

from attnlab.attention import AveragingQuestion, Remedy
from attnlab.benches.attention import remedies as remedies_bench
from attnlab.settings import Range

FOUND = [
    Remedy("the usual advice", "50(μ_a + μ_b)", 0.48871234, 2e-10, "exact", False),
    Remedy("falls for ever", "Cμ_a, Cμ_b", 0.02185402, 3e-10, "exact", True),
    Remedy("small", "small", 2.0633e-05, 8e-18, "exact", False),
    Remedy("as good as 0", "−50 Σ μ_other", 1e-9, 0.0, "exact", False),
]
LINE = "remedies --keys 5 --noisy a,b --norm-variance 0.25 --isotropic 0.01 --scale 50 --heads 3 --seed 4"


@pytest.fixture
def asked(monkeypatch) -> list:
    """What the bench is asked; it answers FOUND."""
    asked = []

    def remedies(setting, *, progress, **options):
        for each in FOUND:
            progress(each.name)
        asked.append((setting, options))
        return FOUND

    monkeypatch.setattr(remedies_bench, "measure_remedies", remedies)
    return asked


def test_the_options_reach_the_bench(run, asked):
    run(*LINE.split(), "--json")
    assert asked == [(AveragingQuestion(5, ("a", "b"), 0.25, 0.01), {"scale": 50.0, "heads": 3, "seed": 4})]


def test_the_value(run, asked):
    value = run(*LINE.split(), "--json").json
    assert value["keys"] == 5
    assert [Remedy(**each) for each in value["remedies"]] == FOUND


def test_the_table(run, asked):
    told = run(*LINE.split())
    assert (told.code, told.err) == (0, "")
    title = "What helps: 5 keys, norm variance 0.25 on a,b and isotropic variance 0.01"
    assert told.out.splitlines()[0] == title
    assert [re.split(r"  +", row) for row in told.out.splitlines()[1:-1]] == [
        ["remedy", "queries", "error", "±", "times smaller"],
        ["the usual advice", "50(μ_a + μ_b)", "0.4887", "2e-10", "1"],
        ["falls for ever", "Cμ_a, Cμ_b", "0.0219", "3e-10", "22.4"],
        ["small", "small", "2.1e-05", "8e-18", "2.37e+04"],
        ["as good as 0", "−50 Σ μ_other", "< 1e-06", "0e+00", "> 5e+05"],
    ]
    assert told.out.endswith("\nerror = E‖c − ½(v_a + v_b)‖²; times smaller than in the first row\n")


def test_the_chart(run, asked, tmp_path: Path):
    path = tmp_path / "remedies.svg"
    assert run(*LINE.split(), "--plot", str(path)).out.endswith(f"\nthe chart is in {path}\n")
    drawn = path.read_text(encoding="utf-8")
    for text in ("the usual advice: 0.4887", "small: 2.1e-05", "as good as 0: &lt; 1e-06"):
        assert text in drawn


SCALE = f"--scale: expected a number {Range(0, 1e100)}, got"
FINITE = f"--scale: expected a finite number {Range(0, 1e100)}, got"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("--keys 1", "--keys: expected a whole number from 2 to 5,000, got 1; try 2"),
        ("--heads 0", "--heads: expected a whole number from 1 to 100, got 0; try 1"),
        ("--scale nan", f"{FINITE} nan"),
        ("--scale inf", f"{FINITE} inf"),
        ("--scale -1", f"{SCALE} -1; try 0"),
        ("--scale 0", "--scale: expected a number above 0 and below 1e+150, got 0"),
        ("--seed -1", "--seed: expected a whole number from 0 to 9,223,372,036,854,775,807, got -1; try 0"),
        ("--noisy c", "--noisy: expected a, b or a,b; got 'c'"),
        ("--norm-variance -1", "--norm-variance: expected a number of at least 0, got -1; try 0"),
        ("--isotropic nan", "--isotropic: expected a finite number of at least 0, got nan"),
        ("--isotropic inf", "--isotropic: expected a finite number of at least 0, got inf"),
    ],
)
def test_bad_input_is_named(run, line, message):
    assert run("remedies", *shlex.split(line)).refusal == f"attnlab remedies: {message}"
