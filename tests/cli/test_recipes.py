"""attnlab recipes and attnlab train --dry-run: every setting, an estimate, and nothing written."""

import pytest

from attnlab.settings import write
from attnlab.training.language import estimating
from attnlab.training.language.recipes import RECIPES


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """The measured burst is short: what it measures is another test's."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(estimating, "_timed", lambda work, warm=0: 0.5)
    return tmp_path


def test_all_recipes_are_listed(run):
    found = run("recipes", "--json").json
    assert list(found) == list(RECIPES)
    said = run("recipes").out
    assert all(name in said and RECIPES.about(name) in said for name in RECIPES)


@pytest.mark.parametrize("name", ["quick", "quick-recurrent", "ngram", "bigram", "course-bigram"])
def test_a_recipe_has_every_setting(run, name, folder):
    found = run("recipes", name, "--json").json
    config = write(RECIPES.find(name))
    assert {part: found[part] for part in ("text", "tokens", "model", "training")} == {
        part: config[part] for part in ("text", "tokens", "model", "training")
    }
    said = run("recipes", name).out
    assert all(f"--model.{option.replace('_', '-')}" in said for option in config["model"] if option != "kind")
    assert "estimated on this machine" in said
    assert not list(folder.iterdir())


def test_a_recipe_that_there_is_not_is_named(run):
    *others, last = RECIPES
    expected = f"attnlab recipes: NAME: expected {', '.join(others)} or {last}; got 'fast'"
    assert run("recipes", "fast").refusal == expected


def test_a_dry_run_tells_what_would_be_done_and_does_nothing(run, folder):
    options = ("train", "none.txt", "--model", "bigram", "--steps", "10", "--seeds", "3", "--out", "a", "--dry-run")
    found = run(*options, "--json").json
    assert (found["text"], found["training"]["steps"], found["seeds"]) == ("none.txt", 10, 3)
    assert "training takes 3 runs of about 1.7 s, estimated on this machine" in run(*options).out
    assert not list(folder.iterdir())
