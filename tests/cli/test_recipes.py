"""attnlab recipes and attnlab train --dry-run: every setting, an estimate, and nothing written."""

import re

import pytest

from attnlab.settings import write_used
from attnlab.training.classifier.recipes import RECIPES as OF_CLASSIFIERS
from attnlab.training.facts.recipes import RECIPES as OF_FACTS
from attnlab.training.language import estimating
from attnlab.training.language.recipes import RECIPES

GROUPS = {"train": RECIPES, "classify train": OF_CLASSIFIERS, "knowledge pretrain": OF_FACTS}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """The measured burst is short: what it measures is another test's."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(estimating, "_timed", lambda work, warm=0: 0.5)
    return tmp_path


def test_all_recipes_are_listed(run):
    found = run("recipes", "--json").json
    assert {each: list(made) for each, made in found.items()} == {each: list(made) for each, made in GROUPS.items()}
    said = run("recipes").out.splitlines()
    for command, made in GROUPS.items():
        for name in made:
            (line,) = [each for each in said if re.split(" {2,}", each)[:2] == [command, name]]
            assert line.endswith(made.about(name))


@pytest.mark.parametrize("name", ["quick", "quick-recurrent", "ngram", "bigram", "course-bigram"])
def test_a_recipe_has_every_setting(run, name, folder):
    found = run("recipes", name, "--json").json["train"]
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
    known = "; ".join(f"{', '.join(made)} (of {command})" for command, made in GROUPS.items())
    assert run("recipes", "fast").refusal == f"attnlab recipes: NAME: expected {known}; got 'fast'"
    assert run("recipes", "veiws").refusal.endswith("got 'veiws'; did you mean views?")


@pytest.mark.parametrize("name", list(OF_CLASSIFIERS))
def test_a_recipe_of_a_classifier_has_every_setting(run, name):
    found = run("recipes", name, "--json").json["classify train"]
    assert {**found, "about": None} == {"about": None, **write_used(OF_CLASSIFIERS.find(name))}
    said = run("recipes", name).out
    assert all(f"--features.{option.replace('_', '-')}" in said for option in found["features"])
    assert "--table-rate" in said


@pytest.mark.parametrize("name", list(OF_FACTS))
def test_a_recipe_of_facts_has_its_model_and_every_lesson(run, name):
    found, recipe = run("recipes", name, "--json").json["knowledge pretrain"], OF_FACTS.find(name)
    assert found["pretraining"]["objectives"] == recipe.pretraining.objectives
    assert found["kept_out"] == recipe.kept_out
    said = run("recipes", name).out
    for lesson in (recipe.pretraining, recipe.finetuning, recipe.untaught):
        assert ",".join(f"{each}={share:g}" for each, share in lesson.objectives.items()) in said
    assert f"attnlab knowledge pretrain --recipe {name}: " in said


def test_a_name_of_two_commands_shows_both(run):
    assert list(run("recipes", "quick", "--json").json) == ["train", "knowledge pretrain"]
    said = run("recipes", "quick").out
    assert said.index("attnlab train --recipe quick: ") < said.index("attnlab knowledge pretrain --recipe quick: ")


def test_a_dry_run_tells_what_would_be_done_and_does_nothing(run, folder):
    options = ("train", "none.txt", "--model", "bigram", "--steps", "10", "--seeds", "3", "--out", "a", "--dry-run")
    found = run(*options, "--json").json
    assert (found["text"], found["training"]["steps"], found["seeds"]) == ("none.txt", 10, 3)
    assert "training takes 3 runs of about 1.7 s, estimated on this machine" in run(*options).out
    assert not list(folder.iterdir())
