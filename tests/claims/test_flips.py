"""A verdict follows what is measured: with a wrong attention, or another problem, it turns."""

from functools import partial

from attnlab import attention
from attnlab.claims.families import averaging, copying, distribution, norm_noise, self_attention, synthesizer, two_heads
from attnlab.claims.ledger import choose


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
