"""attnlab recipes and attnlab train --dry-run: every setting, an estimate, and nothing written."""

import pytest

from attnlab.settings import write_used
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
    config = write_used(RECIPES.find(name))
    assert {part: found[part] for part in ("text", "tokens", "model", "training")} == {
        part: config[part] for part in ("text", "tokens", "model", "training")
    }
    said = run("recipes", name).out
    assert all(f"--model.{option.replace('_', '-')}" in said for option in config["model"] if option != "kind")
    assert "estimated on this machine" in said
    assert not list(folder.iterdir())


@pytest.mark.parametrize(("mixer", "unused"), [("dot-product", ["latents"]), ("synthesizer", ["qk_norm", "positions"])])
def test_a_dry_run_tells_the_settings_that_are_used_and_the_device(run, mixer, unused):
    options = ("train", "none.txt", "--model.mixer", mixer, "--optimiser", "sgd", "--dry-run")
    found, said = run(*options, "--json").json, run(*options).out
    assert found["model"]["mixer"] == mixer
    for name in unused:
        assert name not in found["model"]
        assert f"--model.{name.replace('_', '-')} " not in said
    assert "muon_rate" not in found["training"]
    assert "--muon-rate" not in said
    assert "auto" not in (found["training"]["device"], found["training"]["precision"])
    assert found["training"]["device"] == found["estimate"]["device"]


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
