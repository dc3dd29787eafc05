"""Measures: the units agree with each other, and with what they are made from."""

import math

import numpy as np
import pytest

from attnlab.errors import ArgumentError
from attnlab.evaluation.scoring.costs import Policy, costs
from attnlab.evaluation.scoring.intervals import Estimate
from attnlab.evaluation.scoring.measures import difference, measure
from attnlab.evaluation.scoring.predictors import NetworkPredictor, predictor_of
from attnlab.evaluation.scoring.subjects import Subject
from attnlab.models.kinds import make_model
from attnlab.models.ngrams.ngram import NGram
from attnlab.models.transformer import TransformerConfig
from attnlab.text import train_tokenizer
from attnlab.text.normalisation import Normalisation

TEXT = "The naïve cat sat on the mat, 3 times.\nThe dog sat, too; nobody knew why. 😀\n" * 5


def by_words() -> Subject:
    tokens = train_tokenizer("words", TEXT, vocabulary=9, normalisation=Normalisation(lower=True))
    return Subject("words", tokens, predictor_of(NGram.fit(tokens.encode(TEXT).ids, tokens.size, 2)), unknown=0)


def by_bytes(context: int = 8) -> Subject:
    model = make_model(TransformerConfig(layers=1, heads=1, width=8, context=context), 256)
    return Subject("bytes", train_tokenizer("bytes", ""), predictor_of(model))


def test_a_text_without_spaces_has_no_word_perplexity():
    found = measure(by_bytes(), ["ACGT" * 500])
    assert found.words == 1
    assert found.nats_per_word is not None
    assert found.word_perplexity is None
    assert found.to_dict()["word_perplexity"] is None
    assert measure(by_bytes(), ["A cat sat. " * 50]).word_perplexity is not None


def test_the_units_are_those_of_the_costs():
    subject = by_words()
    found, whole = measure(subject, [TEXT]), costs(subject, TEXT)
    nats, bits = whole.nats.sum(), whole.comparable.sum() / math.log(2)
    assert found.tokens == len(whole.nats)
    assert found.nats_per_token.value == pytest.approx(nats / found.tokens)
    assert found.perplexity.value == pytest.approx(math.exp(nats / found.tokens))
    assert found.raw_bytes == len(TEXT.encode())
    assert found.bits_per_byte.value == pytest.approx(bits / len(TEXT.encode()))
    assert found.bits_per_character.value == pytest.approx(bits / len(TEXT))
    assert found.words == len(TEXT.split())
    assert found.nats_per_word is not None
    assert found.nats_per_word.value == pytest.approx(bits * math.log(2) / len(TEXT.split()))


def test_unknown_words_are_not_free():
    found, whole = measure(by_words(), [TEXT]), costs(by_words(), TEXT)
    assert found.unknown == pytest.approx(whole.unknown.mean())
    assert 0 < found.unknown < 1
    assert found.known_nats_per_token is not None
    assert found.known_nats_per_token.value == pytest.approx(whole.nats[~whole.unknown].mean())
    assert found.spelled_nats_per_token.value > found.nats_per_token.value
    own = found.nats_per_token.value * found.tokens / math.log(2) / found.raw_bytes
    parts = own + found.spelling_bits_per_byte + found.case_and_spaces_bits_per_byte
    assert found.bits_per_byte.value == pytest.approx(parts)


def documents(count: int) -> str:
    """A text with documents that differ a little."""
    return "".join(f" = {number} = \n{TEXT}{'Zz!' * (number * 5 % 7)}\n" for number in range(count))


def test_a_difference_has_an_interval_of_its_own():
    first, second = measure(by_words(), documents(9)), measure(by_bytes(), documents(9))
    found = difference(first, second)
    assert found.value == pytest.approx(first.bits_per_byte.value - second.bits_per_byte.value)
    assert found.low is not None
    assert found.high is not None
    assert found.low < found.value < found.high
    assert difference(first, first) == Estimate(0.0)  # no interval of width 0
    back = difference(second, first)
    assert back.high == pytest.approx(-found.low)
    assert difference(measure(by_words(), documents(2)), measure(by_bytes(), documents(2))).low is None


def test_an_interval_says_what_it_is_made_from():
    found, short = measure(by_words(), documents(9)), measure(by_words(), TEXT)
    assert found.interval_from == "the differences between its 9 documents"
    assert found.no_interval_because == short.interval_from == ""
    assert "without documents tell little about others" in short.no_interval_because


def test_a_base_makes_no_difference():
    value = measure(by_bytes(), documents(6)).to_dict()
    assert value["perplexity"]["value"] == pytest.approx(value["perplexity_base_2"]["value"], rel=1e-12)
    assert value["perplexity"]["low"] == pytest.approx(value["perplexity_base_2"]["low"], rel=1e-12)


@pytest.mark.parametrize("policy", [Policy(), Policy(stride=3), Policy(context=5), Policy(context=5, stride=1)])
def test_pieces_change_nothing(policy):
    subject = by_bytes()
    whole, cut = measure(subject, [TEXT], policy), measure(subject, [TEXT[:7], TEXT[7:8], TEXT[8:]], policy)
    assert cut.bits_per_byte.value == pytest.approx(whole.bits_per_byte.value, rel=1e-12)
    assert (cut.tokens, cut.characters) == (whole.tokens, whole.characters)
    assert (whole.context, whole.stride) == (policy.context or 8, policy.stride or policy.context or 8)


def test_a_hopeless_model_has_no_number_that_json_lacks():
    class Hopeless(NetworkPredictor):
        def nats(self, ids, targets):
            return super().nats(ids, targets) + 1e6

    sane = by_bytes().predictor
    assert isinstance(sane, NetworkPredictor)
    hopeless = Hopeless(sane.logits, sane.context, sane.size, sane.device)
    value = measure(Subject("hopeless", train_tokenizer("bytes", ""), hopeless), [TEXT]).to_dict()
    assert value["perplexity"]["value"] is None
    assert np.isfinite(value["bits_per_byte"]["value"])


def test_a_text_without_tokens_cannot_be_measured():
    with pytest.raises(ArgumentError, match="expected at least one token, got no tokens"):
        measure(by_bytes(), [""])
