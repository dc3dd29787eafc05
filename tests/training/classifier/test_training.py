"""Training a classifier: it learns, the same for a seed, and its rows get the gradient of the loss."""

import dataclasses
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from attnlab.data.labelled.loading import Labelled, labelled_of
from attnlab.errors import ArgumentError, DivergedError, FileError
from attnlab.models.averaging import AveragingConfig, bag_sums
from attnlab.settings import read, write
from attnlab.text.bags import Bags
from attnlab.text.features import Features, FeatureSettings
from attnlab.training.classifier.recipes import RECIPES
from attnlab.training.classifier.settings import ClassifierSettings, ClassifierTraining
from attnlab.training.classifier.steps import Batch, ClassifierTrainer, log_count_ratios
from attnlab.training.classifier.training import begun, train_classifier

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
def test_a_seed_gives_the_same_whatever_the_threads_and_another_something_else(name):
    first, again = (train_classifier(TRAIN, HELD, SETTINGS[name], threads=threads) for threads in (1, 3))
    found = first.classifier.probabilities(HELD.texts)
    assert np.array_equal(found, again.classifier.probabilities(HELD.texts))
    other = dataclasses.replace(SETTINGS[name], training=dataclasses.replace(QUICK, seed=1))
    assert train_classifier(TRAIN, HELD, other).best.loss != first.best.loss


def learnt(learner: ClassifierTrainer, rows: np.ndarray) -> None:
    """One step on some texts."""
    draws = np.random.default_rng(0)
    with ThreadPoolExecutor(2) as workers:
        learner.learn(learner.batch(draws, rows), 1, draws, workers)


@pytest.mark.parametrize("name", ["words", "ngrams", "both"])
@pytest.mark.parametrize("classes", [2, 5])
def test_the_gradient_of_rows_is_that_of_the_loss(name, classes, monkeypatch):
    train = world(200, classes)
    settings = dataclasses.replace(SETTINGS[name], model=dataclasses.replace(SETTINGS[name].model, word_dropout=0.0))
    features, bags = Features.with_bags(train.texts, settings.features)
    model = begun(features, bags, train, settings)
    rows = np.arange(16)
    taken, labels = bags.take(rows), train.labels[rows]

    def loss() -> float:
        logits = model.in_double().logits(
            [bag_sums(each.table, taken).astype(np.float64) for each in model.parts], taken.lengths
        )
        return float((np.logaddexp.reduce(logits, axis=1) - logits[np.arange(16), labels]).mean())

    learner = ClassifierTrainer(model, settings.training, train, bags)
    seen = []
    for updates in filter(None, learner.updates):
        monkeypatch.setattr(updates, "move", lambda *given: seen.append(given))
    monkeypatch.setattr(learner.dense, "step", lambda *given: None)
    learnt(learner, rows)
    for part in model.parts:
        whole = np.zeros(part.table.shape)
        for touched, texts, gradient, _ in (each for each in seen if each[2].shape[1] == part.table.shape[1]):
            np.add.at(whole, touched, gradient[texts])
        for place in [(int(row), 0) for row in np.unique(taken.ids)[::7]]:
            before = part.table[place]
            part.table[place] = before + 0.01
            above = loss()
            part.table[place] = before - 0.01
            below = loss()
            part.table[place] = before
            assert whole[place] == pytest.approx((above - below) / 0.02, rel=2e-3, abs=2e-6)


def test_parts_of_a_batch_keep_the_pairs_of_a_feature_together():
    rows = np.array([1, 1, 1, 1, 1, 2, 3, 3], np.int32)
    batch = Batch(np.zeros(2, int), np.array([4, 4]), rows, np.zeros(8, np.int32))
    assert [rows[part].tolist() for part in batch.parts] == [[1, 1, 1, 1, 1, 2], [3, 3]]
    assert Batch(np.zeros(1, int), np.zeros(1, int), rows[:0], rows[:0]).parts == []


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
    before = model.network.table.copy()
    learnt(ClassifierTrainer(model, training, data, bags), np.arange(len(data)))
    moved = np.abs(model.network.table - before).mean(1)
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
def test_balanced_classes_weigh_the_same_whatever_the_batch(batch, monkeypatch):
    data = labelled_of(["both"] * 100, ["often"] * 90 + ["rare"] * 10)
    training = ClassifierTraining(batch=batch, rate=0.0, table_rate=0.0, balance="classes")
    settings = ClassifierSettings(model=AveragingConfig(dim=2, layers=0, word_dropout=0.0), training=training)
    features, bags = Features.with_bags(data.texts, settings.features)
    learner = ClassifierTrainer(begun(features, bags, data, settings), training, data, bags)
    gradients = []
    monkeypatch.setattr(learner.dense, "step", lambda found, rate: gradients.append(found))
    loss = learner.epoch(1)
    logits = learner.model(bags)[:1].astype(np.float64)
    logs = logits - np.logaddexp.reduce(logits, axis=1)
    assert loss == pytest.approx(float(-logs.mean()), rel=1e-4)
    found = np.mean([each["bias"] for each in gradients], 0)
    np.testing.assert_allclose(found, np.exp(logs[0]) - 0.5, rtol=1e-3, atol=1e-5)


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
    with pytest.raises(ArgumentError, match=f"{name}: expected a (whole )?number from"):
        ClassifierTraining(**{name: value})
