"""Composition as a record: its pairs are those of the matrices, and what has no composition is refused."""

import csv
from pathlib import Path

import pytest
import torch

import attnlab as al
from attnlab.errors import ArgumentError
from attnlab.evaluation.heads.composition import READINGS, composition_chance, compositions
from attnlab.evaluation.heads.opening import open_heads

pytestmark = pytest.mark.usefixtures("as_installed")
SHAPE = {"kind": "transformer", "layers": 2, "heads": 2, "width": 16, "context": 16}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("composition")
    (made / "text.txt").write_text("The cat sat on the mat, and the dog sat on the cat.\n" * 40)
    shapes = {"two": {}, "one": {"layers": 1}, "synthesizer": {"mixer": "synthesizer"}}
    for name, shape in shapes.items():
        al.train(made / "text.txt", model=SHAPE | shape, steps=2, threads=1, out=made / name)
    return made


def test_the_pairs_are_those_of_the_matrices_farthest_above_chance_first(folder, again, monkeypatch):
    monkeypatch.chdir(folder)
    found, inside = al.heads.composition("two"), open_heads(al.open("two").subject)
    assert len(found.pairs) == 3 * 2 * 2
    assert [each.above for each in found.pairs] == sorted((each.above for each in found.pairs), reverse=True)
    for reading in READINGS:
        whole = compositions(inside, reading)
        assert whole is not None
        assert torch.equal(found.scores[reading].nan_to_num(), whole.nan_to_num())
        chance = composition_chance(16, 8, reading)
        for each in found.pairs:
            if each.reading == reading:
                score = float(whole[each.later.layer, each.later.place, each.earlier.layer, each.earlier.place])
                assert each.score == score
                assert each.above == pytest.approx((score - chance.value) / chance.spread)
    assert again(found) == found.to_dict()


def test_it_is_shown_drawn_and_saved(folder, tmp_path, monkeypatch):
    monkeypatch.chdir(folder)
    found = al.heads.composition("two")
    first = found.pairs[0]
    assert f"{first.later}         {first.earlier}" in repr(found)
    assert len(found.plot().to_dict()["hconcat"]) == 3
    with Path(found.save(tmp_path / "pairs.csv")).open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["score"]) for row in rows] == [each.score for each in found.pairs]


def test_heads_without_queries_compose_in_values_only(folder):
    assert set(al.heads.composition(folder / "synthesizer").scores) == {"value"}


def test_a_single_layer_has_no_composition(folder):
    with pytest.raises(ArgumentError, match="model: expected at least two layers, got 1"):
        al.heads.composition(folder / "one")
