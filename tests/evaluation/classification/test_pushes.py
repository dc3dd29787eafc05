"""How far words pushed: removal is what the model says without them, and gradients add up."""

import numpy as np
import pytest
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st
from tests.evaluation.classification.worlds import WORDS, random_classifier

from attnlab.errors import ArgumentError
from attnlab.evaluation.classification.asking import Asker
from attnlab.evaluation.classification.error_kinds import explain_text
from attnlab.evaluation.classification.pushes import Pushes
from attnlab.evaluation.classification.reading import read
from attnlab.evaluation.classification.text_features import grams_of
from attnlab.text.bags import Bags

TEXTS = st.lists(st.sampled_from([*WORDS, "zzz", "qqq"]), min_size=1, max_size=12).map(" ".join)
SHAPES = st.fixed_dictionaries(
    {
        "seed": st.integers(0, 50),
        "classes": st.integers(2, 4),
        "ngrams": st.integers(1, 3),
        "once": st.booleans(),
        "layers": st.integers(0, 2),
        "votes": st.sampled_from(["none", "bayes"]),
    }
)


def log_odds(classifier, ids, target):
    """By the classifier's own probabilities, in single precision."""
    found = classifier.of_bags(classifier.features.of_words(Bags.of([ids])))[0]
    return float(np.log(found[target]) - np.log(np.delete(found, target).sum()))


@given(SHAPES, TEXTS)
@settings(max_examples=40, deadline=None, phases=[Phase.generate])
def test_grams_are_the_features_with_their_places(shape, text):
    classifier = random_classifier(**shape)
    ids = read(classifier.features, text).ids
    grams = grams_of(classifier.features, ids)
    features = classifier.features.encode([text]).ids
    found = np.unique(grams.ids) if grams.once else np.sort(grams.ids)
    assert found.tolist() == sorted(features.tolist())
    assert grams.size == len(features)


BENT = {"seed": 40, "classes": 4, "ngrams": 3, "once": True, "layers": 2, "votes": "none"}
"""A layer of this classifier switches on within the path from no words to "the"."""


@given(SHAPES, TEXTS, st.integers(0, 1))
@example(BENT, "the", 1)
@settings(max_examples=40, deadline=None, phases=[Phase.explicit, Phase.generate])
def test_gradients_add_up_to_the_difference_from_no_words(shape, text, target):
    classifier = random_classifier(**shape)
    pushes = Pushes(Asker(classifier), read(classifier.features, text).ids, target)
    found = pushes.gradients
    assert found.sum() == pytest.approx(pushes.score - pushes.empty, abs=1e-6)
    assert not found[pushes.ids == 0].any()
    assert pushes.score == pytest.approx(log_odds(classifier, pushes.ids, target), abs=2e-3, rel=1e-3)


@given(SHAPES, TEXTS, st.integers(0, 1))
@settings(max_examples=40, deadline=None, phases=[Phase.generate])
def test_removal_is_what_the_model_says_without_the_word(shape, text, target):
    """A repeated word is removed everywhere. A word that is unknown is in no n-gram, and joins none."""
    classifier = random_classifier(**shape)
    asker, ids = Asker(classifier), read(classifier.features, text).ids
    pushes = Pushes(asker, ids, target)
    without = [np.where(ids == ids[place], 0, ids) for place in range(len(ids))]
    expected = [pushes.score - Pushes(asker, each, target).score for each in without]
    assert pushes.removal == pytest.approx(np.array(expected), abs=1e-9)
    single = [log_odds(classifier, ids, target) - log_odds(classifier, each, target) for each in without]
    assert pushes.removal == pytest.approx(np.array(single), abs=5e-3, rel=5e-3)


@pytest.mark.parametrize("once", [False, True])
def test_a_repeated_word_pushes_as_far_as_all_its_places(once):
    """A classifier that counts each word once would not miss one of four."""
    classifier = random_classifier(0, once=once)
    found = explain_text(classifier, "Bad bad, the plot was bad")
    assert found.removal[0] == found.removal[1] == found.removal[-1] != 0
    strongest = {word.name: word for word in found.strongest()}
    assert list(strongest).count("Bad ×3") == 1
    assert "bad" not in strongest
    assert strongest["Bad ×3"].gradients == pytest.approx(found.gradients[[0, 1, -1]].sum())


def test_groups_of_words_are_taken_out_together():
    classifier = random_classifier(3, ngrams=2)
    ids = read(classifier.features, "not good but not bad").ids
    pushes = Pushes(Asker(classifier), ids, 0)
    _, groups = np.unique(ids, return_inverse=True)
    gone = pushes.without(groups)[groups[0]]
    assert gone == pytest.approx(Pushes(Asker(classifier), np.where(ids == ids[0], 0, ids), 0).score)
    assert pushes.silent(groups)[groups[0]] != pytest.approx(gone)


def test_a_word_without_a_vector_is_silent():
    """In a sum of votes alone, a silent word leaves the votes of the others as they are."""
    classifier = random_classifier(1, dim=0, votes="bayes")
    ids = read(classifier.features, "good bad dull").ids
    pushes = Pushes(Asker(classifier), ids, 1)
    each = pushes.score - pushes.silent(np.arange(3))
    assert each == pytest.approx(pushes.gradients)


def test_a_long_text_is_explained_in_parts():
    classifier = random_classifier(2, ngrams=2)
    found = explain_text(classifier, "good bad dull " * 2000)
    assert len(found.removal) == 6000
    assert found.removal[3] == pytest.approx(found.removal[3000])


def test_words_have_their_places_and_numbers():
    classifier = random_classifier(0)
    found = explain_text(classifier, " The PLOT, zzz")
    assert [(word.text, word.start, word.known) for word in found.words] == [
        ("The", 1, True),
        ("PLOT", 5, True),
        (",", 9, True),
        ("zzz", 11, False),
    ]
    value = found.to_dict()
    assert value["unknown"] == 1
    assert {"text", "start", "stop", "known", "form", "removal", "gradients"} == set(value["words"][0])
    assert found.probability == pytest.approx(classifier.probabilities([" The PLOT, zzz"]).max(), abs=1e-6)


def test_only_unknown_words_push_nothing():
    found = explain_text(random_classifier(0), "zzz qqq")
    assert found.unknown == 2
    assert found.log_odds == found.empty
    assert not found.removal.any()
    assert found.strongest() == []


@pytest.mark.parametrize("text", ["", "  \n"])
def test_a_text_without_words_is_refused(text):
    with pytest.raises(ArgumentError, match="text: expected at least one word, got no words"):
        explain_text(random_classifier(0), text)
