"""attnlab design: keys from every kind of file, copies and mixes, proofs of impossibility, and bad input named."""

import shlex
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

KEYS = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0], [0.0, 0.0]])  # key 3 is the mean of the others


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.save("keys.npy", KEYS)
    Path("keys.csv").write_text("x,y\n" + "\n".join(",".join(map(str, row)) for row in KEYS))
    save_file({"keys": torch.from_numpy(KEYS), "twins": torch.ones(2, 2)}, "keys.safetensors")
    Path("bad.csv").write_text("1,0\n0,nan\n")
    np.save("bad.npy", np.array([[1.0, np.inf]]))
    Path("keys.txt").write_text("1,0\n")
    Path("empty.csv").write_text("")
    np.save("many.npy", np.eye(30))


def weights(query: list[float]) -> np.ndarray:
    powers = np.exp(KEYS @ query)
    return powers / powers.sum()


@pytest.mark.parametrize("ending", ["npy", "csv", "safetensors"])
def test_a_copy_from_every_kind_of_file(run, ending):
    ran = run("design", "--keys", f"keys.{ending}", "--copy", "1", "--tolerance", "0.01", "--json")
    value = ran.json
    assert (ran.code, value["possible"]) == (0, True)
    assert value["weights"] == pytest.approx(weights(value["query"]), abs=1e-12)
    assert value["weights"][1] == pytest.approx(0.99, abs=1e-9)
    assert value["error"] == pytest.approx(0.01, abs=1e-9)
    assert value["error"] <= value["error_bound"]
    assert value["norm"] == pytest.approx(np.linalg.norm(value["query"]))


def test_a_mix(run):
    value = run("design", "--keys", "keys.npy", "--mix", "0=0.7, 1=0.3", "--json").json
    reached = weights(value["query"])
    assert reached[0] / reached[1] == pytest.approx(7 / 3)
    assert value["error"] == pytest.approx(np.abs(reached - [0.7, 0.3, 0, 0]).max(), abs=1e-12)
    assert value["error"] <= 0.001 * (1 + 1e-9)
    assert value["leak"] == pytest.approx(reached[2:].sum(), abs=1e-12)


def test_a_norm_instead_of_a_tolerance(run):
    value = run("design", "--keys", "keys.npy", "--copy", "0", "--norm", "2", "--json").json
    assert value["norm"] == pytest.approx(2)
    assert value["weights"] == pytest.approx(weights(value["query"]), abs=1e-12)


def test_a_tensor_by_name(run):
    twins = run("design", "--keys", "keys.safetensors", "--tensor", "twins", "--mix", "0=0.75,1=0.25", "--json")
    assert (twins.code, twins.json["certificate"]["kind"]) == (1, "dependency")
    assert twins.json["reason"] == (
        "keys 0 and 1 are equal, so every query gives them the same weight; the target wants 3 times as much for key 0"
    )


def test_no_copy_and_its_proof(run):
    ran = run("design", "--keys", "keys.npy", "--copy", "3", "--json")
    proof = ran.json["certificate"]
    assert (ran.code, ran.json["possible"], proof["kind"]) == (1, False, "containment")
    assert np.array(proof["coefficients"]) @ KEYS == pytest.approx(KEYS[3], abs=1e-12)
    assert min(proof["coefficients"]) >= 0
    assert sum(proof["coefficients"]) == pytest.approx(1)
    assert weights(proof["best_query"])[3] == pytest.approx(1 - proof["leak"], abs=1e-6)


def test_a_target_with_no_other_key_has_no_margin(run):
    """An infinite margin is no JSON number."""
    np.save("two.npy", np.eye(2))
    assert run("design", "--keys", "two.npy", "--mix", "0=0.5,1=0.5", "--json").json["margin"] is None


@pytest.mark.parametrize(("small", "norm"), [("1e-300", 7.6e300), ("1e-100", 7.6e100)])
def test_a_query_whose_square_no_number_holds_has_a_length(run, small, norm):
    Path("keys.csv").write_text(f"0,0\n1,{small}\n2,0\n")
    line = ["design", "--keys", "keys.csv", "--copy", "1"]
    value = run(*line, "--json").json
    assert value["norm"] == pytest.approx(abs(value["query"][1]))
    assert value["norm"] == pytest.approx(norm, rel=0.01)
    assert run(*line).out.startswith(f"query, of norm {value['norm']:.6g}: (0, ")


def test_in_words(run):
    lines = run("design", "--keys", "keys.csv", "--copy", "1", "--norm", "3").out.splitlines()
    assert lines[0] == "query, of norm 3: (0, 3)"
    assert (
        lines[1]
        == "error 0.0926, proven to be at most 0.0926: the largest difference from the wanted weights, at key 1"
    )
    assert lines[2].split() == ["key", "wanted", "reached"]
    assert lines[4].split() == ["1", "1", f"{weights([0, 3])[1]:.6g}"]


def test_of_many_keys_the_largest_weights_are_shown(run):
    out = run("design", "--keys", "many.npy", "--copy", "25").out
    rows = [line.split() for line in out.splitlines()[3:-1]]
    assert len(rows) == 20
    assert ["25", "1", "0.999"] in rows
    assert out.splitlines()[-1].strip() == "the 20 largest of 30"
    assert ", …)" in out.splitlines()[0]


@pytest.mark.parametrize(
    ("line", "told", "bars"),
    [
        ("--copy 0", "The weights of the keys, wanted and reached; they differ by at most 0.001.", 8),
        ("--copy 3", "which no query reaches, and the weights of a query that tries.", 8),
        ("--keys keys.safetensors --tensor twins --mix 0=0.75,1=0.25", "which no query reaches.", 2),
    ],
)
def test_the_chart(run, line, told, bars):
    run("design", "--keys", "keys.npy", *line.split(), "--plot", "weights.svg")
    drawn = Path("weights.svg").read_text(encoding="utf-8")
    assert told in drawn
    assert drawn.count('aria-roledescription="bar"') == bars


EITHER = "expected either --copy KEY or --mix KEY=WEIGHT,…; got"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("--keys keys.npy", f"{EITHER} neither"),
        ("--keys keys.npy --mix ''", f"{EITHER} neither"),
        ("--keys keys.npy --copy 1 --mix 0=1", f"{EITHER} both"),
        ("--keys keys.npy --copy 4", "--copy: expected a key number from 0 to 3, got 4"),
        ("--keys keys.npy --copy -1", "--copy: expected a key number from 0 to 3, got -1"),
        ("--keys keys.npy --mix 0=0.5,4=0.5", "--mix: expected a key number from 0 to 3, got 4"),
        ("--keys keys.npy --mix 0=0.5,2=0.6", "--mix: expected weights that sum to 1, got a sum of 1.1"),
        ("--keys keys.npy --mix 0=1.5,2=-0.5", "--mix: expected weights above 0 that sum to 1, got -0.5 for key 2"),
        ("--keys keys.npy --mix 0=nan", "--mix: expected weights above 0 that sum to 1, got nan for key 0"),
        ("--keys keys.npy --mix 0=0.5,2", "--mix: expected KEY=WEIGHT such as 0=0.5, got '2'"),
        ("--keys keys.npy --mix foo", "--mix: expected KEY=WEIGHT such as 0=0.5, got 'foo'"),
        ("--keys keys.npy --mix 0=1,", "--mix: expected KEY=WEIGHT such as 0=0.5, got ''"),
        ("--keys keys.npy --mix 0=0.5,0=0.5", "--mix: key 0 is given twice"),
        ("--keys keys.npy --copy 0 --tolerance 0.1 --norm 2", "--norm: expected a tolerance or a norm, got both"),
        ("--keys keys.npy --copy 0 --tolerance 0", "--tolerance: expected a number above 1e-15 and below 1, got 0"),
        ("--keys keys.npy --copy 0 --tolerance nan", "--tolerance: expected a number above 1e-15 and below 1, got nan"),
        ("--keys keys.npy --copy 0 --norm inf", "--norm: expected a number from 0 to 1e+150, got inf"),
        ("--keys keys.npy --mix 0=0.9,1=0.1 --norm 0.1",
         "--norm: the wanted ratios need at least 1.55367, got 0.1"),
        ("--keys none.npy --copy 0", "none.npy: there is no such file"),
        ("--keys . --copy 0", ".: expected a file that ends in .npy, .csv or .safetensors"),
        ("--keys keys.txt --copy 0", "keys.txt: expected a file that ends in .npy, .csv or .safetensors"),
        ("--keys empty.csv --copy 0", "empty.csv: the file is empty"),
        ("--keys bad.csv --copy 0", "bad.csv, line 2: expected a finite number, got 'nan'"),
        ("--keys bad.npy --copy 0",
         "bad.npy: expected finite numbers, got inf at row 0, column 1, counted from 0"),
        ("--keys keys.safetensors --tensor values --copy 0",
         "keys.safetensors: expected a tensor called 'values'; the file holds keys, twins"),
        ("--keys keys.npy --tensor keys --copy 0",
         "--tensor: works only with .safetensors files; a .npy file holds one matrix"),
    ],
)  # fmt: skip
def test_bad_input_is_named(run, line, message):
    assert run("design", *shlex.split(line)).refusal == f"attnlab design: {message}"
