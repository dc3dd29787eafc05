"""Training a classifier: it learns, the same for a seed, and its rows get the gradient that autograd finds."""

import dataclasses

import numpy as np
import pytest
import torch
from torch.nn import functional

from attnlab.data.labelled.loading import Labelled, labelled_of
from attnlab.errors import ArgumentError, FileError
from attnlab.models.averaging import AveragingConfig
from attnlab.settings import read, write
from attnlab.text.bags import Bags
from attnlab.text.features import Features, FeatureSettings
from attnlab.training.classifier.recipes import RECIPES
from attnlab.training.classifier.settings import ClassifierSettings, ClassifierTraining
from attnlab.training.classifier.steps import ClassifierTrainer, log_count_ratios, transposed
from attnlab.training.classifier.training import begun, train_classifier
from attnlab.training.loop import DivergedError

QUICK = ClassifierTraining(epochs=8, batch=16, rate=0.01, table_rate=0.05)


def world(count: int, classes: int = 2, seed: int = 0) -> Labelled:
    """Texts of nonsense, each with a few words of its class."""
    draws = np.random.default_rng(seed)
    labels = draws.integers(0, classes, count).tolist()
    texts = []
    for label in labels:
        words = [f"w{number}" for number in draws.integers(0, 30, 8)]
        texts.append(" ".join(draws.permutation([*words, *[f"c{label}x{n}" for n in draws.integers(0, 4, 3)]])))
    return labelled_of(texts, [f"class {label}" for label in labels])


TRAIN, HELD = world(200), world(60, seed=1)
SETTINGS = {
    "words": ClassifierSettings(model=AveragingConfig(dim=8, hidden=8), training=QUICK),
    "adagrad": ClassifierSettings(
        model=AveragingConfig(dim=8, layers=0), training=dataclasses.replace(QUICK, rule="adagrad", table_rate=0.2)
    ),
    "ngrams": ClassifierSettings(
        FeatureSettings(ngrams=2, buckets=500, once=True), AveragingConfig(dim=0, votes="bayes"), QUICK
    ),
    "both": ClassifierSettings(model=AveragingConfig(dim=4, votes="bayes"), training=QUICK),
    "steps": ClassifierSettings(
        model=AveragingConfig(dim=8, hidden=8), training=dataclasses.replace(QUICK, steps="bayes")
    ),
}


@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize("classes", [2, 5])
def test_it_learns(name, classes):
    trained = train_classifier(world(300, classes), world(60, classes, seed=1), SETTINGS[name])
    nats = [each.validation_nats for each in trained.epochs if each.validation_nats is not None]
    assert len(nats) == len(trained.epochs)
    assert trained.best.validation_nats == min(nats)
    assert (trained.best.validation_accuracy or 0) > 0.9


@pytest.mark.parametrize("name", SETTINGS)
def test_a_seed_gives_the_same_and_another_something_else(name):
    torch.manual_seed(7)
    before = torch.get_rng_state()
    first, again = (train_classifier(TRAIN, HELD, SETTINGS[name]) for _ in range(2))
    assert torch.equal(torch.get_rng_state(), before)
    found = first.classifier.probabilities(HELD.texts)
    assert np.array_equal(found, again.classifier.probabilities(HELD.texts))
    other = dataclasses.replace(SETTINGS[name], training=dataclasses.replace(QUICK, seed=1))
    assert train_classifier(TRAIN, HELD, other).best.loss != first.best.loss


@pytest.mark.parametrize("name", ["words", "ngrams", "both"])
def test_the_gradient_of_rows_is_that_of_autograd(name):
    settings = dataclasses.replace(SETTINGS[name], model=dataclasses.replace(SETTINGS[name].model, word_dropout=0.0))
    features = Features.train(TRAIN.texts, settings.features)
    bags = features.encode(TRAIN.texts)
    model = begun(features, bags, TRAIN, settings)
    expected = begun(features, bags, TRAIN, settings)
    rows = np.arange(16)
    taken = bags.take(rows)
    logits = expected(torch.from_numpy(taken.ids), torch.from_numpy(taken.offsets))
    functional.cross_entropy(logits, torch.from_numpy(TRAIN.labels[rows])).backward()
    learner = ClassifierTrainer(model.train(), settings.training, TRAIN, bags)
    seen = []
    for updates in learner.updates:
        updates.move = lambda rows, gradient, rate: seen.append((rows, gradient))
    learner.learn(learner.batch(torch.Generator(), rows), 1)
    for part, (touched, gradient) in zip(expected.parts, seen, strict=True):
        whole = torch.zeros_like(part.table)
        whole[touched] = gradient
        torch.testing.assert_close(whole, part.table.grad)


def test_transposed_texts_are_in_order():
    bags = Bags.of([[4, 2], [], [2, 2]])
    features, texts, offsets = transposed(torch.from_numpy(bags.ids), torch.from_numpy(bags.offsets))
    assert (features.tolist(), texts.tolist(), offsets.tolist()) == ([2, 4], [0, 2, 2, 0], [0, 3, 4])


def test_ratios_are_naive_bayes_for_many_classes():
    bags = Bags.of([[0, 0, 1], [1], [2]])
    found = log_count_ratios(bags, np.array([0, 1, 2]), size=3, classes=3, smoothing=1.0)
    assert found[0, 0] == pytest.approx(np.log((3 / 6) / (1 / 5)))
    assert found[1, 2] == pytest.approx(np.log((1 / 4) / (3 / 7)))


def test_a_vector_moves_as_far_as_its_feature_says_something():
    texts = [*["both good"] * 9, *["both bad"] * 9, "both good rare"]
    data = labelled_of(texts, ["neg" if "bad" in text else "pos" for text in texts])
    training = dataclasses.replace(QUICK, steps="bayes", smoothing=5.0, rate=0.0)
    settings = ClassifierSettings(model=AveragingConfig(dim=4, layers=0, word_dropout=0.0), training=training)
    features = Features.train(data.texts)
    bags = features.encode(data.texts)
    model = begun(features, bags, data, settings)
    assert model.network is not None
    before = model.network.table.detach().clone()
    learner = ClassifierTrainer(model.train(), training, data, bags)
    learner.learn(learner.batch(torch.Generator(), np.arange(len(data))), 1)
    moved = (model.network.table.detach() - before).abs().mean(1)
    both, good, bad, rare = (
        float(moved[features.tokenizer.vocabulary.index(word) + 1]) for word in ("both", "good", "bad", "rare")
    )
    assert both < rare < good / 4
    assert bad == pytest.approx(good, rel=0.2)


def test_it_stops_when_nothing_is_gained_and_keeps_the_best():
    noise = labelled_of(TRAIN.texts, [f"class {n}" for n in np.random.default_rng(0).integers(0, 2, len(TRAIN))])
    training = dataclasses.replace(QUICK, epochs=50, patience=3)
    trained = train_classifier(noise, HELD, dataclasses.replace(SETTINGS["words"], training=training))
    assert len(trained.epochs) == trained.best.epoch + 3 < 50
    found = trained.classifier.probabilities(HELD.texts)[np.arange(len(HELD)), HELD.labels]
    assert -np.log(found).mean() == pytest.approx(trained.best.validation_nats)


def test_balance_helps_the_rare_class():
    few = np.concatenate([np.flatnonzero(TRAIN.labels == 0), np.flatnonzero(TRAIN.labels == 1)[:4]])
    once = dataclasses.replace(QUICK, epochs=1, balance="none")
    plain, even = (
        train_classifier(
            TRAIN.take(few),
            HELD,
            dataclasses.replace(SETTINGS["words"], training=dataclasses.replace(once, balance=balance)),
        )
        for balance in ("none", "classes")
    )
    means = [each.classifier.probabilities(HELD.texts)[:, 1].mean() for each in (plain, even)]
    assert means[1] > means[0] + 0.05


@pytest.mark.parametrize("batch", [1, 4, 100])
def test_balanced_classes_weigh_the_same_whatever_the_batch(batch):
    data = labelled_of(["both"] * 100, ["often"] * 90 + ["rare"] * 10)
    training = ClassifierTraining(batch=batch, rate=0.0, table_rate=0.0, balance="classes")
    settings = ClassifierSettings(model=AveragingConfig(dim=2, layers=0, word_dropout=0.0), training=training)
    features, bags = Features.with_bags(data.texts, settings.features)
    learner = ClassifierTrainer(begun(features, bags, data, settings), training, data, bags)
    parameters = [each for group in learner.dense.groups for each in group["params"]]
    gradients = []
    learner.dense.step = lambda: gradients.append([each.grad.clone() for each in parameters])
    loss = learner.epoch(1)
    logits = learner.model.eval()(torch.from_numpy(bags.ids[:1]), torch.from_numpy(bags.offsets[:2]))
    expected = -logits.log_softmax(1).mean()
    assert loss == pytest.approx(expected.item(), rel=1e-4)
    learner.model.zero_grad()
    expected.backward()
    for place, each in enumerate(parameters):
        mean = torch.stack([step[place] for step in gradients]).mean(0)
        torch.testing.assert_close(mean, each.grad, rtol=1e-3, atol=1e-5)


def test_where_classes_are_balanced_so_is_the_choice_of_an_epoch():
    few = TRAIN.take(np.concatenate([np.flatnonzero(TRAIN.labels == 0), np.flatnonzero(TRAIN.labels == 1)[:10]]))
    training = dataclasses.replace(QUICK, balance="classes", epochs=3)
    trained = train_classifier(few, few, dataclasses.replace(SETTINGS["words"], training=training))
    nats = -np.log(trained.classifier.probabilities(few.texts)[np.arange(len(few)), few.labels])
    expected = (nats[few.labels == 0].mean() + nats[few.labels == 1].mean()) / 2
    assert trained.best.validation_nats == pytest.approx(expected)
    assert abs(nats.mean() - expected) > 0.01 * expected


def test_vectors_from_a_file_that_stay(tmp_path):
    (tmp_path / "v.txt").write_text(
        "".join(f"c{label}x{n} {label} {1 - label}\n" for label in (0, 1) for n in range(4))
    )
    model = AveragingConfig(dim=2, layers=0, learn="layers")
    settings = ClassifierSettings(model=model, training=QUICK, vectors=str(tmp_path / "v.txt"))
    classifier = train_classifier(TRAIN, HELD, settings).classifier
    assert classifier.model.network is not None
    place = classifier.features.tokenizer.vocabulary.index("c1x2") + 1
    assert classifier.model.network.table[place].tolist() == [1.0, 0.0]
    with pytest.raises(FileError, match="expected 8 numbers after the word, got 2"):
        train_classifier(TRAIN, HELD, dataclasses.replace(settings, model=AveragingConfig(dim=8)))


def test_a_loss_that_is_lost_is_said(monkeypatch):
    monkeypatch.setattr(ClassifierTrainer, "epoch", lambda self, number: float("nan"))
    with pytest.raises(DivergedError, match="training diverged at step 0: the loss is nan"):
        train_classifier(TRAIN, HELD, SETTINGS["words"])


@pytest.mark.parametrize("name", RECIPES)
def test_recipes_are_json(name):
    assert read(ClassifierSettings, write(RECIPES.find(name))) == RECIPES.find(name)


def test_vectors_are_for_models_that_have_some():
    with pytest.raises(ArgumentError, match="vectors: expected a model with word vectors"):
        dataclasses.replace(RECIPES.find("ngrams"), vectors="glove")


@pytest.mark.parametrize(("name", "value"), [("epochs", 0), ("batch", 0), ("rate", -1.0), ("seed", -1)])
def test_settings_that_cannot_be(name, value):
    with pytest.raises(ArgumentError, match=f"{name}: expected from"):
        ClassifierTraining(**{name: value})
