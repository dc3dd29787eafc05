"""A witness keeps what was charged, and knows what was seen for it without the code that measures."""

import re

import numpy as np
import pytest
import torch
from tests.evaluation import faulty
from tests.evaluation.faulty import Miscounting, Telling, as_network, attending

from attnlab.evaluation.audit import Witness, audit, recounted
from attnlab.evaluation.scoring.costs import Policy, costs, stream_costs
from attnlab.evaluation.scoring.measures import measure
from attnlab.evaluation.scoring.predictors import NetworkPredictor, halved, predictor_of
from attnlab.evaluation.scoring.subjects import Subject
from attnlab.models.kinds import make_model
from attnlab.models.ngrams.ngram import NGram
from attnlab.models.transformer import TransformerConfig
from attnlab.text import train_tokenizer

BYTES = train_tokenizer("bytes", "")
TEXT = "It was a quiet day, and nobody came. Who would have? " * 12
POLICIES = [Policy(), Policy(stride=5), Policy(context=7, stride=7), Policy(context=7, stride=2), Policy(stride=1)]
SUBJECTS = [Subject("m", BYTES, attending(faulty.sound)), Subject("m", BYTES, attending(faulty.sound, size=257), 256)]


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("subject", SUBJECTS)
@pytest.mark.parametrize("length", [1, 2, 11, 12, 13, 14, 30, 400])
def test_what_is_seen_is_what_the_windows_show(subject, policy, length):
    """Each cost comes back from what the witness says was seen, whatever pieces it was shown."""
    text = TEXT[:length]
    witness = Witness(subject, policy, length)
    for found in stream_costs(subject, [text[:7], text[7:20], text[20:]], policy):
        witness(found)
    assert sorted(each.place for each in witness.drawn) == list(range(length))
    whole = costs(subject, text, policy)
    for each in witness.drawn:
        assert (each.token, each.nats) == (whole.encoding.ids[each.place], pytest.approx(whole.nats[each.place]))
    assert recounted(audit(subject, text, policies=()), [witness]).failed == ()


def test_tokens_of_every_kind_are_kept():
    witness = Witness(SUBJECTS[0], None, 1 << 14)
    ids = np.zeros(1 << 14, np.uint16)
    ids[::1000] = np.arange(1, 18)
    witness.add(ids, np.zeros(len(ids)))
    kept = [each.token for each in witness.of_each_kind]
    assert sorted(kept[:18]) == list(range(18))
    assert (len(kept), len(witness.drawn)) == (400, 400)


def test_a_measurement_of_a_leaking_model_fails_where_its_audit_has_met_no_leak():
    """Of a token that no question of the audit has in it: only what was measured can tell."""
    text = TEXT * 4
    subject = Subject("m", BYTES, as_network(Telling(ord("q"))))
    certificate = audit(subject, text, policies=())
    assert certificate.sound
    witness = Witness(subject, None, len(text))
    measure(subject, text, witness=witness)
    found = recounted(certificate, [witness])
    assert [check.name for check in found.failed] == ["causal", "recounted"]
    assert found.failed[1].said.endswith(" tokens before it, because later tokens leak")


def test_the_words_bound_what_can_be_wrong():
    said = audit(SUBJECTS[0], TEXT * 4).checks[-1].said
    most = "so at most 0.75 % of all tokens can be wrong (95 % confidence)"
    assert said.startswith(
        f"400 tokens drawn at random cost the same when the model sees only the tokens before them, {most}"
    )


def test_a_text_that_was_not_measured_to_its_end():
    witness = Witness(SUBJECTS[0], None, 10)
    witness.add(np.zeros(9, np.uint16), costs(SUBJECTS[0], "\0" * 9).nats)
    check = recounted(audit(SUBJECTS[0], policies=()), [witness]).failed[0]
    assert (check.name, check.said) == ("recounted", "expected a cost for each of 10 tokens, got 9 costs")


def test_counts_are_recounted_too():
    model = NGram.fit(BYTES.encode(TEXT).ids, size=256, order=3)
    assert audit(Subject("m", BYTES, predictor_of(model)), TEXT, policies=[Policy(), Policy(context=1)]).sound


@pytest.mark.parametrize("size", [1.0, 4.0])
def test_bfloat16_rounds_and_is_sound_and_its_leaks_are_found(size):
    model = make_model(TransformerConfig(layers=2, heads=2, width=32, context=24), 256)
    assert isinstance(model, torch.nn.Module)
    for each in model.parameters():
        each.data *= size
    predictor = predictor_of(model)
    assert isinstance(predictor, NetworkPredictor)
    found = audit(Subject("m", BYTES, halved(predictor)), TEXT, policies=POLICIES)
    assert found.failed == ()
    assert found.checks[-1].to_dict()["numbers"]["largest_change"] > 1e-5
    leaking = halved(as_network(Telling(ord("q"))))
    assert audit(Subject("m", BYTES, leaking), TEXT).failed[0].name == "causal"


def test_what_is_a_little_too_cheap_in_bfloat16_is_found_by_its_mean():
    model = Miscounting(to_nats=-0.02)
    model.dtype = torch.bfloat16
    check = audit(Subject("m", BYTES, model), TEXT).failed[-1]
    assert (check.name, check.said) == (
        "recounted",
        "on average, tokens were measured 0.02 nats below their cost",
    )


@pytest.mark.parametrize(("order", "level", "times"), [(3, 3, 1.5), (3, 1, 1.01), (5, 5, 3e38)])
def test_counts_whose_shares_were_scaled_are_not_normalised(order, level, times):
    state = NGram.fit(BYTES.encode(TEXT).ids, size=256, order=order).state()
    state[f"shares.{level}"] *= times
    failed = audit(Subject("m", BYTES, predictor_of(NGram.from_state(state))), TEXT).failed
    assert [each.name for each in failed] == ["normalised"]
    assert re.search(r"probabilities sum to [\d.e+]+( to [\d.e+]+)?, not to 1$", failed[0].said)


def test_a_negative_cost_fails_by_itself():
    witness = Witness(SUBJECTS[0], None, 2000)
    nats = costs(SUBJECTS[0], "\0" * 2000).nats
    nats[next(place for place in range(2000) if place not in witness.drawn_places)] = -1.0
    witness.add(np.zeros(2000, np.uint16), nats)
    failed = {each.name: each.said for each in recounted(audit(SUBJECTS[0], policies=()), [witness]).failed}
    assert failed["normalised"] == "a token was measured at -1 nats: its probability would be above 1"
