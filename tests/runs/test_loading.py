"""A classifier in its folder: it comes back as it was, and damage, or a run of another kind, is said in one line."""

import json

import numpy as np
import pytest

from attnlab.data.labelled.loading import labelled_of
from attnlab.errors import FileError
from attnlab.models.averaging import AveragingConfig
from attnlab.models.classifier import Classifier
from attnlab.runs.classifiers import load_classifier, save_classifier
from attnlab.runs.folder import CLASSIFIER, new_run
from attnlab.runs.loading import load_trained
from attnlab.settings import write
from attnlab.text.features import FeatureSettings
from attnlab.training.classifier.settings import ClassifierSettings, ClassifierTraining
from attnlab.training.classifier.training import train_classifier

DATA = labelled_of(["fine film", "dull film", "so so film"] * 10, ["naïve", "[b]", "🙂"] * 10)
ASKED = ["fine", "film fine", "", "zzz yyy", "Dull, dull film!", "fine " * 5000]
SETTINGS = {
    "words": ClassifierSettings(model=AveragingConfig(dim=6), training=ClassifierTraining(epochs=2)),
    "both": ClassifierSettings(
        FeatureSettings(ngrams=2, buckets=100, once=True), AveragingConfig(dim=3, votes="bayes"), ClassifierTraining(2)
    ),
}


@pytest.fixture(params=SETTINGS)
def saved(request, tmp_path) -> tuple[Classifier, str]:
    settings = SETTINGS[request.param]
    classifier = train_classifier(DATA, DATA, settings).classifier
    run = new_run(tmp_path / "run", {"task": CLASSIFIER, "classes": list(classifier.classes), **write(settings)})
    save_classifier(run, classifier, 2, {"validation_nats": 0.5})
    return classifier, str(run.path)


def test_it_comes_back_as_it_was(saved):
    classifier, path = saved
    again = load_classifier(path)
    assert (again.classes, again.features) == (classifier.classes, classifier.features)
    assert np.array_equal(again.probabilities(ASKED), classifier.probabilities(ASKED))


def test_probabilities_are_probabilities_of_each_text_by_itself(saved):
    classifier, _ = saved
    found = classifier.probabilities(ASKED * 100)
    assert found.shape == (600, 3)
    np.testing.assert_allclose(found.sum(1), 1, atol=1e-12)
    for place, text in enumerate(ASKED):
        np.testing.assert_allclose(found[594 + place], classifier.probabilities([text])[0], atol=1e-6)
    assert np.array_equal(found[2], found[3])  # unknown words are as none
    assert classifier.probabilities([]).shape == (0, 3)


def test_what_is_known_of_a_text_is_counted(saved):
    classifier, _ = saved
    found = classifier.answers(["fine zzz film!", "", "zzz"])
    assert (found.words.tolist(), found.known.tolist()) == ([4, 0, 1], [2, 0, 0])


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("config.json", '{"version": 2}', "expected the run of a classifier, got the run of a language model"),
        ("config.json", "{", "expected a run's config.json, got no JSON"),
        ("config.json", '{"version": 2, "task": "classify"}', "classes: the value is missing"),
        (
            "config.json",
            '{"version": 2, "task": "classify", "classes": ["a"], "model": 3}',
            "model: expected settings by name, got 3",
        ),
        (
            "config.json",
            '{"version": 2, "task": "classify", "classes": ["a"], "model": {"dim": -1}}',
            r"model\.dim: expected a whole number of at least 0",
        ),
        ("features.json", '{"settings": {}}', "expected the features of a classifier"),
        ("features.json", "[]", "expected the features of a classifier"),
    ],
)
def test_a_damaged_folder(saved, tmp_path, file, content, message):
    (tmp_path / "run" / file).write_text(content)
    with pytest.raises(FileError, match=message) as caught:
        load_classifier(saved[1])
    assert "\n" not in str(caught.value)


def test_weights_that_are_damaged_or_not_there_or_of_another_model(saved, tmp_path):
    _, path = saved
    config = json.loads((tmp_path / "run" / "config.json").read_text())
    (tmp_path / "run" / "config.json").write_text(json.dumps(config | {"classes": ["a", "b", "c", "d"]}))
    with pytest.raises(FileError, match="not a checkpoint of this run"):
        load_classifier(path)
    (tmp_path / "run" / "config.json").write_text(json.dumps(config))
    (weights,) = (tmp_path / "run" / "checkpoints").glob("*.safetensors")
    weights.write_bytes(weights.read_bytes()[:-1] + b"\x07")
    with pytest.raises(FileError, match="the checkpoint is damaged"):
        load_classifier(path)
    (tmp_path / "run" / "features.json").unlink()
    with pytest.raises(FileError, match=r"features\.json: there is no such file"):
        load_classifier(path)
    with pytest.raises(FileError, match="expected the folder of a run"):
        load_classifier(tmp_path)


def test_a_classifier_is_no_language_model(saved):
    with pytest.raises(FileError, match="expected the run of a language model, got the run of a classifier"):
        load_trained(saved[1])
