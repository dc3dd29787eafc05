"""A verdict follows what is measured: with a wrong attention, or another problem, it turns."""

from dataclasses import replace
from functools import partial
from types import SimpleNamespace

import numpy as np

from attnlab import attention
from attnlab.claims.families import (
    averaging,
    copying,
    distribution,
    four_perplexities,
    norm_noise,
    preprocessing,
    self_attention,
    synthesizer,
    two_heads,
    unknown_words,
)
from attnlab.claims.ledger import choose
from attnlab.claims.models.coursework import tokens_alone
from attnlab.claims.passages import passages
from attnlab.claims.seeds import seed_of
from attnlab.evaluation.scoring import preprocessed
from attnlab.evaluation.scoring.intervals import Estimate
from attnlab.evaluation.scoring.measures import measure

SEED = seed_of(0, "passages")


def verdict(name: str) -> str:
    (claim,) = choose([name])
    return claim.run().verdict


def test_weights_that_are_all_alike_copy_and_average_nothing(monkeypatch):
    def flat(query, keys, values, **options):
        return attention.attend(0 * query, keys, values, **options)

    for family in (copying, averaging, two_heads):
        monkeypatch.setattr(family, "attend", flat)
    for name in ("copying-margin", "averaging-two", "averaging-without-others", "two-heads-scaled"):
        assert verdict(name) == "fails"


def test_if_attention_scaled_by_itself_the_scale_could_be_left_out(monkeypatch):
    monkeypatch.setattr(two_heads, "attend", partial(attention.attend, scale=20.0))
    assert verdict("two-heads-unscaled") == "holds"


def test_a_softmax_with_a_sink_is_no_distribution(monkeypatch):
    monkeypatch.setattr(distribution, "attend", partial(attention.attend, sink=1.0))
    assert verdict("distribution-sums-to-one") == "fails"


def test_without_noise_nothing_swings(monkeypatch):
    monkeypatch.setattr(norm_noise, "AveragingQuestion", partial(attention.AveragingQuestion, norm_variance=1e-12))
    assert verdict("norm-noise-swings") == "fails"


def test_if_both_norms_were_noisy_c_would_be_right_about_it(monkeypatch):
    monkeypatch.setattr(
        norm_noise, "AveragingQuestion", lambda keys, noisy=(): attention.AveragingQuestion(keys, ("a", "b"))
    )
    assert verdict("norm-noise-both-keys") == "holds"


def test_the_other_sign_turns_both_verdicts(monkeypatch):
    right = self_attention._outputs
    monkeypatch.setattr(self_attention, "_outputs", lambda sign, *rest: right({"-": "+", "+": "-"}[sign], *rest))
    assert verdict("self-attention-minus") == "holds"
    assert verdict("self-attention-plus") == "fails"


def test_a_synthesizer_that_looked_at_pairs_would_find_the_place(monkeypatch):
    monkeypatch.setattr(synthesizer, "_synthesizer", synthesizer._dot_product)
    assert verdict("synthesizer-blind") == "fails"
    assert verdict("synthesizer-cannot-compare") == "fails"


def test_if_unknown_words_were_free_the_lower_perplexity_would_be_better(monkeypatch):
    def free(subject, text):
        found = measure(subject, text)
        return replace(found, bits_per_byte=Estimate(tokens_alone(found)))

    monkeypatch.setattr(four_perplexities, "measure", free)
    assert verdict("four-perplexities-smaller") == "holds"
    assert verdict("four-perplexities-easier") == "holds"


def other_passages(monkeypatch, near: str, far: str) -> None:
    """Other passages, with the text to train on as it was."""
    other = replace(passages(SEED), near=near, far=far)
    for family in (four_perplexities, unknown_words, preprocessing):
        monkeypatch.setattr(family, "passages", lambda seed: other)


def test_a_passage_of_known_words_has_few_bits_in_unknown_ones(monkeypatch):
    other_passages(monkeypatch, passages(SEED).near, passages(SEED).near)
    assert verdict("unknown-words-more-bits") == "fails"


def test_in_a_passage_of_three_words_the_first_one_counts_for_more_than_unknown_after_unknown(monkeypatch):
    other_passages(monkeypatch, "one two three", passages(SEED).far)
    assert verdict("unknown-words-alone") == "fails"


def test_models_of_which_the_better_is_the_one_with_the_lower_perplexity(monkeypatch):
    one, other = (
        measure(four_perplexities.word_pairs(passages(SEED).train, size), passages(SEED).near) for size in (2000, 10)
    )
    assert one.perplexity.value > other.perplexity.value
    worse = replace(other, nats_per_token=one.nats_per_token.map(lambda nats: 2 * nats))
    monkeypatch.setattr(
        four_perplexities, "_measured", lambda text, seed: {("one", "near"): one, ("one", "strange"): one}
    )
    monkeypatch.setattr(four_perplexities, "measure", lambda subject, text: worse)
    assert verdict("four-perplexities-order") == "holds"


def test_where_the_passages_change_places_so_does_the_order(monkeypatch):
    other_passages(monkeypatch, passages(SEED).far, passages(SEED).near)
    finding = choose(["four-perplexities-reported"])[0].run()
    assert finding.words == "holds if the tokens are words"


def test_words_that_were_seen_but_in_no_order_are_dear_for_themselves(monkeypatch):
    words = sorted({word for word in passages(SEED).train.lower().split() if word.isalpha()})
    other_passages(monkeypatch, passages(SEED).near, " ".join(np.random.default_rng(0).permutation(words)[:600]))
    assert verdict("unknown-words-dearer") == "fails"


def test_where_no_capital_has_to_be_told_small_letters_help_on_both(monkeypatch):
    other_passages(monkeypatch, passages(SEED).near.lower(), passages(SEED).far.lower())
    assert verdict("preprocessing-lower") == "holds"


def test_a_step_that_always_costs_has_one_sign(monkeypatch):
    other_passages(monkeypatch, passages(SEED).near, passages(SEED).near)
    monkeypatch.setattr(preprocessing, "TRIED", ("punctuation",))
    assert verdict("preprocessing-everywhere") == "holds"


def test_if_telling_what_was_thrown_away_were_free_a_step_that_throws_away_would_help(monkeypatch):
    monkeypatch.setattr(preprocessing, "TRIED", ("numbers",))
    assert verdict("preprocessing-perplexity") == "fails"
    free = SimpleNamespace(add=lambda pieces: np.zeros(len(pieces[0])))
    monkeypatch.setattr(preprocessed, "CaseAndSpacesTeller", lambda code: free)
    monkeypatch.setattr(preprocessing, "_effects", preprocessing._effects.__wrapped__)
    assert verdict("preprocessing-perplexity") == "holds"


def test_a_step_that_changes_nothing_neither_helps_nor_hurts(monkeypatch):
    other_passages(monkeypatch, "the cat sat on the mat\n" * 20, "Élan " * 20)
    monkeypatch.setattr(preprocessing, "TRIED", ("accents",))
    finding = choose(["preprocessing-everywhere"])[0].run()
    assert finding.verdict == "holds"
    assert "near passage: accents no change." in finding.explanation
