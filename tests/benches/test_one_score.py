"""The lab has one score: training and `perplexity` give a model the same numbers on the same text."""

from pathlib import Path

import pytest

from attnlab.benches.language import train
from attnlab.benches.language.configuring import configure
from attnlab.benches.perplexity import perplexity
from attnlab.data.texts.loading import load_text
from attnlab.evaluation.scoring.nats_to_units import perplexity as perplexity_of

TEXT = "The naïve cat sat on the mat, 3 times.\nThe Dog sat, too; nobody knew why.\n" * 24
STRANGE = "Ünknown sígns — and words that nobody has seen, 4 times.\n"
TOKENS = {
    "characters": {"kind": "characters"},
    "bytes": {"kind": "bytes"},
    "words": {"kind": "words", "lower": True, "vocabulary": 12},
    "byte-pairs": {"kind": "byte-pairs", "vocabulary": 280},
}
MODELS = {
    "ngram": ({"kind": "ngram", "order": 3}, {}),
    "bigram": ({"kind": "bigram", "dim": 4, "hidden": 4}, {"steps": 5}),
    "transformer": (
        {"kind": "transformer", "layers": 1, "heads": 1, "width": 8, "context": 16},
        {"steps": 3, "batch": 4, "validate_every": 3},
    ),
}


@pytest.fixture(scope="module")
def text(tmp_path_factory) -> Path:
    """A text whose last part has characters and words that the first parts lack."""
    path = tmp_path_factory.mktemp("one-score") / "text.txt"
    path.write_text(TEXT + STRANGE * 4, encoding="utf-8")
    return path


@pytest.mark.parametrize("tokens", TOKENS)
@pytest.mark.parametrize("model", MODELS)
def test_training_and_perplexity_agree(text, tmp_path, model, tokens):
    settings, training = MODELS[model]
    trained = train(configure(str(text), "", settings, TOKENS[tokens], training), tmp_path / "run")
    test = tmp_path / "test.txt"
    test.write_text(load_text(text).test, encoding="utf-8")
    (measured,) = perplexity(tmp_path / "run", test).measured
    disjoint = measured.measures[0]
    score = trained.test
    assert score is not None
    assert disjoint.stride == disjoint.context
    assert measured.precision == "float32"
    assert disjoint.bits_per_byte.value == pytest.approx(score["bits_per_byte"], abs=1e-9)
    assert disjoint.nats_per_token.value == pytest.approx(score["nats_per_token"], abs=1e-9)
    assert disjoint.perplexity.value == pytest.approx(score["perplexity"], rel=1e-9)
    assert disjoint.unknown == pytest.approx(score["unknown"], abs=1e-12)
    assert score["perplexity"] == perplexity_of(score["nats_per_token"])
    assert (score["unknown"] > 0) == (tokens in ("characters", "words"))


def test_a_model_is_validated_as_it_is_measured(text, tmp_path):
    settings, training = MODELS["transformer"]
    trained = train(configure(str(text), "", settings, TOKENS["words"], training), tmp_path / "run")
    validation = tmp_path / "validation.txt"
    validation.write_text(load_text(text).validation, encoding="utf-8")
    disjoint = perplexity(trained.model, validation).measured[0].measures[0]
    assert disjoint.bits_per_byte.value == pytest.approx(trained.validation["bits_per_byte"], abs=1e-9)
