"""attnlab remedies: the table and the JSON value say what the bench found, and bad input is named.

The example in its help, which `test_commands` runs, asks the real bench; here the answer is given, to see each digit.
"""

import shlex

import pytest

import attnlab.attention
from attnlab.attention import AveragingQuestion, Remedy

FOUND = [
    Remedy("the usual advice", "50(μ_a + μ_b)", 0.48871234, 2e-10, "exact", False),
    Remedy("falls for ever", "Cμ_a, Cμ_b", 0.02185402, 3e-10, "exact", True),
    Remedy("small", "small", 2.0633e-05, 8e-18, "exact", False),
    Remedy("as good as none", "−50 Σ μ_other", 1e-9, 0.0, "exact", False),
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

    monkeypatch.setattr(attnlab.attention, "remedies", remedies)
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
    rows = [line for line in told.out.splitlines() if line[0] in "┃│"]
    assert [[cell.strip() for cell in row.strip("┃│").replace("┃", "│").split("│")] for row in rows] == [
        ["remedy", "error", "±", "times less", "queries"],
        ["the usual advice", "0.4887", "2e-10", "1", "50(μ_a + μ_b)"],
        ["falls for ever", "0.0219", "3e-10", "22.4", "Cμ_a, Cμ_b"],
        ["small", "2.1e-05", "8e-18", "2.37e+04", "small"],
        ["as good as none", "< 1e-06", "0e+00", "> 5e+05", "−50 Σ μ_other"],
    ]
    assert told.out.endswith("\nerror = E‖c − ½(v_a + v_b)‖²; times less than in the first row\n")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("--keys 1", "--keys: expected 2 to 5000 keys, of which a and b are two, got 1"),
        ("--heads 0", "--heads: expected a whole number from 1 to 100, got 0"),
        ("--scale nan", "--scale: expected a number from -1e+100 to 1e+100, got nan"),
        ("--scale inf", "--scale: expected a number from -1e+100 to 1e+100, got inf"),
        ("--seed -1", "--seed: expected a whole number from 0 to 9223372036854775807, got -1"),
        ("--noisy c", "--noisy: expected a, b or a,b, got c"),
        ("--norm-variance -1", "--norm-variance: expected a finite number, 0 or more, got -1"),
        ("--isotropic nan", "--isotropic: expected a finite number, 0 or more, got nan"),
    ],
)
def test_bad_input_is_named(run, line, message):
    assert run("remedies", *shlex.split(line)).refusal == f"attnlab remedies: {message}"
