"""Scores: every token but the first once, whatever the batch, and the same for every model."""

import math

import numpy as np
import pytest
import torch
from torch.nn import functional

from attnlab.errors import ArgumentError
from attnlab.evaluation.scoring.scores import Score, score
from attnlab.models.bigram import Bigram, BigramConfig
from attnlab.models.kinds import make_model
from attnlab.models.ngram import NGram
from attnlab.models.recurrent import RecurrentConfig
from attnlab.models.transformer import TransformerConfig
from attnlab.text import Encoding, train_tokenizer

SIZE = 9
LEARNERS = {
    "transformer": TransformerConfig(layers=1, heads=1, width=8, context=8, dropout=0.5),
    "recurrent": RecurrentConfig(width=8, context=8),
}


def text(length: int) -> Encoding:
    random = np.random.default_rng(length)
    return Encoding(
        random.integers(SIZE, size=length).astype(np.uint16), random.integers(1, 4, size=length, dtype=np.uint32)
    )


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("length", [2, 8, 9, 10, 17, 50])
def test_every_token_but_the_first_is_predicted_once_from_its_window(name, length):
    model, encoded = make_model(LEARNERS[name], SIZE), text(length)
    ids = torch.from_numpy(encoded.ids.astype(np.int64))
    model.eval()
    expected = 0.0
    for place in range(1, length):
        start = min((place - 1) // 8 * 8, max(length - 1 - 8, 0))  # the last window is moved back until it is full
        window = ids[start:place]  # the tokens of the window before it
        expected += float(
            functional.cross_entropy(model(window[None])[0, -1:].detach().double(), ids[place : place + 1])
        )
    model.train()
    for batch in (None, 1, 2, 5):
        found = score(model, encoded, batch=batch)
        assert found.nats == pytest.approx(expected, rel=1e-6)
        assert (found.tokens, found.raw_bytes) == (length - 1, int(encoded.raw_bytes[1:].sum()))
    assert model.training


def test_ngrams_and_bigrams_are_scored_over_the_whole_text():
    encoded = text(40)
    ngram = NGram.fit(encoded.ids, SIZE, 3)
    assert score(ngram, encoded).nats == pytest.approx(float(ngram.nats(encoded.ids)[1:].sum()))
    bigram, ids = Bigram(BigramConfig(SIZE, dim=3, hidden=4)), torch.from_numpy(encoded.ids.astype(np.int64))
    expected = float(functional.cross_entropy(bigram(ids[:-1]).detach(), ids[1:], reduction="sum"))
    assert score(bigram, encoded).nats == pytest.approx(expected, rel=1e-6)


def test_a_uniform_model_costs_the_bits_that_it_must():
    encoded = train_tokenizer("bytes", "").encode("naïve café")
    model = NGram.fit(np.array([], dtype=np.int64), size=256, order=1)
    found = score(model, encoded)
    assert found.bits_per_byte == pytest.approx(8)
    assert found.perplexity == pytest.approx(256)
    assert found.nats_per_token == pytest.approx(math.log(256))


def test_the_three_numbers_agree():
    found = Score(nats=50.0, tokens=20, raw_bytes=80).as_json()
    assert found["nats_per_token"] == 2.5
    assert found["perplexity"] == pytest.approx(math.exp(2.5))
    assert found["bits_per_byte"] == pytest.approx(50 / math.log(2) / 80)


def test_one_token_cannot_be_scored():
    with pytest.raises(ArgumentError, match=r"^text: expected at least two tokens to score, got 1$"):
        score(NGram.fit([0, 1], 2), text(1))
