"""Sweeps from Python: settings, the table, plans of this lab and of older ones."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from attnlab.benches.knowledge import SweepSettings, evaluate, resume_sweep, sweep
from attnlab.benches.knowledge.sweeps import training
from attnlab.benches.knowledge.sweeps.plan import read_plan
from attnlab.benches.knowledge.sweeps.table import SweepModel, SweepRow, read_model
from attnlab.data.facts.sources import FactSource
from attnlab.errors import ArgumentError, DivergedError, FileError
from attnlab.evaluation.settings import EvaluationSettings
from attnlab.runs.folder import Run
from attnlab.settings import read, write
from attnlab.statistics import Share

pytestmark = pytest.mark.usefixtures("as_installed")

TINY = SweepSettings(
    variants=("none", "own"),
    seeds=2,
    seed=3,
    effort=0.01,
    precision=0.5,
    facts=FactSource.of("biographies", 12, world={"resembling": 0.5}),
    model={"width": 16, "layers": 1, "heads": 1, "feed": 16, "qk_norm": False},
    training={"batch": 8, "rate": 0.01},
)


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """A sweep of four models."""
    return sweep(TINY, tmp_path_factory.mktemp("sweep") / "all")


def timeless(value):
    """A table without what differs from try to try."""
    value = json.loads(json.dumps(value))
    for row in value["variants"]:
        row.pop("seconds")
        for each in row["runs"]:
            each.pop("seconds")
            each["run"] = each["run"].rpartition("/")[2]
    return {**value, "runs": ""}


def test_it_is_what_the_command_prints(found, again, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    told = again(found)
    assert timeless(told) == timeless(found.to_dict())
    assert Run(Path(told["runs"])).result() == told
    names = [(row.variant, row.mixer, [each.notes.seed for each in row.models]) for row in found.rows]
    assert names == [("none", "dot-product", [3, 4]), ("quick", "dot-product", [3, 4])]


def test_its_observer_is_told_of_every_model_and_row(watcher, tmp_path):
    sweep(replace(TINY, seeds=1, variants=("none",)), tmp_path / "one", watcher)
    assert watcher.tasks == ["models", "none-dot-product-3", "training", "asking"]
    assert len(watcher.said) == 1
    assert watcher.said[0].startswith("none, dot-product: ")


def test_the_table_has_the_numbers_that_evaluate_has(found):
    for row in found.rows:
        for each in row.models:
            told = evaluate(each.path, EvaluationSettings(0.5, each.notes.seed)).to_dict()
            assert {name: told[name] for name in each.knowledge.as_json()} == each.knowledge.as_json()
            assert each.model.name == str(each.path)


def test_a_finished_sweep_can_be_told_again(found):
    assert resume_sweep(found.path).to_dict() == found.to_dict()


def test_a_model_that_is_gone_is_trained_again(found, tmp_path):
    place = shutil.copytree(found.path, tmp_path / "copy")
    shutil.rmtree(place / "quick-dot-product-4")
    (place / "none-dot-product-3" / "result.json").unlink()  # as if it had been stopped in it
    assert timeless(resume_sweep(place).to_dict()) == timeless(found.to_dict())


def test_a_model_trained_by_another_recipe_is_not_mixed_with_others(found, tmp_path):
    place = shutil.copytree(found.path, tmp_path / "copy")
    path = place / "quick-dot-product-4" / "config.json"
    config = json.loads(path.read_text())
    config["earlier"][0]["training"]["rate"] = 0.5
    path.write_text(json.dumps(config))
    with pytest.raises(FileError, match=r"earlier\.0\.training\.rate was 0\.5, now it would be 0\.01"):
        resume_sweep(place)


def test_a_model_that_diverges_is_named(monkeypatch, tmp_path):
    def diverge(*arguments, **options):
        raise DivergedError(3, "the loss is nan")

    monkeypatch.setattr(training, "teach_model", diverge)
    said = "none-dot-product-3: training diverged at step 3: the loss is nan; a lower --training.rate or "
    with pytest.raises(DivergedError, match=said):
        sweep(TINY, tmp_path / "lost")


def test_settings_are_what_the_plan_holds(found):
    assert read_plan(found.path).settings == TINY
    assert read(SweepSettings, write(TINY)) == TINY


def test_a_plan_of_an_older_lab_is_read(golden):
    old = read_plan(golden / "sweep")
    assert old.settings == SweepSettings(
        variants=("none", "recital"),
        seeds=2,
        effort=0.02,
        facts=FactSource.of("biographies", 12),
        model={"layers": 1, "width": 8, "heads": 1, "feed": 8},
        training={"precision": "bfloat16"},
    )


def test_a_damaged_plan_of_an_older_lab_is_named(golden, tmp_path):
    plan = (golden / "sweep" / "plan.json").read_text()
    for old, new in (('"seeds": 2', '"seeds": "2"'), ('"seeds": 2,', ""), ('"quick"', '"slow"'), ('"8"', '"x"')):
        assert old in plan
        (tmp_path / "plan.json").write_text(plan.replace(old, new, 1))
        with pytest.raises(FileError, match=r"plan\.json: "):
            read_plan(tmp_path)


def test_recipes_other_than_quick_are_taken_whole():
    variants = SweepSettings(recipes=("coursework", "recital"), effort=0.5).all_variants()
    assert [variant.name for variant in variants] == ["coursework none", "coursework", "recital none", "recital"]
    assert variants[1].lessons[0].training.steps == round(14_915 / 2)
    usual = [variant.name for variant in SweepSettings().all_variants()]
    assert usual == ["none", "span", "views", "recital"]


def model(right: int, made_up: Share | None, golden: Path) -> SweepModel:
    """A model that answers this number of ten questions correctly."""
    found = read_model(Run(golden / "sweep" / "none-dot-product-0"), 0)
    confidence = replace(found.confidence, confident_wrong=made_up)
    return replace(found, knowledge=replace(found.knowledge, accuracy=Share(right, 10), confidence=confidence))


def test_a_row_counts_seeds_that_answer_nothing_and_has_an_interval_however_alike_they_are(golden):
    one, none, alone = (model(5, share, golden) for share in (Share(1, 2), Share(0, 2), None))

    def row(*models: SweepModel) -> SweepRow:
        return SweepRow("none", "quick", "dot-product", models)

    assert row(one, none).confident_wrong == 0.25  # as coverage is, which without a threshold is 0
    assert row(none).confident_wrong == 0.0
    assert row(alone).confident_wrong is None
    assert row(one, alone).confident_wrong is None
    share = Share(5, 10)
    assert row(one, one, one).interval == pytest.approx((share.low, share.high))  # not 0.5 to 0.5
    better = model(7, None, golden)
    assert row(one, better).interval == (share.low, Share(7, 10).high)  # not 0 to 1, as with Student's t


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"variants": ("x",)}, "variants: expected none, span, views, recital or own; got 'x'"),
        ({"variants": ("none", "none")}, "variants: expected each name once, got none twice"),
        ({"recipes": ()}, "recipes: expected at least one recipe"),
        ({"recipes": ("x",)}, "recipes: expected quick, coursework, views or recital; got 'x'"),
        ({"mixers": ()}, "mixers: expected at least one mixer"),
        ({"model": {"width": 0}}, "model.width: expected a whole number of at least 1, got 0; try 1"),
        ({"training": {"seed": 1}}, "training.seed: use --seed instead: it holds for all models"),
        ({"training": {"batch": 2}}, "objectives: expected at least one row of each objective in a batch of 2; "),
        ({"training": {"batch": 0}}, "training.batch: expected a whole number from 1 to "),
        ({"precision": 0.0}, "precision: expected a number above 0 and at most 1, got 0.0"),
    ],
)
def test_bad_settings_are_named(settings, message):
    with pytest.raises(ArgumentError) as caught:
        SweepSettings(**settings)
    assert str(caught.value).startswith(message)
