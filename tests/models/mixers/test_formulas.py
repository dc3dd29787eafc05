"""Every mixer is its formula, written out here once more in loops over batch, heads and positions."""

import dataclasses
import math
from collections.abc import Mapping

import pytest
import torch
from torch import Tensor, nn

from attnlab.attention import causal_mask, mask_logits, softmax
from attnlab.models.mixers import MIXERS, Cache, make_mixer, make_norm
from attnlab.models.mixers.mixer import past_softmax
from attnlab.models.transformer_config import TransformerConfig

CONTEXT = 9
SHAPE = TransformerConfig(heads=2, width=12, context=CONTEXT, positions="learned", qk_norm=False, bias=True, latents=3)
ROTARY = dataclasses.replace(SHAPE, positions="rotary", qk_norm=True, bias=False)


def drawn(config: TransformerConfig) -> nn.Module:
    """A mixer whose parameters are large enough that each of them matters, in float64."""
    mixer = make_mixer(config).double().eval()
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for parameter in mixer.parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=generator, dtype=torch.float64) / 2)
    return mixer


def some_vectors(positions: int = CONTEXT) -> Tensor:
    generator = torch.Generator().manual_seed(2)
    return torch.randn(2, positions, SHAPE.width, generator=generator, dtype=torch.float64)


def linear(state: Mapping[str, Tensor], name: str, x: Tensor) -> Tensor:
    weight = state[f"{name}.weight"]
    return weight @ x + state.get(f"{name}.bias", torch.zeros(len(weight), dtype=torch.float64))


def weighted(logits: list[float], vectors: list[Tensor]) -> Tensor:
    """The vectors, averaged with the softmax of the logits."""
    powers = [math.exp(each - max(logits)) for each in logits]
    total = torch.zeros_like(vectors[0])
    for power, vector in zip(powers, vectors, strict=True):
        total = total + power / sum(powers) * vector
    return total


def normalised(config: TransformerConfig, x: Tensor) -> Tensor:
    return x / (x.square().mean() + 1e-5).sqrt() if config.qk_norm else x


def turned(config: TransformerConfig, x: Tensor, position: int) -> Tensor:
    if config.positions == "learned":
        return x
    half, found = len(x) // 2, x.clone()
    for i in range(half):
        angle = position * 10_000 ** (-2 * i / len(x))
        found[i] = x[i] * math.cos(angle) - x[half + i] * math.sin(angle)
        found[half + i] = x[half + i] * math.cos(angle) + x[i] * math.sin(angle)
    return found


def dot_product(config: TransformerConfig, state: Mapping[str, Tensor], head: slice, rows: list[Tensor]) -> Tensor:
    """What the last of the rows takes in, in one head."""
    qs, ks, vs = zip(*(linear(state, "qkv", x).split(config.width) for x in rows), strict=True)
    q = turned(config, normalised(config, qs[-1][head]), len(rows) - 1)
    ks = [turned(config, normalised(config, k[head]), place) for place, k in enumerate(ks)]
    return weighted([float(q @ k) / math.sqrt(config.dim) for k in ks], [v[head] for v in vs])


def sink(config: TransformerConfig, state: Mapping[str, Tensor], head: slice, rows: list[Tensor]) -> Tensor:
    """One more logit, 0, with nothing to take in."""
    qs, ks, vs = zip(*(linear(state, "qkv", x).split(config.width) for x in rows), strict=True)
    q = turned(config, normalised(config, qs[-1][head]), len(rows) - 1)
    ks = [turned(config, normalised(config, k[head]), place) for place, k in enumerate(ks)]
    logits = [float(q @ k) / math.sqrt(config.dim) for k in ks]
    return weighted([0.0, *logits], [torch.zeros_like(q), *(v[head] for v in vs)])


def smeared(config: TransformerConfig, state: Mapping[str, Tensor], head: slice, rows: list[Tensor]) -> Tensor:
    """Each key holds a part of the one before."""
    qs, ks, vs = zip(*(linear(state, "qkv", x).split(config.width) for x in rows), strict=True)
    q = turned(config, normalised(config, qs[-1][head]), len(rows) - 1)
    own = 1 / (1 + math.exp(-float(state["smear"][head.start // config.dim])))
    ks = [normalised(config, k[head]) for k in ks]
    mixed = [own * k + (1 - own) * before for k, before in zip(ks, [torch.zeros_like(q), *ks], strict=False)]
    ks = [turned(config, k, place) for place, k in enumerate(mixed)]
    return weighted([float(q @ k) / math.sqrt(config.dim) for k in ks], [v[head] for v in vs])


def synthesizer(config: TransformerConfig, state: Mapping[str, Tensor], head: slice, rows: list[Tensor]) -> Tensor:
    logits = linear(state, "places", linear(state, "hidden", rows[-1]).clamp(min=0)[head])
    return weighted(logits[: len(rows)].tolist(), [linear(state, "value", x)[head] for x in rows])


def random_synthesizer(
    config: TransformerConfig, state: Mapping[str, Tensor], head: slice, rows: list[Tensor]
) -> Tensor:
    logits = state["logits"][head.start // config.dim, len(rows) - 1, : len(rows)]
    return weighted(logits.tolist(), [linear(state, "value", x)[head] for x in rows])


def perceiver(config: TransformerConfig, state: Mapping[str, Tensor], head: slice, rows: list[Tensor]) -> Tensor:
    qs, ks, vs = zip(*(linear(state, "qkv", x).split(config.width) for x in rows), strict=True)
    q = turned(config, normalised(config, qs[-1][head]), len(rows) - 1)
    ks = [turned(config, normalised(config, k[head]), place) for place, k in enumerate(ks)]
    logits, values = [], []
    for c in state["latents"][head.start // config.dim]:
        scores = [30 * math.tanh(float(c @ k) / 30) for k in ks]
        logits.append(float(q @ (c + weighted(scores, ks))) / math.sqrt(config.dim))
        values.append(weighted(scores, [v[head] for v in vs]))
    return weighted(logits, values)


FORMULAS = {
    "dot-product": dot_product,
    "sink": sink,
    "smeared": smeared,
    "synthesizer": synthesizer,
    "random-synthesizer": random_synthesizer,
    "perceiver": perceiver,
}


def written_out(config: TransformerConfig, mixer: nn.Module, x: Tensor) -> Tensor:
    state, dim = dict(mixer.named_parameters()), config.dim
    heads = [slice(dim * head, dim * (head + 1)) for head in range(config.heads)]
    found = torch.empty_like(x)
    for row in range(len(x)):
        for place in range(x.shape[1]):
            past = list(x[row, : place + 1])
            mixed = torch.cat([FORMULAS[config.mixer](config, state, head, past) for head in heads])
            found[row, place] = linear(state, "out", mixed)
    return found


@pytest.mark.parametrize("shape", [SHAPE, ROTARY], ids=["learned", "rotary"])
@pytest.mark.parametrize("kind", MIXERS)
def test_every_mixer_is_its_formula(kind, shape):
    config = dataclasses.replace(shape, mixer=kind)
    mixer = drawn(config)
    with torch.no_grad():
        for positions in (1, 5, CONTEXT):
            x = some_vectors(positions)
            # float64 but for the angles, of which a table is kept in float32
            exact = 1e-5 if config.turned else 1e-12
            torch.testing.assert_close(mixer(x), written_out(config, mixer, x), rtol=0, atol=exact)


@pytest.mark.parametrize(("queries", "keys"), [(1, 1), (1, 5), (3, 5), (5, 5)])
def test_the_softmax_over_the_past_is_that_of_the_mathematics(queries: int, keys: int):
    logits = 5 * torch.randn(2, keys, keys, generator=torch.Generator().manual_seed(3), dtype=torch.float64)
    wanted = softmax(mask_logits(logits, causal_mask(keys)))[:, keys - queries :]
    torch.testing.assert_close(past_softmax(logits[:, keys - queries :]), wanted, rtol=0, atol=1e-15)


@pytest.mark.parametrize("kind", MIXERS)
def test_what_comes_in_pieces_is_mixed_as_the_whole(kind):
    mixer, x, cache = drawn(dataclasses.replace(SHAPE, mixer=kind)), some_vectors(), Cache()
    pieces = []
    with torch.no_grad():
        for piece in x.split([4, 1, 4], dim=1):
            pieces.append(mixer(piece, cache))
            cache.length += piece.shape[1]
        torch.testing.assert_close(torch.cat(pieces, dim=1), mixer(x), rtol=0, atol=1e-12)


@pytest.mark.parametrize("kind", ["synthesizer", "random-synthesizer"])
def test_synthesizers_drop_weights_of_each_text_apart(kind):
    mixer = drawn(dataclasses.replace(SHAPE, mixer=kind, dropout=0.5, bias=False))
    assert isinstance(mixer.value, nn.Linear)
    assert isinstance(mixer.out, nn.Linear)
    x = torch.zeros(400, CONTEXT, SHAPE.width, dtype=torch.float64)
    x[:, 0] = 1.0  # only the first place has anything to give
    with torch.no_grad():
        for parameter in (mixer.value.weight, mixer.out.weight):
            parameter.copy_(torch.eye(SHAPE.width))
        whole = mixer(x)
        torch.manual_seed(0)
        kept = mixer.train()(x) / whole  # 0 where a weight or the output was dropped, 4 where neither was
    torch.testing.assert_close(kept, 4.0 * (kept > 2).double())
    assert kept.mean() == pytest.approx(1.0, abs=0.05)
    heads = kept.unflatten(-1, (SHAPE.heads, SHAPE.dim)).any(-1).double()  # 0 where all of a head was dropped
    assert (heads.mean(0) - 0.5).abs().max() < 0.12  # at every place in about half of the texts


def test_a_perceiver_keeps_the_same_little_however_long_the_text():
    mixer, x, cache = drawn(dataclasses.replace(SHAPE, mixer="perceiver")), some_vectors(), Cache()
    sizes = set()
    with torch.no_grad():
        for place in range(CONTEXT):
            mixer(x[:, place : place + 1], cache)
            cache.length += 1
            sizes.add(sum(each.numel() for each in cache.kept[0]))
    assert len(sizes) == 1


def test_a_perceivers_sums_stay_finite_whatever_its_parameters_are():
    mixer = make_mixer(dataclasses.replace(SHAPE, mixer="perceiver"))
    with torch.no_grad():
        for parameter in mixer.parameters():
            parameter.mul_(1e4)
    mixed = mixer(some_vectors().float())
    mixed.sum().backward()
    assert mixed.isfinite().all()
    assert all(p.grad is not None and p.grad.isfinite().all() for p in mixer.parameters())


@pytest.mark.parametrize("precision", [torch.bfloat16, torch.float32])
def test_rms_norm_is_computed_in_the_precision_of_its_gains(precision):
    """A warning of torch would be an error here."""
    norm, x = make_norm(12, "rms"), some_vectors().to(precision)
    gains = norm.get_parameter("weight")
    with torch.no_grad():
        gains.copy_(torch.linspace(0.5, 1.5, 12))
    expected = x.float() * (x.float().square().mean(-1, keepdim=True) + 1e-5).rsqrt() * gains
    torch.testing.assert_close(norm(x), expected.to(precision))
