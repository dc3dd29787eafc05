"""Asking a model: greedy and beam search against brute force, and a model that was taught a few facts."""

import itertools
import math
from dataclasses import replace

import pytest
import torch

from attnlab.data.facts.facts import MARK, Fact, Facts, Line
from attnlab.evaluation.knowledge.answers import ModelAnswer
from attnlab.evaluation.knowledge.asking import UNSAID, Knower, Reply
from attnlab.evaluation.knowledge.decoding import beams, greedy
from attnlab.evaluation.knowledge.temperature import at_temperature
from attnlab.models.kinds import make_model
from attnlab.models.transformer import Transformer
from attnlab.models.transformer_config import Mixing, TransformerConfig
from attnlab.text import train_tokenizer
from attnlab.training.facts.fact_tokens import make_fact_tokens, texts_of
from attnlab.training.facts.lessons import Lesson, teach
from attnlab.training.processes import Process
from attnlab.training.settings import Training

STOP = 0
CPU = Process(0, 1, torch.device("cpu"))


def small(mixer: Mixing = "dot-product", size: int = 4) -> Transformer:
    """A model with large weights, so that its probabilities differ."""
    config = TransformerConfig(layers=1, heads=2, width=8, context=12, mixer=mixer, latents=3)
    model = make_model(config, size, seed=1)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(20 if parameter.dim() == 2 else 1)
    assert isinstance(model, Transformer)
    return model.eval()


def nats(model: Transformer, prompt: list[int], text: list[int]) -> float:
    """ln of the probability of a text behind a prompt, in one pass."""
    with torch.inference_mode():
        found = model(torch.tensor([prompt + text])).float().log_softmax(-1)[0]
    return sum(float(found[len(prompt) - 1 + place, token]) for place, token in enumerate(text))


@pytest.mark.parametrize("mixer", ["dot-product", "synthesizer", "random-synthesizer", "perceiver"])
def test_greedy_takes_the_likeliest_token_each_time(mixer: Mixing):
    model = small(mixer)
    prompts = [[1, 2], [3, 1, 1], [2, 2], [1]]
    for prompt, (written, cost) in zip(prompts, greedy(model, prompts, STOP, 5), strict=True):
        expected: list[int] = []
        while len(expected) < 5 and STOP not in expected:
            with torch.inference_mode():
                expected.append(int(model(torch.tensor([prompt + expected]))[0, -1].argmax()))
        assert written == expected
        assert cost == pytest.approx(nats(model, prompt, written), abs=1e-4)


@pytest.mark.parametrize("mixer", ["dot-product", "synthesizer", "perceiver"])
def test_wide_beams_find_the_likeliest_texts_of_all(mixer: Mixing):
    model = small(mixer)
    prompts = [[1, 2], [3, 1], [2, 3, 3]]
    for prompt, found in zip(prompts, beams(model, prompts, STOP, 3, width=64), strict=True):
        every = [[*body] for length in range(3) for body in itertools.product((1, 2, 3), repeat=length)]
        truth = sorted(((nats(model, prompt, [*body, STOP]), body) for body in every), reverse=True)
        assert [tokens for tokens, _ in found][: len(truth)] == [body for _, body in truth]
        for (_, cost), (expected, _) in zip(found, truth, strict=True):
            assert cost == pytest.approx(expected, abs=1e-4)


def test_a_text_that_never_ends_is_none():
    model = small()
    never = torch.tensor([STOP])
    model.readout.register_forward_hook(lambda module, inputs, logits: logits.index_fill(-1, never, -1e9))
    (found,) = beams(model, [[1, 2]], STOP, 4, width=1)
    assert found == []


def test_prompts_may_fill_the_context():
    model = small()
    (written,) = greedy(model, [[1] * 12], STOP, 5)
    assert written == ([], 0.0)


FACTS = Facts(
    (Line("Ada", "Ada. Born in Oslo."), Line("Bo", "Bo. Born in Bonn."), Line("Cy", "Cy. Born in Rome.")),
    tuple(Fact(name, f"Where was {name} born?", place) for name, place in (("Ada", "Oslo"), ("Bo", "Bonn"))),
    (Fact("Cy", "Where was Cy born?", "Rome"),),
)


@pytest.fixture(scope="module")
def knowers() -> dict[bool, Knower]:
    """One that recites and one that answers at once, both taught by heart."""
    tokenizer = train_tokenizer("characters", texts_of(FACTS))
    found = {}
    for recites, shares in ((True, {"recited-answer": 1.0, "next-token": 1.0}), (False, {"answer": 1.0})):
        model = make_model(TransformerConfig(layers=2, heads=2, width=64, context=64), tokenizer.size)
        assert isinstance(model, Transformer)
        material = make_fact_tokens(FACTS, tokenizer, 64)
        teach(model, material, Lesson(shares, Training(steps=80, batch=8)), CPU)
        found[recites] = Knower(model.eval(), tokenizer, recites)
    return found


@pytest.mark.parametrize("recites", [True, False])
def test_what_was_taught_is_answered(knowers: dict[bool, Knower], recites: bool):
    replies = knowers[recites].ask([fact.question for fact in FACTS.training])
    assert [reply.recital for reply in replies] == (
        ["Ada. Born in Oslo.", "Bo. Born in Bonn."] if recites else ["", ""]
    )
    for reply, fact in zip(replies, FACTS.training, strict=True):
        assert reply.answers[0][0] == fact.answer
        assert 0.5 < reply.answers[0][1] <= 1
        assert sum(probability for _, probability in reply.answers) <= 1 + 1e-4
        assert len({text for text, _ in reply.answers}) == len(reply.answers)


def test_an_answer_has_the_probability_of_its_recital_too(knowers: dict[bool, Knower]):
    knower = knowers[True]
    (reply,) = knower.ask(["Where was Ada born?"])
    tokens = [int(each) for each in knower.tokenizer.encode(f"{reply.recital}{MARK}Oslo{MARK}").ids]
    prompt = [int(each) for each in knower.tokenizer.encode(f"Where was Ada born?{MARK}").ids]
    assert reply.answers[0] == ("Oslo", pytest.approx(math.exp(nats(knower.model, prompt, tokens)), rel=1e-3))


def test_answers_are_records_with_the_truth(knowers: dict[bool, Knower]):
    answers = knowers[False].answers(FACTS.training)
    assert [answer.right for answer in answers] == [True, True]
    assert [answer.truth for answer in answers] == ["Oslo", "Bonn"]


def test_lines_are_completed(knowers: dict[bool, Knower]):
    found = knowers[True].completes(["Ada. Born in", "Ada. Born in ", "Bo. B"], [" Oslo", "Bonn", "orn in Bonn."])
    assert found == [True, False, True]


def test_unknown_characters_are_answered_somehow(knowers: dict[bool, Knower]):
    (reply,) = knowers[True].ask(["Where was Ωμέγα born?"])
    assert reply.answers


@pytest.mark.parametrize("recites", [True, False])
def test_a_question_that_is_too_long_is_not_answered_and_the_others_are(knowers: dict[bool, Knower], recites: bool):
    long = [f"Where was {'Ada ' * times}born?" for times in (12, 20)]  # 64 characters are seen
    replies = knowers[recites].ask([long[0], "Where was Bo born?", long[1]])
    assert [reply.answers[0][0] for reply in replies] == ["", "Bonn", ""]
    assert replies[0] == replies[2] == Reply("", UNSAID)


def test_a_question_must_leave_the_room_that_training_had(knowers: dict[bool, Knower]):
    material = make_fact_tokens(FACTS, knowers[True].tokenizer, 64)
    assert material.longest_question == 64 - 2 - 16 - 4
    knower = replace(knowers[True], longest=material.longest_question)
    assert knower.fits("x" * 42)
    assert not knower.fits("x" * 43)
    assert knowers[True].fits("x" * 62)
    assert not knowers[True].fits("x" * 63)


@pytest.mark.parametrize("recites", [True, False])
def test_what_was_cut_off_is_no_answer(knowers: dict[bool, Knower], recites: bool):
    knower = knowers[recites]
    mark = torch.tensor([int(knower.tokenizer.encode(MARK).ids[0])])
    never = knower.model.readout.register_forward_hook(lambda module, inputs, logits: logits.index_fill(-1, mark, -1e9))
    try:
        (reply,) = knower.ask(["Where was Ada born?"])
    finally:
        never.remove()
    assert bool(reply.recital) == recites
    assert reply.answers == UNSAID
    (answer,) = at_temperature([ModelAnswer("Ada", "Where was Ada born?", "Oslo", *UNSAID[0])], 20.0)
    assert (answer.said, answer.probability) == (False, 0.0)
