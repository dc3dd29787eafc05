"""The kinds of errors: what the experiments say of generated reviews, whose truth is known."""

from functools import cache

import numpy as np
import pytest
from tests.evaluation.classification.worlds import learnt, random_classifier

from attnlab.data.worlds.reviews.reviews import Review
from attnlab.errors import ArgumentError
from attnlab.evaluation.classification.denials import cuts, denials
from attnlab.evaluation.classification.error_kinds import explain_error, explain_errors, explain_text, misread_rows
from attnlab.evaluation.classification.reasons import KINDS, NONE, KindCounts, Misread


@cache
def misread(ngrams: int, seed: int = 1) -> tuple[list[int], list[Misread]]:
    """The rows that a classifier of reviews misreads, and why."""
    classifier, data, _ = learnt(seed, ngrams)
    rows = misread_rows(classifier, data)
    return rows, list(explain_errors(classifier, data, rows))


def against(review: Review):
    return [each for each in review.phrases if (each.opinion.says > 0) != (review.label == "pos")]


def truth(kind: str, review: Review, known: set[str]) -> bool:
    """Whether a review is truly of a kind, whatever a classifier makes of it."""
    match kind:
        case "unknown words":
            return any(word not in known for word in review.rare)
        case "negation":
            return any(phrase.opinion.negation for phrase in review.phrases)
        case "order":
            return review.kind in ("contrast", "reported")
        case "one loud word":
            return [each.opinion.weight for each in against(review)] == [3] and not review.mislabelled
        case "mixed":
            return len({each.opinion.says for each in review.phrases}) == 2
    return review.mislabelled


# Of the errors that are said to be of a kind, the share that is: at least. The thresholds of the experiments were set
# on the world of seed 0; these are two others, whose errors count together: single worlds differ by chance.
WORDS = {
    "unknown words": 0.95,
    "negation": 0.95,
    "order": 0.95,
    "one loud word": 0.2,
    "mixed": 0.6,
    "label doubtful": 0.6,
}
PAIRS = WORDS | {"negation": 0.85, "mixed": 0.65, "label doubtful": 0.4}


@pytest.mark.parametrize(("ngrams", "least"), [(1, WORDS), (2, PAIRS)])
def test_kinds_agree_with_the_truth_much_better_than_chance(ngrams, least):
    pairs: dict[str, list[tuple[bool, bool]]] = {kind: [] for kind in least}
    for seed in (1, 2):
        classifier, data, reviews = learnt(seed, ngrams)
        rows, found = misread(ngrams, seed)
        known = set(classifier.features.tokenizer.vocabulary)
        for kind, seen in pairs.items():
            seen += [
                (truth(kind, reviews[row], known), kind in each.kinds) for row, each in zip(rows, found, strict=True)
            ]
        counts = KindCounts.of(found, len(data))
        assert sum(counts.first.values()) == counts.errors == len(rows)
        assert all(counts.first[kind] <= counts.any[kind] for kind in (*KINDS, NONE))
        assert counts.first[NONE] < 0.25 * len(rows)
    for kind, share in least.items():
        true, said = np.array(pairs[kind]).T
        assert true[said].mean() >= share, kind
        assert deviations(true, said) > 2.5, kind


def deviations(true, said):
    """How far the agreement is above that of as many errors drawn blindly, in standard deviations of such a draw."""
    p, drawn, errors = true.mean(), said.sum(), len(said)
    return ((true & said).sum() - drawn * p) / np.sqrt(drawn * p * (1 - p) * (errors - drawn) / (errors - 1))


def test_each_kind_has_the_numbers_that_decided_it():
    found = misread(1)[1][0]
    assert [each.kind for each in found.experiments] == list(KINDS)
    assert all(each.numbers for each in found.experiments if each.holds)
    assert found.to_dict()["first"] == found.first == (found.kinds or [NONE])[0]
    assert found.reasons.said != found.reasons.label


def test_an_unheeded_negation_is_told():
    """A network of words cannot tell what is denied; all it says of “not superb” is what it says of both words."""
    reviews = learnt(1, 1)[2]
    for row, found in zip(*misread(1), strict=True):
        if found.first == "negation":
            (trial,) = (each for each in found.experiments if each.kind == "negation")
            assert trial.numbers["log_odds"] > 0 > trial.numbers["log_odds_turned"]
            assert any(phrase.opinion.negation for phrase in reviews[row].phrases)
            return
    pytest.fail("no error is a matter of negation")


def test_a_label_is_doubtful_if_and_only_if_the_rows_say_so():
    """A row that holds or explains a part, a class that turns, or an unsure classifier: then the label stands."""
    seen = set()
    for ngrams, seed in ((1, 1), (2, 1), (2, 2)):
        for found in misread(ngrams, seed)[1]:
            *others, doubt = found.experiments
            sure = doubt.numbers["probability"] >= 0.8 and doubt.numbers["log_odds_without_strongest"] > 0
            explained = [f"{each.kind} explains it" in doubt.told for each in others]
            assert explained == [each.holds for each in others]
            assert doubt.holds == (sure and " explains " not in doubt.told)
            assert doubt.holds == ("But" not in doubt.told)
            seen.add((doubt.holds, bool(others[1].numbers or others[2].numbers)))
    assert (True, True) in seen  # a negation or a contrast that moves little does not save the label


def test_the_surest_errors_come_first():
    classifier, data, _ = learnt(1, 1)
    sure = classifier.probabilities([data.texts[row] for row in misread_rows(classifier, data)]).max(1)
    assert (np.diff(sure) <= 0).all()


def test_all_words_unknown_is_first():
    classifier = random_classifier(0)
    said = explain_text(classifier, "zzz qqq").said
    found = explain_error(classifier, "zzz qqq", next(name for name in classifier.classes if name != said))
    assert found.first == "unknown words"
    assert found.experiments[0].numbers["unknown_share"] == 1
    assert found.experiments[0].told == "100 % of its words are unknown; from 50 % on, no other reason is needed"


def test_what_is_no_error_is_refused():
    classifier = random_classifier(0)
    said = explain_text(classifier, "good").said
    with pytest.raises(ArgumentError, match="label: expected a misclassified text"):
        explain_error(classifier, "good", said)
    with pytest.raises(ArgumentError, match="label: expected a or b; got 'x'"):
        explain_error(classifier, "good", "x")


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("seed", range(5))
def test_any_text_can_be_an_error(classes, seed):
    classifier = random_classifier(seed, classes, ngrams=2)
    for text in ("but", "good", "although , good", "not", "not not but", ". , .", "zzz not good but zzz bad"):
        said = explain_text(classifier, text).said
        for label in set(classifier.classes) - {said}:
            found = explain_error(classifier, text, label)
            assert len(found.experiments) == len(KINDS)
            assert np.isfinite([number for each in found.experiments for number in each.numbers.values()]).all()


def test_signs():
    assert denials(["isn’t", "it"]) == [(0, 1, 2)]
    assert denials(["not"]) == [(0, 1, 1)]
    assert cuts(["but", "good"]) == []
    assert cuts(["however", ",", "good", ".", "fine"]) == []
    assert cuts(["good", ".", "however", ",", "dull"]) == [2]


def test_a_text_too_long_to_explain_is_refused():
    classifier = learnt(1, 1)[0]
    for explain in (explain_text, lambda classifier, text: explain_error(classifier, text, "pos")):
        with pytest.raises(
            ArgumentError, match=r"^text: expected at most 1,000,000 characters to explain, got 2,000,000$"
        ):
            explain(classifier, "a " * 10**6)
