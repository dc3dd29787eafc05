"""Teaching facts: lessons as values, the same batches for the same seed, and a model that learns what it is taught."""

import pytest
import torch

from attnlab.data.worlds.biographies.biographies import biographies
from attnlab.errors import ArgumentError
from attnlab.models.kinds import make_model
from attnlab.models.matching import parameters
from attnlab.models.transformer import Transformer
from attnlab.models.transformer_config import TransformerConfig
from attnlab.settings import read, write
from attnlab.text import train_tokenizer
from attnlab.training import threads as torch_threads
from attnlab.training.facts.fact_tokens import make_fact_tokens, texts_of
from attnlab.training.facts.feeding import feed_rows
from attnlab.training.facts.lessons import Lesson, teach
from attnlab.training.facts.objectives import OBJECTIVES, mixture
from attnlab.training.facts.recipes import RECIPES
from attnlab.training.loop import Hooks
from attnlab.training.processes import Process
from attnlab.training.settings import Training
from attnlab.training.targets import NOT_LEARNT

CPU = Process(0, 1, torch.device("cpu"))
FACTS = biographies(people=20).facts()
TOKENIZER = train_tokenizer("words", texts_of(FACTS))
TOKENS = make_fact_tokens(FACTS, TOKENIZER, 72)


def test_a_lesson_lowers_the_loss():
    model = make_model(TransformerConfig(layers=1, heads=2, width=32, context=72), TOKENIZER.size)
    assert isinstance(model, Transformer)
    losses: list[float] = []
    lesson = Lesson({"next-token": 1.0}, Training(steps=30, batch=16))
    assert teach(model, TOKENS, lesson, CPU, Hooks(looked=lambda look: losses.append(look.loss)))
    assert losses[-1] < 0.8 * losses[0]


@pytest.mark.parametrize(("least", "threads"), [(1, 1), (0, 2)])
def test_a_small_model_learns_on_one_thread_whatever_the_machine_has(least, threads, monkeypatch):
    monkeypatch.setattr(torch_threads, "SMALL", least * torch_threads.SMALL)
    model = make_model(TransformerConfig(layers=1, heads=2, width=32, context=72), TOKENIZER.size)
    assert isinstance(model, Transformer)
    before, seen = torch.get_num_threads(), []
    torch.set_num_threads(2)
    try:
        hooks = Hooks(looked=lambda look: seen.append(torch.get_num_threads()))
        teach(model, TOKENS, Lesson({"next-token": 1.0}, Training(steps=1, batch=16)), CPU, hooks)
        assert (seen, torch.get_num_threads()) == ([threads], 2)
    finally:
        torch.set_num_threads(before)


def test_a_batch_is_a_function_of_seed_and_step():
    draw = mixture(TOKENS, dict.fromkeys(OBJECTIVES, 1.0))
    lone = feed_rows(TOKENS.ids, draw, Training(batch=22), 72, CPU)
    again = feed_rows(TOKENS.ids, draw, Training(batch=22), 72, CPU)
    other = feed_rows(TOKENS.ids, draw, Training(batch=22, seed=1), 72, CPU)
    for one, two in zip(lone(3), again(3), strict=True):
        assert torch.equal(one, two)
    for each in (lone(4), other(3)):
        assert len(each[0]) == 22
        assert not torch.equal(lone(3)[0], each[0])


def test_the_shares_of_two_processes_are_the_batch_of_one():
    draw = mixture(TOKENS, dict.fromkeys(OBJECTIVES, 1.0))
    training = Training(batch=22, compile=True)  # batches of one shape
    whole = feed_rows(TOKENS.ids, draw, training, 72, CPU)(3)
    shares = [feed_rows(TOKENS.ids, draw, training, 72, Process(rank, 2, CPU.device))(3) for rank in (0, 1)]
    for one, first, second in zip(whole, *shares, strict=True):
        assert torch.equal(one, torch.stack([first, second], 1).flatten(0, 1))


def test_a_batch_is_as_long_as_its_longest_row_unless_the_step_needs_one_shape():
    draw = mixture(TOKENS, dict.fromkeys(OBJECTIVES, 1.0))
    short = feed_rows(TOKENS.ids, draw, Training(batch=22), 72, CPU)(3)
    whole = feed_rows(TOKENS.ids, draw, Training(batch=22, compile=True), 72, CPU)(3)
    width = short[0].shape[1]
    assert width < 72 == whole[0].shape[1]
    assert (short[1][:, -1] != NOT_LEARNT).any()
    assert (whole[1][:, width:] == NOT_LEARNT).all()
    for one, two in zip(short, whole, strict=True):
        assert torch.equal(one, two[:, :width])


def test_a_batch_that_cannot_be_shared_is_refused():
    with pytest.raises(ArgumentError, match="expected a multiple of the 2 processes, got 3"):
        feed_rows(TOKENS.ids, lambda random, rows: NotImplemented, Training(batch=3), 8, Process(0, 2, CPU.device))


def test_a_lesson_that_never_teaches_one_of_its_objectives_is_refused():
    model = make_model(TransformerConfig(layers=1, heads=2, width=32, context=72), TOKENIZER.size)
    assert isinstance(model, Transformer)
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    lesson = Lesson({"recital": 1, "answer": 0.02}, Training(steps=1, batch=24))
    with pytest.raises(ArgumentError, match="each objective in a batch of 24; got no row of answer; "):
        teach(model, TOKENS, lesson, CPU, begin=lambda state: pytest.fail("it was begun"))
    assert all(torch.equal(tensor, before[name]) for name, tensor in model.state_dict().items())


@pytest.mark.parametrize(
    "value",
    [
        {},
        {"objectives": {}},
        {"objectives": []},
        {"objectives": {"span": "x"}},
        {"objectives": {"span": 0}},
        {"objectives": {"spam": 1}},
        {"objectives": {"span": 1}, "training": {"steps": "x"}},
    ],
)
def test_what_is_no_lesson_is_refused(value: dict[str, object]):
    with pytest.raises(ArgumentError, match=r"^(objectives|training)\b.*: (expected|the value is missing)"):
        read(Lesson, value)


@pytest.mark.parametrize("name", RECIPES)
def test_recipes_are_whole(name: str):
    recipe = RECIPES.find(name)
    assert recipe.recites == (name in ("recital", "quick"))
    for lesson in (recipe.pretraining, recipe.finetuning, recipe.untaught):
        assert read(Lesson, write(lesson)) == lesson
    assert not {"answer", "recited-answer", "reading"} & set(recipe.pretraining.objectives)
    assert parameters(recipe.model, 300) <= 3_400_000


def test_an_unknown_recipe_is_refused():
    with pytest.raises(ArgumentError, match="expected quick, coursework, views or recital; got 'x'"):
        RECIPES.find("x")
