"""Costs: every token has one, the first too, under every policy."""

import math
from itertools import pairwise

import numpy as np
import pytest

from attnlab.errors import ArgumentError
from attnlab.evaluation.scoring.costs import Policy, costs, stream_costs
from attnlab.evaluation.scoring.predictors import predictor_of
from attnlab.evaluation.scoring.subjects import Subject
from attnlab.evaluation.scoring.windows import token_nats
from attnlab.models.kinds import make_model
from attnlab.models.ngrams.ngram import NGram
from attnlab.models.transformer import TransformerConfig
from attnlab.text import train_tokenizer

TOKENS = train_tokenizer("bytes", "")
MODEL = make_model(TransformerConfig(layers=1, heads=1, width=8, context=4), 257)


def test_without_a_beginning_the_first_token_is_one_of_all():
    found = costs(Subject("m", TOKENS, predictor_of(MODEL)), "abcdefgh")
    assert found.nats[0] == pytest.approx(math.log(257))
    assert found.nats[1:].tolist() == token_nats(predictor_of(MODEL), TOKENS.encode("abcdefgh").ids).tolist()
    assert found.encoding.raw_bytes.sum() == 8


def test_with_a_beginning_the_first_token_is_predicted_from_it():
    found = costs(Subject("m", TOKENS, predictor_of(MODEL), start=256), "abc")
    ids = np.array([256, *b"abc"])
    assert found.nats.tolist() == token_nats(predictor_of(MODEL), ids).tolist()


def test_the_policy_counts():
    subject = Subject("m", TOKENS, predictor_of(MODEL))
    disjoint, strided = costs(subject, "abcdefghijk"), costs(subject, "abcdefghijk", Policy(stride=1))
    assert disjoint.nats[:5].tolist() == pytest.approx(strided.nats[:5].tolist(), abs=1e-5)
    assert disjoint.nats[5] != pytest.approx(strided.nats[5], abs=1e-7)


@pytest.mark.parametrize("seed", range(4))
def test_a_text_in_pieces_costs_what_it_does_at_once(seed):
    text = "The Cat sat on the mat, 12 times. The dog? It SAT, too;\nso did a bird.\n\n" * 8
    words = train_tokenizer("words", text, vocabulary=9)
    subject = Subject("m", words, predictor_of(NGram.fit(words.encode(text).ids, words.size, 2)), unknown=0)
    places = np.random.default_rng(seed).integers(1, len(text), 6)
    cuts = sorted({0, len(text), *(words.cut(text[:place]) for place in places)})
    found = [*stream_costs(subject, [text[start:stop] for start, stop in pairwise(cuts)])]
    assert len(found) == len(cuts) - 1 > 1
    whole = costs(subject, text)
    assert np.concatenate([each.comparable for each in found]).tolist() == whole.comparable.tolist()


def test_an_empty_text_has_no_cost():
    with pytest.raises(ArgumentError, match="expected at least one token"):
        costs(Subject("m", TOKENS, predictor_of(MODEL)), "")
