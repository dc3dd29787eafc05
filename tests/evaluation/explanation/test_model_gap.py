"""The gap between two models: its parts add up, whatever the models, and each is found where it is put."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from attnlab.errors import ArgumentError
from attnlab.evaluation.coding.side_information import SideInformation
from attnlab.evaluation.explanation import context_ladder
from attnlab.evaluation.explanation import words as words_module
from attnlab.evaluation.explanation.gaps import Gap
from attnlab.evaluation.explanation.model_gap import explain_models
from attnlab.evaluation.scoring.costs import Policy, costs
from attnlab.evaluation.scoring.predictors import predictor_of
from attnlab.evaluation.scoring.subjects import Subject
from attnlab.models.ngrams.ngram import NGram
from attnlab.text import train_tokenizer

TEXT = "The cat sat on the mat. 12 Dogs ran, too;\nand naïve 7 cats — “hid”  from\tTHEM!\r\n" * 3
KINDS = st.sampled_from(["bytes", "characters", "words", "byte-pairs"])
LETTERS = st.text(st.sampled_from("abcDE 1,.\n\té😀x'-\u00a0"), min_size=1, max_size=60).filter(str.strip)


def values(gap: Gap) -> dict[str, tuple[float, float]]:
    return {each.name: (each.nats_per_token, each.bits_per_byte) for each in gap.parts}


def assert_adds_up(gap: Gap) -> None:
    for unit in ("nats_per_token", "bits_per_byte"):
        parts = [getattr(each, unit) for each in gap.parts]
        size = max(getattr(gap.first, unit), getattr(gap.second, unit), *map(abs, parts))
        assert math.fsum(parts) == pytest.approx(getattr(gap, unit), rel=1e-9, abs=1e-9 * size)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    text=LETTERS,
    kinds=st.tuples(KINDS, KINDS),
    contexts=st.tuples(st.integers(1, 9), st.integers(1, 9)),
    stride=st.none() | st.just(1),
    seed=st.integers(0, 99),
)
def test_the_parts_add_up(restless_subject, text, kinds, contexts, stride, seed):
    trained = TEXT + "abcDE"  # so that some characters and words are unknown
    a, b = (restless_subject(kind, trained, seed + at, contexts[at]) for at, kind in enumerate(kinds))
    gap = explain_models(a, b, text, [Policy(stride=stride)] * 2)
    assert_adds_up(gap)
    other = explain_models(b, a, text, [Policy(stride=stride)] * 2)
    assert other.nats_per_token == -gap.nats_per_token
    swapped = values(other)
    for name, each in values(gap).items():
        assert swapped[name] == pytest.approx(tuple(-value for value in each), abs=1e-12)


@pytest.mark.parametrize("kind", ["bytes", "characters", "words", "byte-pairs"])
def test_a_model_does_not_differ_from_itself(restless_subject, kind):
    model = restless_subject(kind, TEXT[:40], 1, 5)
    gap = explain_models(model, model, TEXT)
    assert {value for each in values(gap).values() for value in each} == {0.0}
    assert gap.costliest[0].words == gap.costliest[0].passages == ()


@pytest.mark.parametrize(
    ("characters", "kind", "times"),
    [("TDHEM", "capitals", 9), ("127", "digits", 6), (".,;!", "punctuation", 21), ("\n", "line ends", 6)],
)
def test_a_kind_is_found_where_it_alone_differs(priced_subject, characters, kind, times):
    dear, plain = priced_subject("dear", **{characters: 3.0}), priced_subject("plain")
    text = f"a {TEXT}"  # the first word is the beginning
    gap = explain_models(dear, plain, text)
    assert_adds_up(gap)
    found = values(gap)
    more = 2 * sum(text.count(each) for each in characters)
    assert found.pop(kind)[1] == pytest.approx(more / len(text.encode()) / math.log(2))
    assert all(value == pytest.approx(0, abs=1e-12) for each in found.values() for value in each)
    assert {each.name: each.times for each in gap.parts}[kind] == (times,)
    assert all(set(each.text) & set(characters) for each in gap.costliest[0].words)


def test_words_unseen_in_training_are_found(priced_subject, tmp_path):
    known = tmp_path / "known.txt"
    known.write_text("the CAT sat on a mat . " * 50)
    dear, plain = (priced_subject("m", str(known), **prices) for prices in ({"gG": 3.0}, {}))
    gap = explain_models(dear, plain, "a Cat sat on a Dog , 99 mats")
    by_name = {each.name: each for each in gap.parts}
    assert by_name["words unseen in training"].times == (2,)  # Dog, mats
    assert by_name["capitals"].times == (1,)  # Cat, seen in another case
    assert by_name["digits"].times == (1,)  # a number is no word
    assert by_name["words unseen in training"].bits_per_byte == pytest.approx(gap.bits_per_byte)


def test_two_training_texts_have_a_kind_each_and_one_for_both(priced_subject, tmp_path):
    for name, words in (("one", "red green "), ("two", "red blue ")):
        (tmp_path / name).write_text(words * 50)
    a, b = (priced_subject(name, str(tmp_path / name)) for name in ("one", "two"))
    times = {each.name: each.times for each in explain_models(a, b, "red green red blue grey blue").parts}
    assert times["words unseen in training, by either model"] == (1,)
    assert times["words unseen in training by one"] == (2,)
    assert times["words unseen in training by two"] == (1,)
    assert times["the rest"] == times["the beginning"] == (1,)


def test_two_models_of_one_name_are_told_apart(priced_subject, tmp_path):
    for name, words in (("one", "red green "), ("two", "red blue ")):
        (tmp_path / name).write_text(words * 50)
    a, b = (priced_subject("m", str(tmp_path / name)) for name in ("one", "two"))
    gap = explain_models(a, b, "red green blue")
    assert (gap.first.name, gap.second.name) == ("the first m", "the second m")
    assert {"words unseen in training by the first m", "words unseen in training by the second m"} < values(gap).keys()


def test_the_first_segment_is_the_beginning_whatever_it_is(priced_subject):
    gap = explain_models(priced_subject("dear", **{"12": 9.0}), priced_subject("plain"), "122 and 12")
    times = {each.name: each.times for each in gap.parts}
    assert times["the beginning"] == times["digits"] == (1,)
    assert values(gap)["the beginning"][1] == pytest.approx(2 * 8 / 10 / math.log(2))  # the first is one of 256 to both
    assert [each.text for each in gap.costliest[0].words] == ["12"]
    assert gap.costliest[0].what == "bits by which dear costs more (+) or less (-) than plain"


def test_a_training_text_that_cannot_be_read_is_said_and_left_out(priced_subject, tmp_path):
    gap = explain_models(priced_subject(trained_on=str(tmp_path / "gone.txt")), priced_subject(), TEXT)
    assert not any("unseen" in each.name for each in gap.parts)
    assert gap.notes[0].startswith("the training text of the second priced is unknown")
    assert "gone.txt: there is no such file" in gap.notes[1]


def test_unknown_words_come_first_and_their_spelling_apart(restless_subject):
    a, b = restless_subject("words", "the cat sat", 1, 4), restless_subject("bytes", "", 2, 4)
    gap = explain_models(a, b, "the Dog sat the cat")
    assert {each.name: each.times for each in gap.parts}["unknown words"] == (1,)
    assert values(gap)["spelling unknown words"][0] == 0
    assert values(gap)["spelling unknown words"][1] > 0
    assert gap.first.comparable > gap.first.nats


@pytest.mark.parametrize(
    ("kinds", "unit"),
    [
        (("characters", "bytes"), "characters"),
        (("words", "words"), "words"),
        (("words", "characters"), "words or characters"),
    ],
)
def test_what_is_unknown_is_named_by_what_tokens_are(restless_subject, kinds, unit):
    a, b = (restless_subject(kind, "the cat sat", at, 4) for at, kind in enumerate(kinds))
    found = values(explain_models(a, b, "the dog"))
    assert {f"unknown {unit}", f"spelling unknown {unit}"} < found.keys()


def test_the_costs_are_those_asked_for(restless_subject):
    a, b = restless_subject("words", TEXT, 1, 4), restless_subject("bytes", "", 2, 6)
    for found, each in zip(explain_models(a, b, TEXT).costs, (a, b), strict=True):
        assert found.nats.tolist() == costs(each, TEXT).nats.tolist()


def test_the_number_of_tokens_is_a_part_of_its_own(restless_subject):
    a, b = restless_subject("words", "to be or not", 1, 4), restless_subject("bytes", "", 2, 4)
    gap = explain_models(a, b, "to be or not to be")
    assert (gap.first.tokens, gap.second.tokens) == (6, 18)
    longer = 0.5 * (gap.first.nats + gap.second.nats) * (1 / 6 - 1 / 18)
    assert values(gap)["tokenizer (length)"] == (pytest.approx(longer), 0)


def test_context_and_position_are_found(restless_subject):
    """Of one model with all its context or half of it, nothing but that differs; of windows, nothing but they."""
    whole = restless_subject("bytes", "", 1, 8)
    half = restless_subject("bytes", "", 1, 4)
    gap = explain_models(whole, half, TEXT, [Policy(stride=1)] * 2, share=0.125)
    found = values(gap)
    assert found["context length"][0] == pytest.approx(gap.nats_per_token)
    assert found["position in the window"] == (0, 0)
    disjoint = explain_models(whole, half, TEXT, share=0.125)
    position = sum(
        sign * (costs(each, TEXT).nats.mean() - costs(each, TEXT, Policy(stride=1)).nats.mean())
        for sign, each in ((1, whole), (-1, half))
    )
    assert values(disjoint)["position in the window"][0] == pytest.approx(position)
    assert position != pytest.approx(0, abs=1e-4)
    assert_adds_up(disjoint)


def test_counts_with_less_context_are_those_of_shorter_ngrams():
    tokens = train_tokenizer("bytes", "")
    model = NGram.fit(tokens.encode(TEXT).ids, 256, order=4)
    long = Subject("m", tokens, predictor_of(model))
    ids = tokens.encode(TEXT[50:90]).ids
    for context in (1, 2):
        short = costs(long, TEXT[50:90], Policy(context, 1)).nats
        expected = [model.nats(ids[max(0, at - context) : at + 1])[-1] for at in range(1, len(ids))]
        assert short[1:].tolist() == pytest.approx(expected)


def test_a_text_that_is_too_large_is_refused(priced_subject, monkeypatch):
    monkeypatch.setattr(words_module, "LARGEST", 1 << 20)
    with pytest.raises(ArgumentError, match=r"explain: expected a text of at most 1 MiB, got 1\.5 MiB"):
        explain_models(priced_subject(), priced_subject(), "é" * (3 << 18))


@pytest.mark.parametrize("share", [0.0, 1.5, -1.0])
def test_windows_that_do_not_move_or_leave_gaps_are_refused(priced_subject, share):
    with pytest.raises(ArgumentError, match="share: expected a share above 0 and up to 1"):
        explain_models(priced_subject(), priced_subject(), TEXT, share=share)


def test_charges_that_leave_something_out_are_noted(priced_subject, monkeypatch):
    untold = SideInformation(np.zeros(5), np.zeros(5), "its form")
    monkeypatch.setattr(context_ladder, "costs", lambda *some: replace(costs(*some), charged=untold))
    gap = explain_models(priced_subject("a"), priced_subject("b"), "a zoo")
    assert gap.notes[-1] == "the bits per byte of b are a lower bound: its form"


def test_an_impossible_token_has_no_explanation(priced_subject):
    with pytest.raises(ArgumentError, match=r"but a token of the text has probability 0 \(dear\)"):
        explain_models(priced_subject("dear", z=np.inf), priced_subject(), "a zoo")


def test_the_json_holds_the_sums(restless_subject):
    gap = explain_models(restless_subject("words", TEXT, 1, 4), restless_subject("bytes", "", 2, 6), TEXT)
    value = json.loads(json.dumps(gap.to_dict(), allow_nan=False))
    assert sum(each["nats_per_token"] for each in value["parts"]) == pytest.approx(value["nats_per_token"])
    assert math.log(value["first"]["perplexity"]) == pytest.approx(value["first"]["nats_per_token"])
