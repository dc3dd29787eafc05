"""attnlab claims: the ledger as a table, the evidence for one, and names that are not known."""

import re
import shlex

import pytest

from attnlab import __version__
from attnlab.claims import Family, Finding, Quantity

TRICKS = Family(1, "tricks", "Tricks", "language", question="Does [bold]it[/bold] work?")
EMPTY = Family(2, "empty", "Empty", "language", question="Nothing?")


@TRICKS.claim("one", "<b>It</b> [red]does[/red].", said_by="A, B")
def _one(seed: int) -> Finding:
    return Finding("holds", "It [link]does[/link].", (Quantity("error", 0.14678, 0.00123, "standard error"),))


@TRICKS.claim("two", "It does not.", said_by="the lab")
def _two(seed: int) -> Finding:
    return Finding("fails", "It does.", (Quantity("seed", float(seed)),))


@TRICKS.claim("three", "It may.", said_by="C")
def _three(seed: int) -> Finding:
    return Finding("holds if", "It does so far.", (), condition="C is small")


@pytest.fixture(autouse=True)
def _ledger(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("ledger", "running"):
        monkeypatch.setattr(f"attnlab.claims.{module}.ledger", lambda: (TRICKS, EMPTY))


def test_the_table_of_all(run):
    told = run("claims")
    assert (told.code, told.err) == (0, "")
    *rows, counts = [re.split(r"  +", line.strip()) for line in told.out.splitlines()]
    assert rows == [
        ["id", "statement", "said by", "verdict"],
        ["tricks-one", "<b>It</b> [red]does[/red].", "A, B", "✓ holds"],
        ["tricks-two", "It does not.", "the lab", "✗ fails"],
        ["tricks-three", "It may.", "C", "◐ holds if C is small"],
    ]
    assert counts == ["3 claims: 1 holds, 1 fails, 1 holds under a condition"]


def test_the_evidence_for_one(run):
    told = run("claims", "tricks-one")
    assert told.code == 0
    assert [re.split(r"  +", line.strip()) for line in told.out.splitlines()] == [
        ["tricks-one", "✓ holds"],
        ["asked", "Does [bold]it[/bold] work?"],
        ["said", "<b>It</b> [red]does[/red]."],
        ["by", "A, B"],
        ["seed", "0"],
        [""],
        ["It [link]does[/link]."],
        [""],
        ["measured", "value", "uncertainty"],
        ["error", "0.1468 ± 0.0013", "standard error"],
    ]


def test_the_evidence_for_several_in_the_ledgers_order(run):
    told = run("claims", "tricks-three", "tricks-two").out
    assert 0 == told.index("tricks-two  ") < told.index("\n\ntricks-three  ")
    assert run("claims", "tricks").out.count("\nasked  ") == 3


def test_a_family(run):
    assert run("claims", "--family", "tricks").out == run("claims").out
    assert run("claims", "--family", "empty").out == "no claims\n"


def test_json_is_the_findings(run):
    found = run("claims", "tricks-two", "--seed", "5", "--json").json
    assert (found["version"], found["seed"]) == (__version__, 5)
    (finding,) = found["findings"]
    assert (finding["id"], finding["verdict"]) == ("tricks-two", "fails")
    assert [each["id"] for each in run("claims", "--json").json["findings"]] == [
        "tricks-one", "tricks-two", "tricks-three",
    ]  # fmt: skip


def test_a_claim_finds_the_same_alone_as_among_others(run):
    alone = run("claims", "tricks-two", "--seed", "5", "--json").json["findings"][0]
    among = run("claims", "--seed", "5", "--json").json["findings"][1]
    other = run("claims", "tricks-two", "--seed", "6", "--json").json["findings"][0]
    assert alone["measures"] == among["measures"] != other["measures"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("tricks-on", "ID: expected a claim or a family, got 'tricks-on'; did you mean tricks-one?"),
        ("tricks-one xyz", "ID: expected a claim or a family, got 'xyz'; the families are tricks, empty"),
        ("--family trick", "--family: expected a family, got 'trick'; did you mean tricks?"),
        ("--family tr", "--family: expected a family, got 'tr'; did you mean tricks?"),
        ("--family tricks-one", "--family: expected a family, got 'tricks-one'; did you mean tricks?"),
        ("tricks-one --family tricks", "--family: cannot be combined with an ID, which names the claims to run"),
        ("--seed -1", "--seed: expected a whole number from 0 to 9223372036854775807, got -1"),
        ("--seed 9223372036854775808",
         "--seed: expected a whole number from 0 to 9223372036854775807, got 9223372036854775808"),
    ],
)  # fmt: skip
def test_bad_input_is_named(run, line, message):
    for how in ([], ["--json"]):
        assert run("claims", *shlex.split(line), *how).refusal == f"attnlab claims: {message}"


@pytest.mark.parametrize(("who", "ids"), [("B", ["tricks-one"]), ("lab", ["tricks-two"]), ("C", ["tricks-three"])])
def test_what_one_write_up_says(run, who, ids):
    assert [each["id"] for each in run("claims", "--by", who, "--json").json["findings"]] == ids


def test_a_write_up_that_says_nothing(run):
    assert run("claims", "--by", "F").refusal == (
        "attnlab claims: --by: expected A, B, C or lab; got 'F', who makes none of these claims"
    )
    assert run("claims", "tricks-one", "--by", "A").refusal == (
        "attnlab claims: --by: cannot be combined with an ID, which names the claims to run"
    )


def test_the_list_runs_nothing(run, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("attnlab.claims.claim.Claim.run", lambda claim, seed: pytest.fail(f"{claim.id} was run"))
    told = run("claims", "--list", "--by", "lab")
    assert [re.split(r"  +", line.strip()) for line in told.out.splitlines()] == [
        ["id", "statement", "said by"],
        ["tricks-two", "It does not.", "the lab"],
        ["1 claim"],
    ]
    assert list(run("claims", "--list", "--json").json) == ["tricks-one", "tricks-two", "tricks-three"]
