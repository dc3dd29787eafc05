"""attnlab construct: matrices that do what is wanted, why there are none, what given ones do, and bad text named."""

from pathlib import Path

import numpy as np
import pytest

INPUTS = "x1 = d + b; x2 = a; x3 = c + b"
WANTS = "c2 = b; c1 = b - c"
V = "(u_b u_b^T - u_c u_c^T)/β²"
Q = "(u_d u_a^T + u_c u_d^T)/β²"
Q_OF_D = "(u_d u_a^T - u_c u_d^T)/β²"


def test_solved(run):
    ran = run("construct", "--inputs", INPUTS, "--wants", WANTS, "--json")
    value = ran.json
    assert (ran.code, value["possible"]) == (0, True)
    assert (value["Q"], value["K"], value["V"]) == (Q.replace("^T", "ᵀ"), "I", V.replace("^T", "ᵀ").replace("-", "−"))
    assert value["parts"] == ["a", "b", "c", "d"]
    assert value["attends"] == {"c1": ["x3"], "c2": ["x1"]}
    assert value["error"] <= value["error_bound"] < 1e-40


def test_the_matrices_found_do_it(run):
    """Plain softmax attention on the inputs, with the numbers that the command gives."""
    value = run("construct", "--inputs", INPUTS, "--wants", WANTS, "--beta", "6", "--json").json
    x = np.array([[0.0, 1, 0, 1], [1, 0, 0, 0], [0, 1, 1, 0]])
    q, k, v = (x @ np.array(value["matrices"][name]).T for name in "QKV")
    powers = np.exp(6**2 * q @ k.T)
    outputs = powers / powers.sum(1, keepdims=True) @ v
    assert outputs[:2] == pytest.approx(np.array([[0, 1, -1, 0], [0, 1.0, 0, 0]]), abs=1e-9)


def test_solved_in_words(run):
    assert run("construct", "--inputs", INPUTS, "--wants", WANTS).out.splitlines() == [
        "Q = (u_d u_aᵀ + u_c u_dᵀ)/β²",
        "K = I",
        "V = (u_b u_bᵀ − u_c u_cᵀ)/β²",
        "c1 = u_b − u_c, read off x3",
        "c2 = u_b, read off x1",
        "at β = 10 the outputs are within 9e-44 of these values (in units of β)",
    ]


def test_one_sign_makes_it_fail(run):
    value = run("construct", "--inputs", INPUTS, "--Q", Q_OF_D, "--V", V, "--json").json
    assert value["limit"]["c1"] == "0.5 u_b"
    assert value["limit"]["c2"] == "u_b"
    assert value["outputs"][0] == pytest.approx([0, 0.5, 0, 0], abs=1e-12)
    assert np.array(value["weights"]).sum(1) == pytest.approx([1, 1, 1])
    right = run("construct", "--inputs", INPUTS, "--Q", Q, "--V", V, "--json").json
    assert (right["limit"]["c1"], right["limit"]["c2"]) == ("u_b − u_c", "u_b")


def test_evaluated_in_words(run):
    ran = run("construct", "--inputs", INPUTS)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines()[:3] == ["as β grows:", "  c1 = u_b + u_d", "  c2 = u_a"]


def test_a_given_V_is_kept_even_where_nothing_works_with_it(run):
    ran = run("construct", "--inputs", INPUTS, "--wants", "c2 = b", "--V", "I", "--json")
    assert (ran.code, ran.json["possible"], ran.json["kind"]) == (1, False, "OutsideHull")
    assert ran.json["reason"].startswith("with this V and any Q and K, c2 is an average of V x1 = u_b + u_d")
    kept = run("construct", "--inputs", INPUTS, "--wants", "c2 = b", "--V", "2 I", "--K=-I", "--json")
    assert (kept.code, kept.json["possible"]) == (1, False)


def test_inputs_that_ask_alike_cannot_get_different_answers(run):
    ran = run("construct", "--inputs", "x1 = a; x2 = a", "--wants", "c1 = a; c2 = 0")
    assert ran.code == 1
    assert ran.out == (
        "no Q, K, V do this: x1 = x2, so they ask the same query and c1 = c2 for any Q, K and V; "
        "the wanted outputs are c1 = u_a; "
        "c2 = 0\n"
    )


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--inputs", INPUTS, "--wants", WANTS], "The attention weights at β = 10"),
        (["--inputs", INPUTS, "--beta", "2"], "The attention weights at β = 2"),
        (["--inputs", "x1 = a; x2 = a", "--wants", "c1 = a; c2 = 0"], "The inputs, as sums of parts"),
    ],
)
def test_the_chart(run, tmp_path: Path, arguments, told):
    run("construct", *arguments, "--plot", str(tmp_path / "weights.svg"))
    assert told in (tmp_path / "weights.svg").read_text(encoding="utf-8")


BETA = "--beta: expected a number above 0 and below 1e+100, got"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--inputs", ""], "--inputs: expected sums such as x1 = 2a - 0.5b, got nothing"),
        (["--inputs", "y1 = a"], "--inputs: cannot read 'y1 = a'; expected a sum such as x1 = 2a - 0.5b"),
        (["--inputs", "x2 = a"], "--inputs: expected x1, x2, … in order, got x2"),
        (["--inputs", "x1 = 2e3"],
         "--inputs: '2e3' could be one number or a number times a part; write a plain decimal, or * between them"),
        (["--inputs", "x1 = a", "--wants", "c2 = a"], "--wants: c2: expected c1 to c1, one per input"),
        (["--inputs", "x1 = a", "--wants", "c1 = z"],
         "--wants: c1: no input names the part 'z'; expected a"),
        (["--inputs", "x1 = a", "--wants", "c1 ="],
         "--wants: a sum is missing or ends too early; expected, for example, 2a - 0.5b or 0"),
        (["--inputs", "x1 = a", "--wants", " "], "--wants: expected sums such as c1 = 2a - 0.5b, got nothing"),
        (["--inputs", "x1 = a", "--wants", "c1 = a", "--Q", "I"],
         "--Q: cannot be given together with wants: wants asks for a Q"),
        (["--inputs", "x1 = a", "--Q", "u_z u_a^T"], "--Q: 'z' is not a part of the inputs; expected a"),
        (["--inputs", "x1 = a", "--V", "hello"],
         "--V: cannot read 'hello' in 'hello'; expected, for example, (u_d u_aᵀ − 2 u_c u_dᵀ)/β², I or 0"),
        (["--inputs", "x1 = a", "--beta", "-1"], f"{BETA} -1"),
        (["--inputs", "x1 = a", "--beta", "nan"], f"{BETA} nan"),
        (["--inputs", "x1 = a", "--wants", "c1 = a", "--beta", "0"], f"{BETA} 0"),
    ],
)  # fmt: skip
def test_bad_text_is_named(run, arguments, message):
    assert run("construct", *arguments).refusal == f"attnlab construct: {message}"
