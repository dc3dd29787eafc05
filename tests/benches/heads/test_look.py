"""Look at a text as heads see it: the record, its files, and what cannot be looked at."""

import csv
import json
from dataclasses import replace

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file

import attnlab as al
from attnlab.benches.heads import look as bench
from attnlab.benches.heads.look import HeadPatterns, look
from attnlab.benches.language import LanguageModel
from attnlab.errors import ArgumentError
from attnlab.evaluation.scoring.subjects import subject_of
from attnlab.models.inside import TransformerInside
from attnlab.models.kinds import make_model
from attnlab.models.ngrams.ngram import NGram
from attnlab.models.transformer import Transformer, TransformerConfig
from attnlab.text import train_tokenizer

TEXT = "to be, or"
TOKENS = train_tokenizer("characters", "to be or not, x")
SHAPE = TransformerConfig(layers=2, heads=3, width=12, context=12)


def model(**settings) -> LanguageModel:
    network = make_model(replace(SHAPE, **settings), TOKENS.size, seed=3)
    return LanguageModel("small", subject_of("small", network, TOKENS))


@pytest.fixture(scope="module")
def found() -> HeadPatterns:
    return look(model(), TEXT)


def test_weights_are_those_of_a_pass(found):
    network = model().subject.predictor.module
    assert isinstance(network, Transformer)
    seen = TransformerInside(network).look(torch.tensor([TOKENS.encode(TEXT).ids.tolist()]))
    assert found.tokens == tuple(TEXT)
    assert found.heads == ("0.0", "0.1", "0.2", "1.0", "1.1", "1.2")
    np.testing.assert_allclose(found.weights("1.2"), seen.layers[1].weights[0, 2], rtol=1e-5, atol=1e-7)
    np.testing.assert_array_equal(found.logits("0.1"), seen.layers[0].logits[0, 1])


def test_one_head_can_be_chosen_or_some(found):
    one = al.heads.look(model(), TEXT, head="1.0")
    assert one.heads == ("1.0",)
    np.testing.assert_array_equal(one.weights(), found.weights("1.0"))
    assert al.heads.look(model(), TEXT, head="1.0,0.2,1.0").heads == ("1.0", "0.2")
    with pytest.raises(ArgumentError, match=r"^head: expected a head that was looked at, 1.0; got '0.0'$"):
        one.weights("0.0")
    with pytest.raises(ArgumentError, match=r"^head: expected a head that was looked at, 0.0, .*; got None$"):
        found.weights()


def test_a_start_token_stands_before_the_text():
    plain = model()
    started = replace(plain, subject=replace(plain.subject, start=2))
    seen = look(started, TEXT, "0.0")
    assert seen.tokens == (TOKENS.decode([2]), *TEXT)
    assert seen.started
    assert len(seen.weights()) == 1 + len(TEXT)
    assert len(look(started, "t").tokens) == 2


def test_unknown_tokens_are_counted():
    assert look(model(), "to Zoe", "0.0").unknown == (3,)


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("", {}, "text: the text is empty; expected at least 2 tokens"),
        ("t", {}, "text: the text has 1 token; expected at least 2: a lone token attends to itself only"),
        ("to be or not to be", {}, "text: the text has 18 tokens; small sees at most 12 at once: give a shorter text"),
        (TEXT, {"head": "2.0"}, r"head: there is no head 2.0; the model's heads are 0.0 to 1.2 (LAYER.HEAD)"),
        (TEXT, {"head": "0"}, "head: expected LAYER.HEAD, counted from 0, such as 0.3; got '0'"),
        (TEXT, {"query": 9}, "query: expected a position from 0 to 8, got 9"),
        (TEXT, {"query": -1}, "query: expected a position from 0 to 8, got -1"),
    ],
)
def test_what_cannot_be_looked_at_is_told_in_a_line(text, options, message):
    with pytest.raises(ArgumentError) as error:
        al.heads.look(model(), text, **options)
    assert str(error.value) == message


def test_a_model_without_attention_is_told():
    counts = NGram.fit(TOKENS.encode("to be or not").ids, TOKENS.size, 2)
    with pytest.raises(ArgumentError, match=r"^model: counts is an n-gram model, which has no attention"):
        look(LanguageModel("counts", subject_of("counts", counts, TOKENS)), TEXT)


def test_a_model_whose_weights_are_nan_is_told():
    broken = model()
    assert isinstance(broken.subject.predictor.module, Transformer)
    with torch.no_grad():
        broken.subject.predictor.module.embedding.weight.fill_(torch.nan)
    with pytest.raises(ArgumentError, match=r"^model: the attention weights of small are NaN"):
        look(broken, TEXT)


def test_the_files_agree(found, tmp_path):
    with found.save(tmp_path / "look.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 6 * 45
    assert list(rows[0]) == ["layer", "head", "query", "key", "query_token", "key_token", "logit", "weight"]
    value = json.loads(found.save(tmp_path / "look.json").read_text())
    arrays = load_file(found.save(tmp_path / "look.safetensors"))
    assert arrays["1.2.queries"].shape == arrays["1.2.keys"].shape == arrays["1.2.values"].shape == (9, 4)
    for row in rows:
        head, query, key = f"{row['layer']}.{row['head']}", int(row["query"]), int(row["key"])
        assert (row["query_token"], row["key_token"]) == (TEXT[query], TEXT[key])
        for name in ("weight", "logit"):
            written = float(row[name])
            assert written == value["heads"][head][f"{name}s"][query][key]
            assert written == pytest.approx(float(arrays[f"{head}.{name}s"][query, key]), rel=1e-5)
    assert value["tokens"] == list(TEXT)


def test_the_weights_follow_from_the_arrays(found, tmp_path):
    arrays = load_file(found.save(tmp_path / "look.safetensors"))
    logits = arrays["0.1.queries"] @ arrays["0.1.keys"].T
    ratio = arrays["0.1.logits"][np.tri(9, dtype=bool)] / logits[np.tri(9, dtype=bool)]
    np.testing.assert_allclose(ratio, ratio[0], rtol=1e-3)  # the scale


def test_too_many_weights_for_text_are_told(found, tmp_path, monkeypatch):
    monkeypatch.setattr(bench, "MOST_WRITTEN", 100)
    for ending in (".csv", ".json"):
        with pytest.raises(ArgumentError, match=r"^head: 270 weights are too many for .csv and JSON, which take 100"):
            found.save(tmp_path / f"look{ending}")
    assert found.save(tmp_path / "look.safetensors").exists()
    with pytest.raises(ArgumentError, match=r"^save: expected a file that ends in .html, .*, got '.*look.npy'$"):
        found.save(tmp_path / "look.npy")


def test_the_call_names_what_was_chosen(found, again):
    assert found.command == "attnlab heads look small 'to be, or'"
    assert look(model(), "-x to", "1.0", 2).command == "attnlab heads look --head 1.0 --query 2 -- small '-x to'"
