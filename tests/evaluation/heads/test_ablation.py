"""What a head is worth: all heads in one batch against one at a time, the score of `perplexity`, and slopes."""

import dataclasses
import math

import numpy as np
import pytest
import torch
from scipy import stats

from attnlab.errors import ArgumentError
from attnlab.evaluation.heads import variants
from attnlab.evaluation.heads.ablation import effects, mean_outputs, plain_costs
from attnlab.evaluation.heads.agreement import rank_correlation
from attnlab.evaluation.heads.importance import first_order
from attnlab.evaluation.heads.opening import open_heads
from attnlab.evaluation.heads.passages import MOST_BLOCKS, read_passage
from attnlab.evaluation.heads.variants import Changes, changed_nats
from attnlab.evaluation.scoring.measures import measure
from attnlab.evaluation.scoring.scores import HeldOut
from attnlab.evaluation.scoring.subjects import subject_of
from attnlab.models.kinds import make_model
from attnlab.models.lens import Head, Lens, every_head
from attnlab.models.mixers import MIXERS
from attnlab.models.transformer import Transformer, TransformerConfig
from attnlab.text import train_tokenizer

TEXT = "".join(f"{n} and {n * n % 97} make {n + n * n % 97}.\n" for n in range(12))
TINY = TransformerConfig(layers=3, heads=2, width=16, context=12, latents=3)
each_mixer = pytest.mark.parametrize("mixer", MIXERS)


def model_of(mixer: str = "dot-product", **settings) -> Transformer:
    """A model whose parameters all matter, in float64."""
    model = make_model(dataclasses.replace(TINY, mixer=mixer, **settings), 256, seed=1)
    assert isinstance(model, Transformer)
    generator = torch.Generator().manual_seed(4)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.3 * torch.randn(parameter.shape, generator=generator))
    return model.double()


def opened(mixer: str = "dot-product", text: str = TEXT, **settings):
    """A model as a subject, what it lets one see, and a passage."""
    subject = subject_of("tiny", model_of(mixer, **settings), train_tokenizer("bytes", ""))
    return subject, open_heads(subject), read_passage(subject, [text])


def cost_with(subject, passage, lens: Lens | None) -> float:
    """The cost of the passage in bits per byte by the code of `train` and `perplexity`, with a lens put into it."""
    model = subject.predictor.module
    held = HeldOut.of(subject.tokenizer, [TEXT])
    plain = model.hidden
    model.hidden = lambda ids: plain(ids, lens=lens)
    try:
        return held.score(model).bits_per_byte
    finally:
        del model.hidden


@each_mixer
def test_all_heads_in_one_batch_equal_one_at_a_time(mixer):
    subject, inside, passage = opened(mixer)
    mean = mean_outputs(subject, inside, passage)
    plain = cost_with(subject, passage, None)
    heads = every_head(inside)
    for means in (None, mean):
        found = effects(subject, inside, passage, Changes.off([[head] for head in heads], inside, means))
        for head, nats in zip(heads, found, strict=True):
            wanted = cost_with(subject, passage, Lens.off([head], inside, means)) - plain
            assert math.isclose(passage.bits_per_byte(nats).value, wanted, rel_tol=0, abs_tol=1e-6)
            assert abs(wanted) > 1e-5
    assert mean.abs().min() > 0


def test_without_a_change_it_is_the_number_of_perplexity():
    subject, _, passage = opened()
    found = passage.bits_per_byte(plain_costs(subject, passage)).value
    wanted = measure(subject, TEXT).bits_per_byte.value
    assert math.isclose(found, wanted, rel_tol=1e-12)
    assert passage.raw_bytes.sum() == len(TEXT.encode())


def test_part_of_a_text_is_the_number_of_that_part():
    subject, _, _ = opened()
    passage = read_passage(subject, [TEXT], most=100)
    found = passage.bits_per_byte(plain_costs(subject, passage)).value
    assert math.isclose(found, measure(subject, TEXT[:100]).bits_per_byte.value, rel_tol=1e-12)


@each_mixer
def test_frozen_heads_keep_the_weights_of_the_plain_model(mixer):
    _, inside, passage = opened(mixer)
    ids = torch.from_numpy(passage.encoding.ids[:26].astype(np.int64)).view(2, 13)
    ids, targets = ids[:, :-1], ids[:, 1:]
    seen, heads = inside.look(ids), every_head(inside)
    found = changed_nats(inside, ids, targets, Changes.off([[head] for head in heads], inside), frozen=True)
    for head, nats in zip(heads, found, strict=True):
        lens = Lens(weigh=lambda layer, now: seen.layers[layer].weights, gain=Lens.off([head], inside).gain)
        wanted = -torch.log_softmax(inside.logits(ids, lens), -1).gather(-1, targets[..., None]).squeeze(-1).sum(-1)
        torch.testing.assert_close(nats, wanted, rtol=0, atol=1e-4)
    whole = changed_nats(inside, ids, targets, Changes.off([[head] for head in heads], inside))
    touched = mixer != "random-synthesizer"  # its weights depend on no token
    assert bool((whole - found).abs().max() > 1e-3) is touched


@pytest.mark.parametrize("frozen", [False, True])
def test_neither_memory_nor_another_kind_of_model_changes_a_number(frozen, monkeypatch):
    """Little memory: one row at a time. Another kind of model shares no layers."""
    _, inside, passage = opened()
    ids = torch.from_numpy(passage.encoding.ids[:39].astype(np.int64)).view(3, 13)
    ids, targets = ids[:, :-1], ids[:, 1:]
    groups = [[head] for head in every_head(inside)[::-1]] + [[Head(0, 1), Head(2, 0)]]
    changes = Changes.off(groups, inside, torch.randn(3, 2, 8, generator=torch.Generator().manual_seed(1)))
    wanted, largest, passes = changed_nats(inside, ids, targets, changes, frozen=frozen), [], Transformer.hidden
    monkeypatch.setattr(variants, "TransformerInside", type(None))

    def watched(self, ids, cache=None, lens=None):
        largest.append(len(ids))
        return passes(self, ids, cache, lens)

    monkeypatch.setattr(Transformer, "hidden", watched)
    plain = int(frozen)  # rows of the plain model, whose weights the others keep
    for at_once, rows in ((1 << 24, 3 * (7 + plain)), (12 * 256 * 4, 3 + plain), (1, 1 + plain)):
        monkeypatch.setattr(variants, "NUMBERS_AT_ONCE", at_once)
        largest.clear()
        torch.testing.assert_close(changed_nats(inside, ids, targets, changes, frozen=frozen), wanted)
        assert max(largest) == rows


@each_mixer
def test_the_first_order_is_the_slope_of_the_cost(mixer):
    subject, inside, passage = opened(mixer)
    slopes, heads, tiny = first_order(subject, inside, passage), every_head(inside), 2.0**-13  # exact in float32
    scaled = [Lens.scaled(head, factor, inside) for factor in (1 + tiny, 1 - tiny) for head in heads]
    gains = torch.cat([lens.gain for lens in scaled if lens.gain is not None])
    up, down = effects(subject, inside, passage, Changes(gains)).sum(1).reshape(2, len(heads))
    np.testing.assert_allclose(slopes.signed.sum(0).ravel(), (down - up) / (2 * tiny), rtol=1e-4, atol=1e-3)
    assert (slopes.importance >= np.abs(slopes.signed) - 1e-12).all()
    assert slopes.importance.sum() > np.abs(slopes.signed.sum(0)).sum()


def test_blocks_are_whole_windows_and_their_differences_give_the_interval():
    _, _, passage = opened()
    windows = math.ceil((len(TEXT) - 1) / 12)
    assert passage.blocks == min(windows, MOST_BLOCKS)
    changes = np.flatnonzero(np.diff(passage.block))
    assert (changes % 12 == 0).all()  # the first token, which no window predicts, comes before the first window
    nats = np.random.default_rng(0).normal(5.0, 1.0, passage.blocks)
    found = passage.bits_per_byte(nats)
    assert found.low is not None
    assert found.high is not None
    assert found.low < found.value < found.high
    assert math.isclose(found.value, nats.sum() / math.log(2) / len(TEXT))
    assert read_passage(opened()[0], [TEXT[:30]]).bits_per_byte(np.array([1.0, 2.0, 3.0])).low is None


def test_ranks_agree_as_scipy_says():
    draw = np.random.default_rng(0)
    first = draw.integers(8, size=16).astype(float)  # with ties
    second = first + draw.normal(0, 2, 16)
    found = rank_correlation(first, second)
    assert found is not None
    assert found.low is not None
    assert found.high is not None
    assert math.isclose(found.value, np.asarray(stats.spearmanr(first, second))[0])
    assert found.low < found.value < found.high
    assert found == rank_correlation(first, second)
    assert rank_correlation(first[:2], second[:2]) is None
    assert rank_correlation(np.ones(9), np.arange(9.0)) is None
    few = rank_correlation(first[:4], second[:4])
    assert few is not None
    assert few.low is None


@pytest.mark.parametrize(("text", "said"), [("", "no tokens"), ("a", "1 token")])
def test_a_text_without_a_past_is_refused(text, said):
    with pytest.raises(ArgumentError, match=rf"^text: the text has {said}; expected at least 2"):
        read_passage(opened()[0], [text])


def test_a_head_that_is_not_there_is_refused():
    with pytest.raises(ArgumentError, match=r"there is no head 3.0; the model's heads are 0.0 to 2.1"):
        Changes.off([[Head(3, 0)]], opened()[1])
