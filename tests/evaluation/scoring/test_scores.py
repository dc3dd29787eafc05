"""Scores: every token and every byte of a held-out text once, and the same for every model."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from torch.nn import functional

from attnlab.errors import ArgumentError
from attnlab.evaluation.coding.side_information import with_side_information
from attnlab.evaluation.scoring.costs import Policy
from attnlab.evaluation.scoring.measures import measure
from attnlab.evaluation.scoring.scores import HeldOut, Score
from attnlab.evaluation.scoring.subjects import subject_of
from attnlab.models.bigram import Bigram, BigramConfig
from attnlab.models.kinds import make_model
from attnlab.models.ngrams.ngram import NGram
from attnlab.models.recurrent import RecurrentConfig
from attnlab.models.transformer import TransformerConfig
from attnlab.settings import read
from attnlab.text import Normalisation, train_tokenizer

BYTES = train_tokenizer("bytes", "")
LEARNERS = {
    "transformer": TransformerConfig(layers=1, heads=1, width=8, context=8, dropout=0.5),
    "recurrent": RecurrentConfig(width=8, context=8),
}
TEXT = "The naïve cat sat on the mat. "


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("length", [1, 2, 8, 9, 10, 17, 50])
def test_every_token_is_counted_once_from_its_window(name, length):
    model, text = make_model(LEARNERS[name], 256), "abcdefgh.i" * 5
    held_out = HeldOut.of(BYTES, [text[:length]])
    ids = torch.tensor(list(text[:length].encode()))
    model.eval()
    expected = math.log(256)  # every token is as likely as any other at first
    for place in range(1, length):
        start = min((place - 1) // 8 * 8, max(length - 1 - 8, 0))  # the last window is moved back until it is full
        window = ids[start:place]  # the tokens of the window before it
        expected += float(
            functional.cross_entropy(model(window[None])[0, -1:].detach().double(), ids[place : place + 1])
        )
    model.train()
    found = held_out.score(model)
    assert found.nats_per_token * length == pytest.approx(expected, rel=1e-6)
    assert model.training
    model.eval()
    held_out.score(model)
    assert not model.training


def test_ngrams_and_bigrams_are_scored_over_the_whole_text():
    held_out = HeldOut.of(BYTES, [TEXT * 4])
    ids = held_out.ids.astype(np.int64)
    ngram = NGram.fit(ids, 256, 3)
    assert held_out.score(ngram).nats_per_token == pytest.approx(
        (math.log(256) + float(ngram.nats(ids)[1:].sum())) / len(ids)
    )
    bigram = Bigram(BigramConfig(dim=3, hidden=4), 256)
    after = functional.cross_entropy(bigram(torch.from_numpy(ids[:-1])).detach(), torch.from_numpy(ids[1:]))
    expected = (math.log(256) + float(after) * (len(ids) - 1)) / len(ids)
    assert held_out.score(bigram).nats_per_token == pytest.approx(expected, rel=1e-6)


def test_a_uniform_model_costs_the_bits_that_it_must():
    model = NGram.fit(np.array([], dtype=np.int64), size=256, order=1)
    found = HeldOut.of(BYTES, ["naïve café"]).score(model)
    assert found.bits_per_byte == pytest.approx(8)
    assert found.perplexity == pytest.approx(256)
    assert found.nats_per_token == pytest.approx(math.log(256))
    assert found.unknown == 0


@pytest.mark.parametrize("kind", ["characters", "words"])
def test_what_the_tokens_leave_out_counts_in_bits_per_byte_alone(kind):
    rule = {"normalisation": Normalisation(lower=True)} if kind == "words" else {}
    tokenizer = train_tokenizer(kind, "the cat sat on the mat.", **rule)
    held_out = HeldOut.of(tokenizer, [TEXT])
    model = NGram.fit(held_out.ids, tokenizer.size, 2)
    found = held_out.score(model)
    ((_, _, beside),) = with_side_information(tokenizer, [TEXT], 0)
    nats = found.nats_per_token * len(held_out) + float(beside.spelling.sum() + beside.case_and_spaces.sum())
    assert beside.spelling.sum() > 0
    assert found.bits_per_byte == pytest.approx(nats / math.log(2) / len(TEXT.encode()))
    assert found.unknown == pytest.approx(float((held_out.ids == 0).mean()))
    assert found.unknown > 0


def test_pieces_change_nothing():
    tokenizer = train_tokenizer("words", TEXT, normalisation=Normalisation(lower=True))
    model = NGram.fit(tokenizer.encode(TEXT).ids, tokenizer.size, 2)
    whole, cut = (HeldOut.of(tokenizer, some).score(model) for some in ([TEXT * 3], [TEXT, TEXT, TEXT]))
    assert cut.to_dict() == pytest.approx(whole.to_dict())


def test_it_is_what_a_measurement_finds_in_the_same_windows():
    model = make_model(LEARNERS["transformer"], 256)
    held_out, subject = HeldOut.of(BYTES, [TEXT * 3]), subject_of("m", model, BYTES)
    for policy in (Policy(8, 8), Policy(8, 3)):
        found, measured = held_out.score(model, policy), measure(subject, TEXT * 3, policy)
        assert found.nats_per_token == pytest.approx(measured.nats_per_token.value, abs=1e-9)
        assert found.bits_per_byte == pytest.approx(measured.bits_per_byte.value, abs=1e-9)
    assert held_out.score(model) == held_out.score(model, Policy(8, 8))


def test_the_numbers_agree_and_are_read_back():
    found = HeldOut.of(BYTES, [TEXT]).score(make_model(LEARNERS["transformer"], 256))
    assert found.perplexity == pytest.approx(math.exp(found.nats_per_token))
    assert found.unknown == 0
    assert read(Score, found.to_dict()) == found


@pytest.mark.parametrize("nats", [math.inf, math.nan])
def test_a_diverged_model_has_a_score(nats):
    held_out = replace(HeldOut.of(BYTES, [TEXT]), charged=nats)
    assert not math.isfinite(held_out.score(make_model(LEARNERS["transformer"], 256)).bits_per_byte)


def test_no_token_cannot_be_scored():
    with pytest.raises(ArgumentError, match=r"^text: expected at least one token to score, got no tokens$"):
        HeldOut.of(BYTES, [])
