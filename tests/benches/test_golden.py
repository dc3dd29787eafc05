"""Runs of older labs open, write, are measured, and go on."""

import shutil
from pathlib import Path

import pytest

from attnlab.benches.language import compare, open_model, resume, runs

GOLDEN = Path(__file__).parents[1] / "golden"
MODELS = ("ngram", "words", "bigram", "recurrent", "transformer")

pytestmark = pytest.mark.usefixtures("as_installed")


@pytest.fixture(autouse=True)
def _copied(tmp_path, monkeypatch):
    shutil.copytree(GOLDEN, tmp_path / "golden")
    monkeypatch.chdir(tmp_path / "golden")


@pytest.mark.parametrize("name", MODELS)
def test_a_language_model_opens(name):
    model = open_model(name)
    assert len(model.sample(length=5).ids) == 5
    assert model.score("The cat sat on the dog.\n").bits_per_byte > 0


def test_a_run_that_was_stopped_goes_on():
    assert resume("stopped").result["steps"] == 60


def test_the_table_of_runs_lists_them_and_ranks_no_lower_bound():
    rows = {row.run: row for row in runs(".").rows}
    assert set(MODELS) <= set(rows)
    assert not any(row.state.startswith("damaged") for row in rows.values())
    assert rows["words"].lower_bound
    table = compare("words", "ngram")
    assert [row.run for row in table.rows] == ["ngram", "words"]
