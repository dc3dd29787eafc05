"""Three or more models: the gap of every pair is the gap of the two alone, and neighbours in rank come first."""

import pytest

from attnlab.data.texts import loading
from attnlab.evaluation.explanation.gaps import ModelGaps
from attnlab.evaluation.explanation.model_gap import explain_models, explain_pairs
from attnlab.evaluation.scoring.costs import Policy

TEXT = "The cat sat on the mat. 12 Dogs ran, too;\n" * 3


@pytest.fixture
def pairs(priced_subject) -> ModelGaps:
    """Four models that differ in the price of the letter a, given in no order."""
    subjects = [priced_subject(f"costs {price}", a=price) for price in (3.0, 1.0, 9.0, 5.0)]
    return explain_pairs(subjects, TEXT, [Policy()] * 4)


def test_neighbours_in_rank_come_first_and_the_costlier_model_is_the_first(pairs):
    ranks = ("costs 1.0", "costs 3.0", "costs 5.0", "costs 9.0")
    assert tuple(each.name for each in pairs.ranked) == ranks
    apart = [(1, 0), (2, 1), (3, 2), (2, 0), (3, 1), (3, 0)]
    assert [(each.first.name, each.second.name) for each in pairs.gaps] == [(ranks[i], ranks[j]) for i, j in apart]
    assert all(each.bits_per_byte > 0 for each in pairs.gaps)


def test_steps_between_neighbours_add_up_to_the_whole_way(pairs):
    gaps = [each.bits_per_byte for each in pairs.gaps]
    assert sum(gaps[:3]) == pytest.approx(gaps[-1])
    letters = TEXT.count("a")
    assert [gap * len(TEXT) * 0.6931471805599453 for gap in gaps[:3]] == pytest.approx(
        [2 * letters, 2 * letters, 4 * letters]
    )


@pytest.mark.parametrize("stride", [None, 1])
def test_each_gap_is_that_of_the_two_models_alone(restless_subject, stride):
    kinds = {"words": 9, "bytes": 40, "characters": 5}
    subjects = [restless_subject(kind, TEXT, at, context) for at, (kind, context) in enumerate(kinds.items())]
    found = explain_pairs(subjects, TEXT, [Policy(stride=stride)] * 3)
    named = {each.name: each for each in subjects}
    for gap in found.gaps:
        alone = explain_models(named[gap.first.name], named[gap.second.name], TEXT, [Policy(stride=stride)] * 2)
        assert gap == alone
        assert sum(each.bits_per_byte for each in gap.parts) == pytest.approx(gap.bits_per_byte)
    assert [len(each.encoding) for each in found.costs] == [len(each.tokenizer.encode(TEXT).ids) for each in subjects]


def test_a_training_text_is_read_once_for_all_pairs(priced_subject, tmp_path, monkeypatch):
    read, load = [], loading.load_text
    monkeypatch.setattr(loading, "load_text", lambda name: read.append(name) or load(name))
    (tmp_path / "text.txt").write_text("the cat")
    subjects = [priced_subject(str(price), str(tmp_path / "text.txt"), a=price) for price in (1.0, 2.0, 3.0)]
    explain_pairs(subjects, TEXT, [Policy()] * 3)
    assert read == [str(tmp_path / "text.txt")]
