"""attnlab robustness: the reference figures through the command, its options, its table, its picture, its refusals."""

import json
import re
import shlex
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from attnlab.attention.scenario import MOST_KEYS
from attnlab.benches.attention import robustness as robustness_bench
from attnlab.benches.attention.robustness import SCALES
from attnlab.settings import Range


@pytest.fixture
def measured(run):
    """The JSON value of the command with these options."""

    def measured(line: str = "") -> dict:
        ran = run("robustness", *shlex.split(line), "--json")
        assert ran.code == 0, ran.err
        return ran.json

    return measured


# Ten keys, one of them with a noisy norm: E[α_a], sd[α_a], the error, and that of two heads.
FIGURES = {
    1: (0.2237, 0.1165, 0.2255, 0.2878),
    5: (0.4947, 0.3860, 0.2838, 0.0448),
    10: (0.5000, 0.4420, 0.3905, 0.0310),
    20: (0.5000, 0.4712, 0.4440, 0.0259),
    100: (0.5000, 0.4943, 0.4887, 0.0226),
    1000: (0.5000, 0.4994, 0.4989, 0.0219),
}


@pytest.mark.parametrize("scale", FIGURES)
def test_the_figures_for_ten_keys(measured, scale):
    one = measured(f"--keys 10 --scale {scale} --heads 1 --norm-variance 0.5")
    two = measured(f"--keys 10 --scale {scale} --heads 2 --norm-variance 0.5")
    found = (one["weight_mean"]["a"], one["weight_sd"]["a"], one["error"], two["error"])
    assert tuple(round(each, 4) for each in found) == FIGURES[scale]


def test_the_fields(measured):
    value = measured("--keys 10 --scale 5 --heads 1 --norm-variance 0.5")
    assert list(value) == [
        "keys", "scale", "heads", "method", "directions", "points", "seed", "weight_mean", "weight_mean_bound",
        "weight_sd", "error", "error_bound", "standard_error",
    ]  # fmt: skip
    assert (value["keys"], value["scale"], value["heads"], value["method"]) == (10, 5, 1, "exact")
    assert value["error_bound"] <= 1e-9
    assert value["standard_error"] is None
    for name in ("weight_mean", "weight_mean_bound", "weight_sd"):
        assert list(value[name]) == ["a", "b", "other"]
    total = value["weight_mean"]["a"] + value["weight_mean"]["b"] + 8 * value["weight_mean"]["other"]
    assert total == pytest.approx(1, abs=1e-9)


def test_two_keys_have_no_others(measured):
    assert measured("--keys 2")["weight_mean"]["other"] is None


@pytest.mark.parametrize(("keys", "scale"), [(4, 1.248), (10, 2.136), (100, 4.464), (1000, 6.856)])
def test_best_scale(measured, keys, scale):
    value = measured(f"--keys {keys} --best-scale")
    assert round(value["scale"], 3) == scale
    assert value["unbounded"] is False


def test_best_scale_in_words(run, monkeypatch):
    monkeypatch.setattr(robustness_bench, "SCALES", ())
    assert (
        "best scale for one head: C = 1.24829, error 0.097472\n" in run("robustness", "--keys", "4", "--best-scale").out
    )
    told = run("robustness", "--keys", "4", "--best-scale", "--heads", "2").out
    assert "best scale for two heads: C = 10000, error 0.026217, and it falls further as C grows" in told


@pytest.mark.parametrize("method", ["monte-carlo", "quasi-monte-carlo"])
@pytest.mark.parametrize("options", ["", "--heads 2", "--keys 100 --scale 20", "--noisy a,b", "--normalise-keys"])
def test_draws_agree_within_four_standard_errors(measured, method, options):
    exact = measured(f"{options} --method exact")
    drawn = measured(f"{options} --method {method} --samples 20000 --seed 3")
    assert drawn["method"] == method
    assert drawn["error_bound"] >= 4 * drawn["standard_error"] > 0
    assert abs(drawn["error"] - exact["error"]) <= 4 * drawn["standard_error"] + exact["error_bound"]
    for name in ("a", "b", "other"):
        assert abs(drawn["weight_mean"][name] - exact["weight_mean"][name]) <= drawn["weight_mean_bound"][name] + 1e-6


def test_the_same_seed_gives_the_same_bytes(run):
    line = "robustness --method monte-carlo --samples 5000 --quantiles 0.5 --json --seed"
    first, again, other = (run(*line.split(), seed).out for seed in ("7", "7", "8"))
    assert first == again
    assert json.loads(first)["error"] != json.loads(other)["error"]


def test_either_key_or_both_may_be_noisy(measured):
    a, b, both = (measured(f"--noisy {noisy}") for noisy in ("a", "b", "a,b"))
    assert a["weight_mean"]["a"] == pytest.approx(b["weight_mean"]["b"], abs=1e-9)
    assert a["error"] == pytest.approx(b["error"], abs=1e-9)
    assert both["directions"] == 2
    assert both["error_bound"] <= 1e-6
    # Two noises: the logits of a and b differ with sd C, not C/√2, and the swing is wider.
    assert both["error"] > a["error"] + 0.01


def test_isotropic_noise(measured):
    """The logits of a and b differ with standard deviation 2C√α: small noise is harmless for small C only."""
    small, large = (measured(f"--keys 3 --norm-variance 0 --isotropic 1e-4 --scale {C}") for C in (10, 1000))
    assert small["method"] == large["method"] == "exact"
    assert small["error"] < 0.01 < 0.4 < large["error"]
    many = measured("--keys 10 --isotropic 0.01 --samples 4096")
    assert (many["method"], many["directions"], many["points"]) == ("quasi-monte-carlo", 9, 4096)


def test_normalised_keys_leave_the_sign(measured):
    """A key that is divided by its norm still turns round where 1 + γ < 0, which 1 − Φ(√2) of the draws do."""
    turned = 1 - 0.9213503964748574
    value = measured("--normalise-keys --scale 100")
    assert value["error"] == pytest.approx(turned / 2, abs=1e-8)
    assert value["weight_mean"]["a"] == pytest.approx((1 - turned) / 2, abs=1e-8)


def test_a_sink_takes_weight_from_all(measured):
    value = measured("--keys 4 --norm-variance 0 --scale 1 --sink 3")
    e = 2.718281828459045
    assert value["weight_mean"]["a"] == pytest.approx(e / (2 * e + 2 + 3), abs=1e-12)


def test_quantiles(measured, run):
    """One head's weight on a rises with γ, so its median is the weight at γ = 0: e^C / (2e^C + n − 2)."""
    value = measured("--keys 10 --scale 5 --quantiles 0.05,0.5,0.95")["quantiles"]
    assert list(value) == ["0.05", "0.5", "0.95"]
    assert value["0.05"] < value["0.5"] < value["0.95"]
    power = 2.718281828459045**5
    assert value["0.5"] == pytest.approx(power / (2 * power + 8), abs=1e-8)
    assert f"quantiles of α_a at C = 5: 0.5: {value['0.5']:.6f}\n" in run("robustness", "--quantiles", "0.5").out


@settings(deadline=None, max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@example(3, 937445.0, 2, 553555.5, "a", False, 349883.0)  # a bound of 1e-9, and rounding on top
@example(3, 961005.0, 2, 52.0, "a", False, 496374.0)  # many panels that are as wrong as they may be
@given(
    st.integers(2, 40),
    st.floats(-1e6, 1e6),
    st.integers(1, 4),
    st.floats(0, 1e6),
    st.sampled_from(["a", "b"]),
    st.booleans(),
    st.floats(0, 1e6),
)
def test_any_numbers_give_weights_that_are_weights(run, keys, scale, heads, variance, noisy, normalised, sink):
    line = f"--keys {keys} --scale={scale} --heads {heads} --norm-variance {variance} --noisy {noisy} --sink {sink}"
    ran = run("robustness", *line.split(), *["--normalise-keys"] * normalised, "--json")
    assert ran.code == 0
    value = ran.json
    mean = value["weight_mean"]
    total = mean["a"] + mean["b"] + (keys - 2) * (mean["other"] or 0)
    assert total <= 1 + 1e-8
    assert sink or total == pytest.approx(1, abs=1e-8)
    assert 0 <= value["error"] <= 1.5 + 1e-8
    assert value["error_bound"] < 1.001e-9  # the promise, but for rounding


def table(out: str) -> tuple[list[str], list[list[str]]]:
    """The headings and rows of the printed table, between the title and the words about the error."""
    _, heading, *rest = out.splitlines()
    rows = rest[: next(place for place, line in enumerate(rest) if line.startswith("error = "))]
    return re.split(r"  +", heading.strip()), [re.split(r"  +", row.strip()) for row in rows]


def test_the_table_over_scales(run):
    ran = run("robustness", "--keys", "10", "--scale", "3")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines()[0] == "10 keys, norm variance 0.5 on a: one head"
    headings, rows = table(ran.out)
    assert headings == [
        "C", "E[α_a]", "sd[α_a]", "E[α_b]", "E[other]", "error", "±", "two heads", "one/two",
    ]  # fmt: skip
    assert [row[0] for row in rows] == ["▸ 3" if scale == 3 else f"{scale:g}" for scale in sorted({*SCALES, 3.0})]
    found = {float(row[0].removeprefix("▸ ")): row for row in rows}
    for scale, (mean, sd, error, two) in FIGURES.items():
        assert [found[scale][i] for i in (1, 2, 5, 7)] == [f"{each:.4f}" for each in (mean, sd, error, two)]
    assert [found[scale][8] for scale in (1, 5, 10, 20, 100, 1000)] == [
        "0.78", "6.34", "12.60", "17.18", "21.66", "22.76",
    ]  # fmt: skip
    assert "error = E‖c − ½(v_a + v_b)‖², exact: quadrature over 1 noisy direction\n" in ran.out


def test_the_table_for_more_heads_has_one_beside_them(run):
    headings, rows = table(run("robustness", "--heads", "3", "--noisy", "a,b", "--keys", "4").out)
    assert headings[-2:] == ["one head", "one/3"]
    assert all(float(row[-1]) == pytest.approx(float(row[-2]) / float(row[5]), rel=0.01) for row in rows)


def test_the_title_says_what_was_asked(run, monkeypatch):
    monkeypatch.setattr(robustness_bench, "SCALES", ())
    line = "robustness --keys 3 --noisy a,b --isotropic 0.01 --normalise-keys --sink 2 --samples 1000 --seed 5"
    told = run(*line.split()).out
    words = "norm variance 0.5 on a,b and isotropic variance 0.01, keys normalised, sink 2"
    assert told.startswith(f"3 keys, {words}: one head\n")  # not folded, however wide
    assert (
        "1,000 random draws, seed 5; ± is four standard errors, plus a bound for events too rare to be drawn\n" in told
    )
    assert run("robustness", "--keys", "3", "--norm-variance", "0").out.startswith("3 keys, no noise: one head")


def test_rows_that_were_not_asked_for_have_fewer_draws(run, monkeypatch):
    monkeypatch.setattr(robustness_bench, "SCALES", (1.0,))
    monkeypatch.setattr(robustness_bench, "ROW_SAMPLES", 512)
    drawn = "robustness --keys 6 --isotropic 0.01 --samples 2048 --heads 2"
    told = run(*drawn.split()).out
    assert "512 draws at most in the rows without ▸, and for one head" in told
    assert "2,048 quasi-random draws" in told
    assert "at most" not in run("robustness", "--keys", "6", "--samples", "2048").out


@pytest.mark.parametrize(("ending", "begins"), [("png", b"\x89PNG\r\n"), ("svg", b'<svg role="img" aria-label="')])
def test_the_chart(run, tmp_path: Path, monkeypatch, ending, begins):
    """The example of the command's help draws an .html one."""
    monkeypatch.setattr(robustness_bench, "CURVE", [1.0, 10.0, 100.0])
    path = tmp_path / "new folder" / f"spread.{ending}"
    ran = run("robustness", "--keys", "4", "--plot", str(path), "--json")
    assert "plot" not in ran.json
    assert path.read_bytes().startswith(begins)
    assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_a_chart_is_refused_before_anything_is_computed(run, tmp_path: Path, monkeypatch):
    def measure(*arguments, **options):
        pytest.fail("computed first")

    monkeypatch.setattr(robustness_bench, "measure", measure)
    for name in ("spread.pdf", "spread", "spread.png.gz"):
        path = tmp_path / name
        assert run("robustness", "--plot", str(path)).refusal == (
            f"attnlab robustness: --plot: expected a file that ends in .png, .svg or .html, got '{path}'"
        )
    folder = tmp_path / "folder.png"
    folder.mkdir()
    assert run("robustness", "--plot", str(folder)).refusal == (
        f"attnlab robustness: {folder}: expected a file, got a folder"
    )


def test_json_measures_the_given_scale_alone(run, monkeypatch):
    scales = []
    original = robustness_bench.measure
    monkeypatch.setattr(
        robustness_bench, "measure", lambda *given, **how: scales.append(given[1]) or original(*given, **how)
    )
    assert run("robustness", "--scale", "3", "--json").code == 0
    assert scales == [3.0]
    assert run("robustness", "--scale", "3").code == 0
    assert len(scales) == 2 * len(SCALES) + 3  # the given scale is measured once more for two heads


KEYS = f"--keys: expected a whole number {Range(2, MOST_KEYS)}, got"
SCALE = f"--scale: expected a number {Range(-1e100, 1e100)}, got"
FINITE = f"--scale: expected a finite number {Range(-1e100, 1e100)}, got"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("--keys 1", f"{KEYS} 1; try 2"),
        ("--keys 0", f"{KEYS} 0; try 2"),
        ("--keys -3", f"{KEYS} -3; try 2"),
        ("--keys 5001", f"{KEYS} 5001; try 5000"),
        ("--scale nan", f"{FINITE} nan"),
        ("--scale inf", f"{FINITE} inf"),
        ("--scale -inf", f"{FINITE} -inf"),
        ("--scale 1e300", f"{SCALE} 1e300"),
        ("--norm-variance -1", "--norm-variance: expected a number of at least 0, got -1; try 0"),
        ("--norm-variance nan", "--norm-variance: expected a finite number of at least 0, got nan"),
        ("--isotropic -1", "--isotropic: expected a number of at least 0, got -1; try 0"),
        ("--isotropic inf", "--isotropic: expected a finite number of at least 0, got inf"),
        ("--noisy c", "--noisy: expected a, b or a,b; got 'c'"),
        ("--noisy a,c", "--noisy: expected a, b or a,b; got 'a,c'; did you mean a,b?"),
        ("--noisy ''", "--noisy: expected a, b or a,b; got ''"),
        ("--noisy ,", "--noisy: expected a, b or a,b; got ','"),
        ("--heads 0", "--heads: expected a whole number from 1 to 100, got 0; try 1"),
        ("--heads 101", "--heads: expected a whole number from 1 to 100, got 101; try 100"),
        ("--samples 1", "--samples: expected a whole number from 2 to 1,000,000,000,000, got 1; try 2"),
        ("--samples -5", "--samples: expected a whole number from 2 to 1,000,000,000,000, got -5; try 2"),
        ("--seed -1", "--seed: expected a whole number from 0 to 9,223,372,036,854,775,807, got -1; try 0"),
        ("--seed 9223372036854775808",
         "--seed: expected a whole number from 0 to 9,223,372,036,854,775,807, got 9223372036854775808"),
        ("--sink -1", "--sink: expected a number of at least 0, got -1; try 0"),
        ("--sink nan", "--sink: expected a finite number of at least 0, got nan"),
        ("--quantiles 0,1", "--quantiles: expected numbers above 0 and below 1, got 0"),
        ("--quantiles nan", "--quantiles: expected numbers above 0 and below 1, got nan"),
        ("--quantiles half", "--quantiles: expected a number, got 'half'"),
        ("--isotropic 0.1 --method exact",
         "--method: exact takes up to 3 noisy directions, got 9; use auto"),
    ],
)  # fmt: skip
def test_bad_input_is_named(run, line, message):
    """With --json or without: one line on stderr, nothing on stdout."""
    for how in ([], ["--json"]):
        assert run("robustness", *shlex.split(line), *how).refusal == f"attnlab robustness: {message}"


def test_quasi_random_draws_are_refused_where_they_cannot_help(run):
    line = "robustness --keys 100 --isotropic 0.1 --method quasi-monte-carlo"
    assert run(*line.split()).refusal.startswith(
        "attnlab robustness: --method: quasi-monte-carlo takes few noisy directions, got "
    )
