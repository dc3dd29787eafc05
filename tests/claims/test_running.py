"""Running claims: the same for one seed, times aside, and a bug of ours where an experiment goes wrong."""

import json
from typing import Any

import pytest

from attnlab import __version__
from attnlab.charts import Lines, Series
from attnlab.claims import Family, Finding, Quantity, run_claims
from attnlab.errors import ArgumentError

FAMILY = Family(1, "dice", "Dice", "language", question="What falls?")


@FAMILY.claim("seeded", "It is the seed.", said_by="A")
def _seeded(seed: int) -> Finding:
    chart = Lines("t", "x", "y", (Series("a", (1.0,), (float(seed),)),), "d")
    return Finding("holds", "It is.", (Quantity("seed", float(seed)),), chart=chart)


@FAMILY.claim("nan", "It is no number.", said_by="B")
def _nan(seed: int) -> Finding:
    return Finding("holds", "It is not.", (Quantity("nothing", float("nan")),))


@FAMILY.claim("refused", "It runs.", said_by="C")
def _refused(seed: int) -> Finding:
    raise ArgumentError("keys", "expected at least 2, got 1")


@pytest.fixture(autouse=True)
def _ledger(monkeypatch: pytest.MonkeyPatch) -> None:
    families = (Family(0, "empty", "Empty", "language", question="Nothing?"), FAMILY)
    for module in ("ledger", "running"):
        monkeypatch.setattr(f"attnlab.claims.{module}.ledger", lambda: families)


def without_times(found: dict[str, Any]) -> dict[str, Any]:
    return found | {"findings": [{**each, "seconds": 0} for each in found["findings"]]}


def test_the_value_is_what_is_read_back_from_json():
    found = run_claims("dice-seeded", seed=3).to_dict()
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert list(found) == ["version", "made_with", "seed", "only", "families", "findings"]
    assert (found["version"], found["seed"], found["only"]) == (__version__, 3, ["dice-seeded"])
    assert found["families"] == [{"name": "dice", "title": "Dice", "question": "What falls?"}]
    (finding,) = found["findings"]
    assert finding["data"] == []
    assert (finding["id"], finding["verdict"], finding["chart"]["kind"]) == ("dice-seeded", "holds", "lines")
    assert 0 <= finding["seconds"] < 10


def test_one_seed_finds_the_same_and_another_does_not():
    first, same, other = (without_times(run_claims("dice-seeded", seed=seed).to_dict()) for seed in (1, 1, 2))
    assert first == same
    assert first["findings"] != other["findings"]


def test_an_observer_hears_of_each_claim_before_it_runs(watcher):
    with pytest.raises(RuntimeError):
        run_claims("dice-seeded", "dice-refused", observer=watcher)
    assert watcher.tasks == ["claims"]
    assert watcher.done == [0, 1]


def test_a_claim_that_goes_wrong_is_a_bug_that_names_it():
    """Not a user's error, even where it began as one."""
    with pytest.raises(RuntimeError, match=r"^the claim dice-nan cannot be run: Out of range float values"):
        run_claims("dice-nan")
    with pytest.raises(
        RuntimeError,
        match=r"^the claim dice-refused cannot be run: keys: expected at least 2, got 1$",
    ):
        run_claims("dice-refused")


def test_nothing_to_run():
    found = run_claims(family="empty").to_dict()
    assert found["findings"] == found["families"] == []


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"family": "dic"}, "family: expected a family, got 'dic'; did you mean dice?"),
        ({"by": "F"}, "by: expected A, B, C or lab; got 'F', who makes none of these claims"),
        ({"family": "empty", "by": "A"}, "by: expected A, B, C or lab; got 'A', who makes none of these claims"),
        ({"seed": -1}, f"seed: expected a whole number from 0 to {2**63 - 1}, got -1"),
    ],
)
def test_what_cannot_be_asked_for_is_an_error(asked: dict[str, Any], message: str):
    with pytest.raises(ArgumentError) as refused:
        run_claims(**asked)
    assert str(refused.value) == message


@pytest.mark.parametrize("asked", [{"family": "dice"}, {"by": "A"}])
def test_names_stand_alone(asked: dict[str, Any]):
    with pytest.raises(ArgumentError, match=r"^(family|by): cannot be combined with an ID"):
        run_claims("dice-seeded", **asked)
