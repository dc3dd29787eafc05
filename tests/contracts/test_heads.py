"""What holds for the heads of every mixer: what a lens shows is what the fast pass computed, and a lens changes what it
says and nothing else."""

import dataclasses

import pytest
import torch
from torch import Tensor

from attnlab.errors import ArgumentError
from attnlab.models.inside import TransformerInside
from attnlab.models.kinds import make_model, new_cache
from attnlab.models.lens import Head, Lens, every_head
from attnlab.models.mixers import MIXERS
from attnlab.models.transformer import Transformer, TransformerConfig

SIZE, CONTEXT = 13, 10
TINY = TransformerConfig(layers=3, heads=2, width=16, context=CONTEXT, latents=3)
each_mixer = pytest.mark.parametrize("mixer", MIXERS)


def opened(mixer: str = "dot-product", **settings) -> TransformerInside:
    """A model whose parameters all matter, in float64."""
    model = make_model(dataclasses.replace(TINY, mixer=mixer, **settings), SIZE, seed=1)
    assert isinstance(model, Transformer)
    generator = torch.Generator().manual_seed(4)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.3 * torch.randn(parameter.shape, generator=generator))
    return TransformerInside(model.double())


def some_ids(batch: int = 2) -> Tensor:
    return torch.randint(SIZE, (batch, CONTEXT), generator=torch.Generator().manual_seed(batch))


@each_mixer
@pytest.mark.parametrize("settings", [{}, {"qk_gain": True}, {"attention_only": True, "positions": "learned"}])
@torch.no_grad()
def test_the_record_is_the_fast_pass(mixer, settings):
    inside, ids = opened(mixer, **settings), some_ids()
    seen, later = inside.look(ids), torch.ones(CONTEXT, CONTEXT).triu(1).bool()
    torch.testing.assert_close(seen.logits, inside.model(ids), rtol=0, atol=1e-12)
    assert len(seen.layers) == TINY.layers
    for heads in seen.layers:
        totals = heads.weights.sum(-1)
        assert (totals < 1 - 1e-6).all() if mixer == "sink" else (totals - 1).abs().max() < 1e-12
        assert (heads.weights.triu(1) == 0).all()
        assert heads.logits[..., later].isneginf().all()
        torch.testing.assert_close(heads.weights @ heads.values, heads.outputs, rtol=0, atol=1e-12)
        if mixer in ("dot-product", "sink", "smeared"):
            assert heads.queries is not None
            assert heads.keys is not None
            own = heads.scale * heads.queries @ heads.keys.mT
            torch.testing.assert_close(own.tril(), heads.logits.tril(), rtol=0, atol=1e-12)
        if mixer != "sink":
            torch.testing.assert_close(torch.softmax(heads.logits, -1), heads.weights, rtol=0, atol=1e-12)


@each_mixer
@torch.no_grad()
def test_a_head_switched_off_is_a_head_whose_projection_is_zero(mixer):
    """Head by head, against the model with the columns of its output projection set to zero."""
    inside, ids = opened(mixer), some_ids()
    plain = inside.model(ids)
    for head in every_head(inside):
        without = inside.model(ids, lens=Lens.off([head], inside))
        weight = inside.model.get_parameter(f"blocks.{head.layer}.mixer.out.weight")
        columns, kept = slice(head.place * inside.dim, (head.place + 1) * inside.dim), weight.clone()
        weight[:, columns] = 0
        wanted = inside.model(ids)
        weight.copy_(kept)
        torch.testing.assert_close(without, wanted, rtol=0, atol=1e-12)
        assert (without - plain).abs().max() > 1e-4
        torch.testing.assert_close(inside.look(ids, Lens.off([head], inside)).logits, wanted, rtol=0, atol=1e-12)
    assert torch.equal(inside.model(ids), plain)


@each_mixer
@torch.no_grad()
def test_every_row_of_a_batch_can_lose_another_head(mixer):
    inside, ids = opened(mixer), some_ids(1)
    heads = every_head(inside)
    gain = torch.cat([lens.gain for head in heads if (lens := Lens.off([head], inside)).gain is not None])
    together = inside.model(ids.expand(len(heads), -1), lens=Lens(gain=gain))
    for row, head in zip(together, heads, strict=True):
        torch.testing.assert_close(row, inside.model(ids, lens=Lens.off([head], inside))[0], rtol=0, atol=1e-12)


@each_mixer
@torch.no_grad()
def test_a_mean_takes_the_place_of_a_head(mixer):
    inside, ids, head = opened(mixer), some_ids(), Head(1, 1)
    mean = torch.stack([heads.outputs.mean((0, 2)) for heads in inside.look(ids).layers])
    seen = inside.look(ids, Lens.off([head], inside, mean))
    wanted = mean[1, 1].expand(2, CONTEXT, -1)
    torch.testing.assert_close(seen.layers[1].outputs[:, 1], wanted)
    torch.testing.assert_close(seen.layers[1].outputs[:, 0], inside.look(ids).layers[1].outputs[:, 0])
    torch.testing.assert_close(inside.model(ids, lens=Lens.off([head], inside, mean)), seen.logits, rtol=0, atol=1e-12)


@each_mixer
@torch.no_grad()
def test_scaling_by_one_changes_nothing_and_by_zero_is_off(mixer):
    inside, ids, head = opened(mixer), some_ids(), Head(2, 0)
    plain = inside.model(ids)
    torch.testing.assert_close(inside.model(ids, lens=Lens.scaled(head, 1.0, inside)), plain, rtol=0, atol=0)
    off = inside.model(ids, lens=Lens.off([head], inside))
    assert torch.equal(inside.model(ids, lens=Lens.scaled(head, 0.0, inside)), off)
    assert not torch.allclose(inside.model(ids, lens=Lens.scaled(head, 2.0, inside)), plain)


@each_mixer
@torch.no_grad()
def test_frozen_weights_are_those_of_the_other_pass(mixer):
    inside, ids, heads = opened(mixer), some_ids(), [Head(1, 0), Head(2, 1)]
    other = inside.look((ids + 1) % SIZE)
    seen = inside.look(ids, Lens.frozen(other, heads))
    for head in heads:
        assert torch.equal(seen.weights(head), other.weights(head))
    assert torch.equal(seen.weights(Head(1, 1)), inside.look(ids).weights(Head(1, 1)))
    same = inside.look(ids, Lens.frozen(inside.look(ids), every_head(inside)))
    torch.testing.assert_close(same.logits, inside.model(ids), rtol=0, atol=1e-12)


@each_mixer
@torch.no_grad()
def test_a_model_can_write_without_a_head(mixer):
    inside, ids = opened(mixer), some_ids()
    lens, cache = Lens.off([Head(0, 1)], inside), new_cache(inside.model)
    pieces = [inside.model(piece, cache, lens) for piece in ids.split([4, 1, 5], dim=1)]
    torch.testing.assert_close(torch.cat(pieces, 1), inside.model(ids, lens=lens), rtol=0, atol=1e-12)
    with pytest.raises(ArgumentError, match=r"^lens: a pass with a cache can change outputs, but not show or change"):
        inside.model(ids[:, :1], new_cache(inside.model), Lens(see=lambda layer, heads: None))


@each_mixer
@torch.no_grad()
def test_the_matrices_give_values_and_outputs(mixer):
    """v = W_V x and Σ_h W_O^h output_h, from the vectors that the layer reads."""
    inside, ids = opened(mixer), some_ids()
    block = inside.model.get_submodule("blocks.0")
    x = block.get_submodule("mixer_norm")(inside.model.embedding(ids) + inside.model.position(torch.arange(CONTEXT)))
    heads, circuits = inside.look(ids).layers[0], inside.circuits(0)
    torch.testing.assert_close(torch.einsum("hdw,bpw->bhpd", circuits.value, x), heads.values, rtol=0, atol=1e-12)
    added = torch.einsum("hwd,bhpd->bpw", circuits.out, heads.outputs)
    torch.testing.assert_close(added, block.get_submodule("mixer")(x), rtol=0, atol=1e-12)
    assert (circuits.query is None) == (mixer not in ("dot-product", "sink"))


@torch.no_grad()
def test_queries_and_keys_follow_from_their_matrices():
    inside, ids = opened(positions="learned", qk_norm=False), some_ids()
    block = inside.model.get_submodule("blocks.0")
    x = block.get_submodule("mixer_norm")(inside.model.embedding(ids) + inside.model.position(torch.arange(CONTEXT)))
    heads, circuits = inside.look(ids).layers[0], inside.circuits(0)
    for matrix, found in ((circuits.query, heads.queries), (circuits.key, heads.keys)):
        assert matrix is not None
        torch.testing.assert_close(torch.einsum("hdw,bpw->bhpd", matrix, x), found, rtol=0, atol=1e-12)


def test_an_importance_is_the_gradient_by_a_gain():
    """Att · ∂L/∂Att, by torch, for each row apart."""
    inside, ids = opened(), some_ids()
    gain = torch.ones(2, TINY.layers, TINY.heads, dtype=torch.float64, requires_grad=True)
    kept: list[Tensor] = []

    def see(layer, heads):
        heads.outputs.retain_grad()
        kept.append(heads.outputs)

    loss = inside.model(ids, lens=Lens(see=see, gain=gain)).logsumexp(-1).sum()
    loss.backward()
    assert gain.grad is not None
    for layer, outputs in enumerate(kept):
        assert outputs.grad is not None
        torch.testing.assert_close(gain.grad[:, layer], (outputs * outputs.grad).sum((2, 3)))


def test_heads_have_names():
    assert Head.read(" 10.2") == Head(10, 2)
    for text in ("1", "1.", "a.b", "-1.0", "1.2.3", "", "1" * 30 + ".1", "²." + "1"):
        with pytest.raises(ArgumentError, match=r"^head: expected LAYER.HEAD, counted from 0, such as 0.3; got "):
            Head.read(text)
    with pytest.raises(ArgumentError, match=r"^head: there is no head 3.0; the model's heads are 0.0 to 2.1 \(LAYER"):
        Lens.off([Head(3, 0)], TINY)
