"""The neural bigram model: gradients written out against autograd and differences, and training on counts."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.torch import load, save

from attnlab.errors import ArgumentError
from attnlab.models.bigram import Bigram, BigramConfig, PairCounts, loss_and_gradients
from attnlab.training.language.counting import CountTraining, train_on_counts

SIZE = 7
texts = st.lists(st.integers(0, SIZE - 1), min_size=2, max_size=40).map(torch.tensor)
quick = settings(max_examples=30, deadline=None)


def exact(seed: int = 0, **options) -> Bigram:
    """A small model in float64, with biases that are not 0."""
    config = BigramConfig(dim=3, hidden=5, **options)
    generator = torch.Generator().manual_seed(seed)
    model = Bigram(config, SIZE, torch.randn(SIZE, 3, generator=generator, dtype=torch.float64), seed=seed)
    with torch.no_grad():
        for parameter in (model.b1, model.b2, model.W2):
            parameter.copy_(torch.randn(parameter.shape, generator=generator, dtype=torch.float64))
    return model


def text_loss(model: Bigram, text: torch.Tensor) -> torch.Tensor:
    """The mean of −ln p over a text, a word at a time."""
    return torch.nn.functional.cross_entropy(model(text[:-1]), text[1:])


@quick
@given(text=texts, seed=st.integers(0, 100))
def test_gradients_are_those_of_autograd(text, seed):
    model = exact(seed)
    loss, gradients = loss_and_gradients(model, PairCounts.of_text(text, SIZE, torch.float64))
    expected = text_loss(model, text)
    expected.backward()
    torch.testing.assert_close(loss, expected.detach(), rtol=0, atol=1e-12)
    assert set(gradients) == {"vectors", "W1", "b1", "W2", "b2"}
    for name, parameter in model.named_parameters():
        torch.testing.assert_close(gradients[name], parameter.grad, rtol=0, atol=1e-10)


def test_gradients_are_those_of_differences():
    model, text, step = exact(), torch.tensor([0, 1, 2, 0, 1, 3, 5, 0, 1]), 1e-5
    _, gradients = loss_and_gradients(model, PairCounts.of_text(text, SIZE, torch.float64))
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            flat, found = parameter.view(-1), []
            for i in range(flat.numel()):
                sides = []
                for side in (step, -step):
                    flat[i] += side
                    sides.append(float(text_loss(model, text)))
                    flat[i] -= side
                found.append((sides[0] - sides[1]) / (2 * step))
            differences = torch.tensor(found, dtype=torch.float64)
            torch.testing.assert_close(gradients[name].view(-1), differences, rtol=0, atol=1e-9)


def one_each(previous: torch.Tensor, following: torch.Tensor) -> PairCounts:
    """The pairs of a minibatch, a row for each."""
    each = torch.full(previous.shape, 1 / len(previous), dtype=torch.float64)
    return PairCounts(previous, torch.arange(len(previous)), following, each)


@quick
@given(text=texts)
def test_a_minibatch_of_all_pairs_is_the_text(text):
    model = exact()
    whole, gradients = loss_and_gradients(model, PairCounts.of_text(text, SIZE, torch.float64))
    batch, one_by_one = loss_and_gradients(model, one_each(text[:-1], text[1:]))
    torch.testing.assert_close(whole, batch)
    for name, gradient in gradients.items():
        torch.testing.assert_close(gradient, one_by_one[name], rtol=0, atol=1e-12)


def test_the_loss_of_a_text_is_the_mean_of_its_nats():
    text = torch.randint(SIZE, (100,), generator=torch.Generator().manual_seed(0))
    model = exact()
    loss, _ = loss_and_gradients(model, PairCounts.of_text(text, SIZE, torch.float64))
    torch.testing.assert_close(model.nats(text).mean(), loss)
    torch.testing.assert_close(loss, text_loss(model, text).detach())


def test_frozen_vectors_stay():
    model = exact(train_vectors=False)
    before = model.vectors.clone()
    pairs = PairCounts.of_text(torch.tensor([0, 1, 2, 3] * 5), SIZE, torch.float64)
    assert "vectors" not in loss_and_gradients(model, pairs)[1]
    train_on_counts(model, pairs)
    assert torch.equal(model.vectors, before)


def test_training_finds_the_entropy_of_the_text():
    generator = np.random.default_rng(0)
    chances = generator.dirichlet(np.full(SIZE, 0.3), SIZE)
    text = [0]
    for _ in range(20_000):
        text.append(int(generator.choice(SIZE, p=chances[text[-1]])))
    ids = torch.tensor(text)
    pairs = PairCounts.of_text(ids, SIZE)
    counts = np.zeros((SIZE, SIZE))
    np.add.at(counts, (text[:-1], text[1:]), 1)
    seen = counts[counts > 0]
    entropy = -(seen * np.log((counts / counts.sum(1, keepdims=True))[counts > 0])).sum() / seen.sum()
    model = Bigram(BigramConfig(dim=4, hidden=16), SIZE)
    losses = train_on_counts(model, pairs, CountTraining(penalty=0.0, vector_penalty=0.0))
    assert losses[0] > entropy + 0.3
    assert entropy - 1e-5 < losses[-1] < entropy + 0.01
    assert math.isclose(float(model.nats(ids).mean()), losses[-1], abs_tol=1e-3)


def test_penalties_keep_weights_small():
    pairs = PairCounts.of_text(torch.tensor([0, 1, 2, 3, 4, 5, 6] * 5), SIZE)
    sizes = []
    for penalty in (0.0, 1e-2):
        model = Bigram(BigramConfig(dim=3, hidden=5), SIZE)
        train_on_counts(model, pairs, CountTraining(penalty=penalty, vector_penalty=penalty))
        sizes.append((float(model.W2.detach().norm()), float(model.vectors.detach().norm())))
    assert sizes[1] < sizes[0]
    assert sizes[1][1] < sizes[0][1]


def test_a_word_that_never_came_is_unlikely_and_possible():
    model = Bigram(BigramConfig(dim=3, hidden=5), SIZE)
    train_on_counts(model, PairCounts.of_text(torch.tensor([0, 1, 2] * 9), SIZE))
    assert 0 < math.exp(-float(model.nats(torch.tensor([0, 6]))[0])) < 0.01
    assert torch.isfinite(model.nats(torch.tensor([6, 5]))).all()


def test_a_seed_is_a_model():
    pairs = PairCounts.of_text(torch.tensor([0, 1, 2, 3, 1] * 5), SIZE)
    runs = [train_on_counts(Bigram(BigramConfig(), SIZE, seed=seed), pairs) for seed in (0, 0, 1)]
    assert runs[0] == runs[1] != runs[2]


def test_parameters_survive_a_file():
    model, again = exact(0), exact(1)
    again.load_state_dict(load(save(model.state_dict())))
    assert torch.equal(model(torch.arange(SIZE)), again(torch.arange(SIZE)))


@pytest.mark.usefixtures("as_installed")
@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: BigramConfig(hidden=-1), "hidden: expected a whole number of at least 1, got -1; try 1"),
        (lambda: CountTraining(steps=0), "steps: expected a whole number of at least 1, got 0; try 1"),
        (lambda: CountTraining(penalty=-1.0), "penalty: expected a number from 0 to 1,000,000, got -1.0; try 0"),
        (lambda: Bigram(BigramConfig(dim=2), 3, torch.ones(2, 3)), "vectors: expected the shape (3, 2), got (2, 3)"),
        (lambda: PairCounts.of_text(torch.tensor([0]), 3), "ids: expected at least two tokens, for a pair; got 1"),
        (lambda: PairCounts.of_text(torch.tensor([0, 3]), 3), "ids: expected numbers from 0 to 2, got 0 to 3"),
        (lambda: exact().nats(torch.tensor([-1, 2])), f"ids: expected numbers from 0 to {SIZE - 1}, got -1 to 2"),
        (lambda: exact().nats(torch.ones(2)), "ids: expected one axis of whole numbers, got torch.float32, shape (2,)"),
    ],
)
def test_bad_input_is_named(call, said):
    with pytest.raises(ArgumentError) as error:
        call()
    assert str(error.value) == said
