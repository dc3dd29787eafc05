"""Every faulty model is caught, by the check that is for it, and by that one alone; the words say what is wrong."""

import re
from dataclasses import replace

import numpy as np
import pytest
from tests.evaluation import faulty
from tests.evaluation.faulty import (
    CONTEXT,
    Changed,
    FaultyTokenizer,
    Halving,
    Knowing,
    Miscounting,
    Peeking,
    Telling,
    as_network,
    attending,
)

from attnlab.errors import ArgumentError
from attnlab.evaluation.audit import HARD_TEXT, Certificate, audit
from attnlab.evaluation.scoring.costs import Policy
from attnlab.evaluation.scoring.predictors import Predictor, predictor_of
from attnlab.evaluation.scoring.subjects import Subject
from attnlab.models.kinds import make_model
from attnlab.models.ngrams.backoff import Backoff
from attnlab.models.ngrams.ngram import NGram
from attnlab.models.transformer import TransformerConfig
from attnlab.text import Tokenizer, train_tokenizer

TEXT = HARD_TEXT + "A quick quarrel was quite quelled, quoth the quiet queen.\n" * 4
BYTES = train_tokenizer("bytes", "")


def audited(predictor: Predictor, tokenizer: Tokenizer = BYTES, **options) -> Certificate:
    return audit(Subject("m", tokenizer, predictor), **options)


def only(certificate: Certificate) -> tuple[str, str]:
    """The one check that failed, and its words; what tokens were charged may not stand a recount either."""
    assert not certificate.sound
    failed, *others = certificate.failed
    assert [each.name for each in others] in ([], ["recounted"])
    return failed.name, failed.said


SEEN = r"later tokens change the predictions before them, by up to [\d.]+ nats \(after token \d+\)"
TOLD = (
    r"later tokens change the predictions before them: "
    r"token [\d,]+ was measured at [\d.]+ nats, but costs [\d.]+ when the model "
    r"sees only the \d+ tokens before it"
)
THROUGH = (
    r"with weights [\d,]+ times as large, later tokens leak \(after token \d+\): "
    r"its mask is a finite number, and logits can outgrow it"
)
FAULTS = {
    "no mask": (lambda: attending(faulty.no_mask), "causal", SEEN),
    "no mask, normalised queries": (lambda: attending(faulty.no_mask, qk_norm=True), "causal", SEEN),
    "a mask one too far": (lambda: attending(faulty.shifted), "causal", SEEN),
    "a mask with a gap": (lambda: attending(faulty.far), "causal", SEEN),
    "a mask that ends half-way": (lambda: attending(faulty.far_along), "causal", SEEN),
    "a token given away": (lambda: as_network(Telling(ord("q"))), "causal", TOLD),
    "a token given away late": (lambda: as_network(Telling(ord("q"), CONTEXT // 2)), "causal", TOLD),
    "a rare token given away": (lambda: as_network(Telling(7)), "causal", TOLD),
    "a mask of −10000": (lambda: attending(faulty.finite), "causal", THROUGH),
    "a whole text at once": (Knowing, "causal", SEEN),
    "too much probability": (
        lambda: Miscounting(to_log_probs=0.01), "normalised", r"probabilities sum to 1\.01005 to 1\.01005, not to 1"
    ),
    "not a number": (
        lambda: as_network(Changed(faulty.not_a_number)), "normalised",
        r"at \d+ of 24 positions the probability of a token is NaN",
    ),
    "costs of their own": (
        lambda: Miscounting(to_nats=-0.01), "normalised",
        r"the costs of tokens are not −ln p: they differ by up to 0\.01 nats",
    ),
    "the batch's mean": (
        lambda: as_network(Changed(faulty.by_batch_mean)), "batch-invariant",
        r"other rows of the batch change costs by up to [\d.]+ nats",
    ),
    "the batch's size": (
        lambda: as_network(Changed(faulty.by_batch_size)), "batch-invariant",
        r"other rows of the batch change costs by up to [\d.]+ nats",
    ),
    "the next row": (
        lambda: as_network(Peeking()), "batch-invariant",
        r"other rows of the batch change costs by up to [\d.]+ nats",
    ),
    "the next row of many": (
        lambda: as_network(Peeking(from_rows=33)), "recounted",
        r"token [\d,]+ was measured at [\d.]+ nats, but costs [\d.]+ when the model sees only the 12 tokens before it",
    ),
    "dropout": (
        faulty.with_dropout, "deterministic",
        r"asked twice, the model's answers differ by up to [\d.]+ nats; it is in training mode, where dropout is on",
    ),
    "a memory": (
        lambda: as_network(faulty.Remembering().eval()), "deterministic",
        r"asked twice, the model's answers differ by up to [\de.-]+ nats",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
@pytest.mark.parametrize("seed", [0, 1])
def test_a_faulty_model_is_caught(name, seed):
    make, check, words = FAULTS[name]
    failed, said = only(audited(make(), text=TEXT, seed=seed))
    assert failed == check
    assert re.fullmatch(words, said), said


@pytest.mark.parametrize("name", FAULTS)
def test_a_faulty_model_is_caught_with_the_few_questions_that_a_large_one_is_asked(name, monkeypatch):
    monkeypatch.setattr("attnlab.evaluation.audit.probes.MOST_WORK", 1)
    make, check, _ = FAULTS[name]
    assert only(audited(make(), text=TEXT))[0] == check


@pytest.mark.parametrize("policy", [Policy(stride=5), Policy(context=10, stride=3), Policy(context=8, stride=7)])
def test_the_windows_that_are_measured_are_the_ones_that_are_audited(policy):
    assert audited(Halving(), text=TEXT, policies=[Policy(), policy]).failed[0].name == "recounted"
    assert audited(Miscounting(), text=TEXT, policies=[Policy(), policy]).sound


def test_a_model_of_the_lab_that_was_left_in_training_is_caught():
    model = make_model(TransformerConfig(layers=1, heads=2, width=16, context=8, dropout=0.1), 256)
    predictor = predictor_of(model)
    assert audited(predictor).sound
    model.train()
    failed, said = only(audited(predictor))
    assert failed == "deterministic"
    assert said.endswith(" nats; it is in training mode, where dropout is on")


@pytest.mark.parametrize("seed", range(6))
def test_the_same_models_without_the_fault_pass(seed):
    assert audited(attending(faulty.sound, seed=seed), seed=seed).failed == ()
    assert audited(attending(faulty.sound, seed=seed, qk_norm=True), seed=seed).failed == ()
    assert audited(Miscounting(), seed=seed).failed == ()
    assert audited(as_network(Changed(lambda logits: logits)), seed=seed).failed == ()


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("layers", "heads"), [(1, 1), (3, 4)])
def test_a_finite_mask_is_caught_whatever_the_weights(seed, layers, heads):
    failed, said = only(audited(attending(faulty.finite, seed=seed, layers=layers, heads=heads), seed=seed))
    assert failed == "causal"
    assert re.fullmatch(THROUGH, said)


@pytest.mark.parametrize("seed", range(6))
def test_a_finite_mask_is_sound_where_logits_are_bounded(seed):
    """Normalised queries and keys have products of √dim at most: −10000 is −∞ to them."""
    assert audited(attending(faulty.finite, seed=seed, qk_norm=True), seed=seed).failed == ()


@pytest.mark.parametrize("seed", range(6))
def test_the_lowest_number_there_is_is_a_sound_mask(seed):
    """As transformers has it."""
    assert audited(attending(lambda n: faulty.finite(n, -3.4028234663852886e38), seed=seed)).failed == ()


def test_an_audit_leaves_the_weights_as_they_were():
    predictor = attending(faulty.finite)
    assert predictor.module is not None
    before = {name: each.clone() for name, each in predictor.module.state_dict().items()}
    audited(predictor)
    assert all((each == before[name]).all() for name, each in predictor.module.state_dict().items())


def test_ids_that_no_text_has_are_reported():
    certificate = audited(attending(faulty.sound, size=320))
    assert certificate.sound
    said = certificate.checks[1].said
    assert re.fullmatch(
        r"probabilities sum to 1 \(within .*\); 2\d\.\d\d % of .* goes to 64 ids that the tokenizer never uses",
        said,
    )
    assert 0.1 < certificate.checks[1].to_dict()["numbers"]["beyond_the_tokenizer"] < 0.3


def test_a_model_of_fewer_tokens_than_the_tokenizer_has_is_refused():
    with pytest.raises(ArgumentError) as refused:
        audited(attending(faulty.sound, size=100))
    assert (
        str(refused.value)
        == "model: expected a model that predicts the tokenizer's 256 tokens, got one that predicts 100; "
        "use the tokenizer that it was trained with"
    )


HARD = "\ufeffOne café,\r\ntwo 😀s.\r\n"
MISCOUNTED = {
    "strips the byte-order mark": (
        FaultyTokenizer(lambda text: text.removeprefix("\ufeff")),
        "the tokens cover 24 of the file's 27 bytes: 3 are not counted, as many as its byte-order mark has",
    ),
    "makes CRLF LF": (
        FaultyTokenizer(lambda text: text.replace("\r\n", "\n")),
        "the tokens cover 25 of the file's 27 bytes: 2 are not counted, as many as it has line ends of two bytes",
    ),
    "drops what it does not know": (
        FaultyTokenizer(lambda text: text.encode("ascii", "ignore").decode()),
        "the tokens cover 18 of the file's 27 bytes: 9 are not counted",
    ),
    "counts characters": (
        FaultyTokenizer(count=faulty.begins_characters),
        "the tokens cover 21 of the file's 27 bytes: 6 are not counted, since characters were counted, not bytes",
    ),
    "counts a special token": (
        FaultyTokenizer(count=faulty.one_for_the_beginning),
        "the tokens cover 28 bytes, 1 more than the file's 27",
    ),
    "is right by accident": (
        FaultyTokenizer(count=faulty.right_in_all), "the first 3 tokens are said to cover 4 bytes, but their text has 3"
    ),
    "counts all at once": (
        FaultyTokenizer(count=faulty.all_to_the_first),
        "the first 3 tokens are said to cover 27 bytes, but their text has 3",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MISCOUNTED)
def test_a_faulty_tokenizer_is_caught(name):
    tokenizer, words = MISCOUNTED[name]
    failed, said = only(audited(attending(faulty.sound), tokenizer, text=HARD))
    assert failed == "every byte counted once"
    assert said.startswith(words)


@pytest.mark.parametrize("name", MISCOUNTED)
def test_the_default_text_catches_every_faulty_tokenizer(name):
    assert only(audited(attending(faulty.sound), MISCOUNTED[name][0]))[0] == "every byte counted once"


def test_without_its_fault_the_tokenizer_passes():
    assert audited(attending(faulty.sound), FaultyTokenizer(), text=HARD).sound


def test_every_context_of_an_n_gram_model_is_summed():
    """Also those that no text of the audit has."""
    model = NGram.fit(np.frombuffer(("a quick quarrel " * 5 + "z" * 9 + "yx").encode(), np.uint8), 256, 3)
    found = audited(predictor_of(model), text="Nothing of it.\n")
    assert found.sound
    assert f"after all {model.contexts:,} contexts of the model" in found.checks[1].said
    *lower, last = model.levels
    shares = last.shares.copy()
    shares[-1] *= 1.5
    faulty = replace(model, levels=(*lower, replace(last, shares=shares)))
    name, said = only(audited(predictor_of(faulty), text="Nothing of it.\n"))
    assert name == "normalised"
    assert re.fullmatch(r"after one of its [\d,]+ contexts, probabilities sum to 1 only within 0\.\d+", said)


def test_of_a_back_off_model_the_certificate_tells_how_many_contexts_were_summed():
    model = Backoff.of(NGram.fit(np.frombuffer(b"a quick quarrel " * 5, np.uint8), 256, 3))
    found = audited(predictor_of(model), text="Nothing of it.\n")
    assert re.search(rf"after [\d,]+ of the {model.contexts:,} contexts of the model", found.checks[1].said)


@pytest.mark.parametrize("discounts", ["modified", "spread"])
@pytest.mark.parametrize("boundary", [None, 10])
def test_every_context_of_a_sound_n_gram_model_sums_to_one(discounts, boundary):
    ids = np.frombuffer((TEXT * 3).encode(), np.uint8)
    sums = np.concatenate([*NGram.fit(ids, 256, 4, discounts, boundary).sums()])
    assert np.abs(sums - 1).max() < 1e-9
