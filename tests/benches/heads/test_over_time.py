"""The heads of a run along its training."""

import pytest

from attnlab.benches.heads.over_time import over_time
from attnlab.benches.heads.scores import score
from attnlab.benches.language import train
from attnlab.benches.language.configuring import configure
from attnlab.cli import main
from attnlab.evaluation.heads.settings import ScoreSettings
from attnlab.models.transformer_config import TransformerConfig

TEXT = "".join(f"{n} and {n * n % 97} make {n + n * n % 97}.\n" for n in range(300))
HOW = ScoreSettings(tokens=200)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a run that kept its checkpoints, and one with a single checkpoint."""
    path = tmp_path_factory.mktemp("over-time")
    (path / "text.txt").write_text(TEXT)
    shape = TransformerConfig(layers=2, heads=2, width=16, context=32)
    how = {"batch": 4, "validate_every": 10, "precision": "float32"}
    text = str(path / "text.txt")
    train(configure(text, model=shape, training=how | {"steps": 20, "keep_every": 4}), path / "run")
    train(configure(text, model=shape, training=how | {"steps": 2}), path / "short")
    train(configure(text, model="ngram"), path / "ngram")
    return path


@pytest.fixture(autouse=True)
def here(folder, monkeypatch, as_installed):
    monkeypatch.chdir(folder)


def test_every_checkpoint_is_scored_as_the_model_of_that_step(again, tmp_path):
    found = over_time("run", settings=HOW)
    assert [each.step for each in found.moments] == [4, 8, 12, 16, 20]
    assert sorted(found.validation) == [10, 20]
    last = score("run", settings=HOW)  # the last step is the best
    (same,) = [each for each in found.moments if each.found.heads == last.found.heads]
    assert same.step == 20
    values = [each.scores["previous"].value for each in same.found.heads]
    best = same.best("previous")
    assert best is not None
    assert best[1] == max(values)
    assert again(found) == found.to_dict()
    assert "the induction score" in repr(found)
    assert len(found.plot().to_dict()["vconcat"]) == 2
    assert found.save(tmp_path / "a.csv").read_text().count("\n") == 6
    assert found.save(tmp_path / "a.svg").read_text().startswith("<svg")


def test_the_turn_is_where_induction_rises_most(monkeypatch):
    found = over_time("run", settings=HOW)
    scores = dict(zip((4, 8, 12, 16, 20), (0.1, 0.2, 0.15, 0.6, 0.7), strict=True))
    monkeypatch.setattr(type(found.moments[0]), "best", lambda self, measure: ("0.0", scores[self.step]))
    assert found.turn is not None
    assert found.turn[:2] == (12, 16)
    assert round(found.turn[2], 9) == 0.45
    monkeypatch.setattr(type(found.moments[0]), "best", lambda self, measure: None)
    assert found.turn is None


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("short", "short: the run has 1 checkpoint; expected at least 2: train with --keep-every N to keep every N-th"),
        ("ngram", "ngram: the run has 1 checkpoint; expected at least 2"),
        ("nowhere", "nowhere: there is no such folder"),
    ],
)
def test_bad_input_is_one_line(model, said, capsys):
    assert main(["heads", model, "--over-time"]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    assert said in lines[0]
