"""Running claims: one JSON value, the same for one seed, times aside."""

import json
from typing import Any

import pytest

from attnlab import __version__
from attnlab.claims import Family, Finding, Lines, Quantity, Series
from attnlab.claims.running import run_claims
from attnlab.errors import ArgumentError

FAMILY = Family(1, "dice", "Dice", question="What falls?")


@FAMILY.claim("seeded", "It is the seed.", said_by="A")
def _seeded(seed: int) -> Finding:
    chart = Lines("t", "x", "y", (Series("a", (1.0,), (float(seed),)),), "d")
    return Finding("holds", "It is.", (Quantity("seed", float(seed)),), chart=chart)


@FAMILY.claim("nan", "It is no number.", said_by="A")
def _nan(seed: int) -> Finding:
    return Finding("holds", "It is not.", (Quantity("nothing", float("nan")),))


@FAMILY.claim("refused", "It runs.", said_by="A")
def _refused(seed: int) -> Finding:
    raise ArgumentError("keys", "expected at least 2, got 1")


SEEDED, NAN, REFUSED = FAMILY.claims


@pytest.fixture(autouse=True)
def _ledger(monkeypatch: pytest.MonkeyPatch) -> None:
    families = (Family(0, "empty", "Empty", question="Nothing?"), FAMILY)
    monkeypatch.setattr("attnlab.claims.running.ledger", lambda: families)


def without_times(found: dict[str, Any]) -> dict[str, Any]:
    return found | {"findings": [{**each, "seconds": 0} for each in found["findings"]]}


def test_the_value_is_what_is_read_back_from_json():
    found = run_claims([SEEDED], seed=3, only=["dice"])
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert list(found) == ["version", "made_with", "seed", "only", "families", "findings"]
    assert (found["version"], found["seed"], found["only"]) == (__version__, 3, ["dice"])
    assert found["families"] == [{"name": "dice", "title": "Dice", "question": "What falls?"}]
    (finding,) = found["findings"]
    assert (finding["id"], finding["verdict"], finding["chart"]["kind"]) == ("dice-seeded", "holds", "lines")
    assert 0 <= finding["seconds"] < 10


def test_one_seed_finds_the_same_and_another_does_not():
    first, again, other = (without_times(run_claims([SEEDED], seed=seed)) for seed in (1, 1, 2))
    assert first == again
    assert first["findings"] != other["findings"]


def test_progress_hears_of_each_claim_before_it_runs():
    heard: list[str] = []
    with pytest.raises(RuntimeError):
        run_claims([SEEDED, REFUSED, SEEDED], progress=heard.append)
    assert heard == ["dice-seeded", "dice-refused"]


def test_a_claim_that_goes_wrong_is_a_bug_that_names_it():
    """Not a user's error, even where it began as one."""
    with pytest.raises(RuntimeError, match=r"^the claim dice-nan cannot be run: Out of range float values"):
        run_claims([NAN])
    with pytest.raises(RuntimeError, match=r"^the claim dice-refused cannot be run: keys: expected at least 2, got 1$"):
        run_claims([REFUSED])


def test_nothing_to_run():
    assert run_claims([])["findings"] == run_claims([])["families"] == []
