"""A verdict follows what is measured: with a wrong attention, or another problem, it turns."""

from dataclasses import replace
from functools import partial

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
)
from attnlab.claims.ledger import choose
from attnlab.claims.passages import material
from attnlab.claims.two_models import model_bits_per_byte
from attnlab.evaluation import preprocessed


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
    monkeypatch.setattr(norm_noise, "Averaging", partial(attention.Averaging, norm_variance=1e-12))
    assert verdict("norm-noise-swings") == "fails"


def test_if_both_norms_were_noisy_c_would_be_right_about_it(monkeypatch):
    monkeypatch.setattr(norm_noise, "Averaging", lambda keys, noisy=(): attention.Averaging(keys, ("a", "b")))
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
    monkeypatch.setattr(four_perplexities, "bits_per_byte", model_bits_per_byte)
    assert verdict("four-perplexities-smaller") == "holds"
    assert verdict("four-perplexities-easier") == "holds"


def passages(monkeypatch, near: str, far: str) -> None:
    """Other passages, with the text to train on as it was."""
    other = replace(material(0), near=near, far=far)
    for family in (four_perplexities, preprocessing):
        monkeypatch.setattr(family, "material", lambda seed: other)


def test_a_passage_of_known_words_has_few_bits_in_unknown_ones(monkeypatch):
    passages(monkeypatch, material(0).near, material(0).near)
    assert verdict("four-perplexities-unknown") == "fails"


def test_a_model_that_never_saw_an_unknown_word_finds_nothing_easy_in_them(monkeypatch):
    few = replace(material(0), train="to be or not to be " * 50, near="to be or not to be " * 5)
    monkeypatch.setattr(four_perplexities, "material", lambda seed: few)
    assert verdict("four-perplexities-nothing-known") == "holds"


def test_common_words_in_no_order_are_dear_for_themselves(monkeypatch):
    words = material(0).near.lower().split()
    passages(monkeypatch, material(0).near, " ".join(np.random.default_rng(0).permutation(words)))
    assert verdict("four-perplexities-dearer") == "fails"


def test_where_no_capital_has_to_be_told_small_letters_help_on_both(monkeypatch):
    passages(monkeypatch, material(0).near.lower(), material(0).far.lower())
    assert verdict("preprocessing-lower") == "holds"


def test_a_step_that_always_costs_has_one_sign(monkeypatch):
    passages(monkeypatch, material(0).near, material(0).near)
    monkeypatch.setattr(preprocessing, "TRIED", ("punctuation",))
    assert verdict("preprocessing-everywhere") == "holds"


def test_if_telling_what_was_thrown_away_were_free_a_step_that_throws_away_would_help(monkeypatch):
    monkeypatch.setattr(preprocessing, "TRIED", ("numbers",))
    assert verdict("preprocessing-perplexity") == "fails"
    monkeypatch.setattr(preprocessed, "surface_nats", lambda seen, raw: np.zeros(len(seen)))
    assert verdict("preprocessing-perplexity") == "holds"
