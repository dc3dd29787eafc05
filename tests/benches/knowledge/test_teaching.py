"""From facts to what a model knows: variants, who is kept out, which lines are completed, what is measured."""

import subprocess
import sys
from dataclasses import replace

import pytest
import torch

from attnlab.benches.knowledge.answers import measure_answers, threshold_people
from attnlab.benches.knowledge.teaching import (
    TaughtModel,
    completed_lines,
    learn,
    new_model,
    prepare_facts,
    teach_model,
)
from attnlab.benches.knowledge.variants import VARIANTS, Lessons, variant_lessons, with_mixer
from attnlab.data.facts.facts import Fact, Facts, Line
from attnlab.errors import ArgumentError
from attnlab.models.matching import parameters
from attnlab.models.transformer_config import TransformerConfig
from attnlab.text.settings import WordTokens
from attnlab.training.facts.lessons import Lesson
from attnlab.training.facts.objectives import check_rows
from attnlab.training.facts.recipes import RECIPES, KnowledgeRecipe
from attnlab.training.loop import Hooks
from attnlab.training.processes import Process
from attnlab.training.settings import Training

CPU = Process(0, 1, torch.device("cpu"))
PLACES = ("Oslo", "Rome", "Bonn", "Lima", "Kyiv", "Bern", "Riga", "Cork")
NAMES = ("Ada Berg", "Bo Dahl", "Cy Falk", "Di Holm", "Ed Lind", "Fay Moe", "Gus Nord", "Ida Roth")
BORN: dict[str, str] = dict(zip(NAMES, PLACES, strict=True))
LINES = tuple(Line(name, f"{name}. A poet who was born in {BORN[name]} and wrote many a book.") for name in NAMES)
ASKED = [Fact(name, f"Where was {name} born?", BORN.get(name, "Nowhere")) for name in (*NAMES, "Jo Ek")]
FACTS = Facts(LINES, tuple(ASKED[:5]), tuple(ASKED[5:]))
TRAINING = Training(steps=60, batch=16)
RECIPE = KnowledgeRecipe(
    WordTokens(),
    TransformerConfig(layers=1, heads=2, width=32, context=40),
    Lesson({"next-token": 1.0}, TRAINING),
    Lesson({"answer": 1.0, "next-token": 1.0}, TRAINING),
    Lesson({"answer": 1.0}, replace(TRAINING, steps=5)),
)
OWN = variant_lessons(RECIPE, "own")


def teach(lessons: Lessons = OWN, seed: int = 0) -> TaughtModel:
    """A model of the recipe, some of the people kept out."""
    ready = prepare_facts(FACTS.split(0.2, seed), RECIPE.tokens, RECIPE.model)
    return teach_model(FACTS, ready, lessons, CPU, seed=seed)


@pytest.fixture(scope="module")
def found() -> TaughtModel:
    """A model that has read the lines and the answers of some."""
    return teach()


def test_variants_have_the_steps_of_the_recipe_and_the_objectives_of_another():
    assert variant_lessons(RECIPE, "none") == (RECIPE.untaught,)
    assert (RECIPE.pretraining, RECIPE.finetuning) == OWN
    for variant, name in (("span", "coursework"), ("views", "views"), ("recital", "recital")):
        first, second = variant_lessons(RECIPE, variant)
        assert first.objectives == RECIPES.find(name).pretraining.objectives
        assert second.objectives == RECIPES.find(name).finetuning.objectives
        assert first.training == TRAINING
        assert second.training.steps == (60 if variant == "recital" else 5)
        assert second.training.rate == pytest.approx(TRAINING.rate * (1 if variant == "recital" else 0.3))
    with pytest.raises(ArgumentError, match="variants: expected none, span, views, recital or own; got 'x'"):
        variant_lessons(RECIPE, "x")


@pytest.mark.parametrize("name", RECIPES)
def test_every_lesson_of_a_recipe_has_a_row_of_each_objective(name: str):
    for variant in VARIANTS:
        for lesson in variant_lessons(RECIPES.find(name), variant):
            check_rows(lesson.objectives, lesson.training.batch)


def test_lines_are_completed_by_who_has_read_them_and_only_by_them(found: TaughtModel):
    assert completed_lines(found.knower, FACTS, FACTS.training) == [True] * 5
    assert completed_lines(found.knower, FACTS, FACTS.held_out) == [True, True, True, False]  # the last has no line
    new = teach(variant_lessons(RECIPE, "none"))
    assert not any(completed_lines(new.knower, FACTS, FACTS.held_out))
    assert not any(new.memorised)


def test_the_first_line_with_the_answer_decides_however_many_there_are(found: TaughtModel):
    known, unlike = LINES[0], Line("Ada Berg", "Ada Berg. Wrote many a book of poet born who Oslo.")
    other = Line("Ada Berg", "Ada Berg. A poet who was born in Rome and wrote many a book.")
    for lines, completed in (
        ((known, unlike), True),
        ((unlike, known), False),
        ((other, known, unlike), True),  # which does not hold the answer
        ((other,), False),
    ):
        assert completed_lines(found.knower, replace(FACTS, lines=lines), ASKED[:1]) == [completed]


def test_what_was_memorised_is_looked_at_before_answers_are_taught(found: TaughtModel):
    assert found.memorised == (True, True, True, False)
    forgetting = Lesson({"answer": 1.0}, replace(TRAINING, steps=30, rate=0.02))
    forgot = teach((OWN[0], forgetting))
    assert forgot.memorised == found.memorised
    assert sum(completed_lines(forgot.knower, FACTS, FACTS.held_out)) < 3


def test_who_is_kept_out_has_a_line_but_no_question(found: TaughtModel):
    kept, stranger = found.knower.answers(threshold_people(FACTS.split(0.2, 0)))
    assert not stranger.truth
    assert stranger.name not in NAMES
    assert kept.name in NAMES[:5]
    assert kept.truth == BORN[kept.name]
    trained = [fact for fact in FACTS.training if fact.name != kept.name]
    assert [each.right for each in found.knower.answers(trained)] == [True] * 4


def test_the_same_seed_teaches_the_same(found: TaughtModel):
    again, other = teach(), teach(seed=1)
    assert again.knower.answers(ASKED) == found.knower.answers(ASKED)
    assert other.knower.answers(ASKED) != found.knower.answers(ASKED)


def test_hooks_are_told_which_lesson_begins():
    numbers = []
    ready = prepare_facts(FACTS.split(0.2, 0), RECIPE.tokens, RECIPE.model)
    short = tuple(Lesson(each.objectives, replace(TRAINING, steps=1)) for each in OWN)
    teach_model(FACTS, ready, short, CPU, hooks=lambda knower, number: numbers.append(number) or Hooks())
    assert numbers == [0, 1]


def test_all_is_measured(found: TaughtModel):
    answers = found.knower.answers(FACTS.held_out)
    unseen = found.knower.answers([Fact("Cy Berg", "Where was Cy Berg born?", "")])
    kept = found.knower.answers(threshold_people(FACTS.split(0.2, 0)))
    measured = measure_answers(FACTS, answers, found.memorised, kept, unseen)
    assert measured.accuracy.examples == 4
    assert measured.extraction is not None
    assert measured.extraction.memorised.count == 3
    assert measured.confidence is not None
    assert measured.confidence.confident_wrong is not None


def test_a_line_may_be_longer_than_the_context(found: TaughtModel):
    before = "many a book and " * 20
    text = f"Ada Berg. {before}Ada Berg. A poet who was born in Oslo."
    long = Facts((Line("Ada Berg", text),), FACTS.training[:1], ())
    assert len(found.knower.tokenizer.encode(text).ids) > 40
    assert len(completed_lines(found.knower, long, long.training)) == 1


def test_mixers_have_as_many_parameters():
    shape = TransformerConfig(layers=1, heads=2, width=64, context=40)
    assert with_mixer(shape, "dot-product", 99) == shape
    perceiver = with_mixer(shape, "perceiver", 99)
    assert perceiver.mixer == "perceiver"
    assert parameters(perceiver, 99) == pytest.approx(parameters(shape, 99), rel=0.01)


def test_the_average_of_the_weights_is_what_is_left():
    ready = prepare_facts(FACTS, RECIPE.tokens, RECIPE.model)
    models = {}
    for averaging in (0.0, 0.01):
        models[averaging] = new_model(RECIPE.model, ready.tokenizer.size, 0, CPU)
        lesson = Lesson({"next-token": 1.0}, replace(TRAINING, steps=20, averaging=averaging))
        assert learn(models[averaging], ready.tokens, lesson, CPU)
    one, other = (next(model.parameters()) for model in models.values())
    assert not torch.equal(one, other)


def test_it_needs_nothing_that_only_a_terminal_or_a_page_needs():
    code = "import attnlab.benches.knowledge, sys; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"rich", "tyro", "altair", "jinja2", "scipy"} & set(loaded)
