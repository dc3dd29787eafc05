"""What holds for every mixer: it sees all of the past and nothing else, and a Transformer that has it can be trained,
in half precision too, and compared with another of as many parameters."""

import dataclasses

import pytest
import torch
from torch import Tensor
from torch._subclasses.fake_tensor import DataDependentOutputException, FakeTensorMode
from torch.nn import functional

from attnlab.errors import ArgumentError
from attnlab.models.kinds import make_model, new_cache, parameter_count
from attnlab.models.matching import matched, parameters
from attnlab.models.mixers import MIXERS, Rotary
from attnlab.models.transformer import GPT2, Transformer, TransformerConfig
from attnlab.settings import read
from attnlab.training.optimisers.choosing import make_optimisers
from attnlab.training.settings import Training

SIZE, CONTEXT = 13, 10
TINY = TransformerConfig(layers=2, heads=2, width=16, context=CONTEXT, latents=3)
each_mixer = pytest.mark.parametrize("mixer", MIXERS)


def made(mixer: str, **settings) -> Transformer:
    model = make_model(dataclasses.replace(TINY, mixer=mixer, **settings), SIZE, seed=1)
    assert isinstance(model, Transformer)
    return model


def shaken(model: Transformer) -> Transformer:
    """The model with parameters that are all far from what they begin with."""
    generator = torch.Generator().manual_seed(4)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.3 * torch.randn(parameter.shape, generator=generator))
    return model


def some_ids(batch: int = 2) -> Tensor:
    return torch.randint(SIZE, (batch, CONTEXT), generator=torch.Generator().manual_seed(batch))


@each_mixer
def test_what_comes_later_changes_not_one_bit(mixer):
    model, ids = shaken(made(mixer)).double().eval(), some_ids()
    with torch.no_grad():
        before = model(ids)
        for place in range(1, CONTEXT):
            changed = ids.clone()
            changed[:, place:] = (changed[:, place:] + 1 + torch.arange(CONTEXT - place)) % SIZE
            assert torch.equal(model(changed)[:, :place], before[:, :place])


@each_mixer
def test_every_position_sees_every_one_up_to_it_through_one_mixer(mixer):
    x = torch.randn(1, CONTEXT, TINY.width, generator=torch.Generator().manual_seed(5), dtype=torch.float64)
    x.requires_grad_()
    mixed = shaken(made(mixer)).double().get_submodule("blocks.1.mixer")(x)
    for place in range(CONTEXT):
        (gradient,) = torch.autograd.grad(mixed[0, place].square().sum(), x, retain_graph=True)
        sizes = gradient[0].abs().amax(-1)
        assert (sizes[: place + 1] > 1e-9).all()
        assert (sizes[place + 1 :] == 0).all()


@each_mixer
@pytest.mark.parametrize("cuts", [[1] * CONTEXT, [4, 1, 5], [1, 9]])
@pytest.mark.parametrize("training", [False, True])
def test_a_cache_changes_nothing(mixer, cuts, training):
    model, ids = shaken(made(mixer)).double().train(training), some_ids()
    cache = new_cache(model)
    with torch.no_grad():
        pieces = [model(piece, cache) for piece in ids.split(cuts, dim=1)]
        torch.testing.assert_close(torch.cat(pieces, dim=1), model(ids), rtol=0, atol=1e-12)


@each_mixer
@pytest.mark.parametrize("dropout", [0.0, 0.2])
def test_it_learns_a_text_by_heart(mixer, dropout):
    """Every parameter has a gradient, all of them are finite, and in bfloat16 the loss goes down all the same."""
    model, ids = made(mixer, dropout=dropout), some_ids(4)
    optimisers = make_optimisers(model, Training())
    losses = []
    for step in range(30):
        torch.manual_seed(step)
        model.zero_grad()
        with torch.autocast("cpu", torch.bfloat16):
            loss = functional.cross_entropy(model(ids[:, :-1]).flatten(0, 1).float(), ids[:, 1:].flatten())
        loss.backward()
        for name, parameter in model.named_parameters():
            assert parameter.grad is not None, name
            assert parameter.grad.isfinite().all(), name
            assert step == 0 or parameter.grad.abs().max() > 0, name
        for optimiser in optimisers:
            optimiser.step()
        losses.append(float(loss.detach()))
    assert losses[-1] < 0.75 * losses[0]


@each_mixer
def test_half_precision_is_near(mixer):
    model, ids = shaken(made(mixer)), some_ids()
    for training in (False, True):
        model.train(training)
        with torch.no_grad():
            exact = model(ids)
            with torch.autocast("cpu", torch.bfloat16):
                near = model(ids)
        assert near.dtype == torch.bfloat16
        assert 0 < (near - exact).norm() / exact.norm() < 0.03


@each_mixer
def test_nothing_is_read_back_from_the_device_so_a_step_can_be_a_graph(mixer):
    """A fake tensor has no numbers: whoever asked for one, or made a shape of one, would fail."""
    with FakeTensorMode():
        model, ids = Transformer(dataclasses.replace(TINY, mixer=mixer), SIZE), torch.zeros(2, CONTEXT).long()
        loss = functional.cross_entropy(model(ids).flatten(0, 1), ids.flatten())
        loss.backward()
        with pytest.raises(DataDependentOutputException):
            loss.item()
    assert all(parameter.grad is not None for parameter in model.parameters())


@each_mixer
@pytest.mark.parametrize(
    "shape",
    [
        TransformerConfig(),
        TransformerConfig(layers=4, heads=8, width=256, context=128, positions="learned", bias=True, tied=True),
        TransformerConfig(layers=2, heads=2, width=64, context=32, latents=100),
    ],
)
def test_a_matched_shape_has_as_many_parameters(mixer, shape):
    for size in (30, 5000):
        found = matched(shape, mixer, size)
        assert dataclasses.replace(found, mixer=shape.mixer, feed=shape.feed) == shape
        wanted = parameters(shape, size)
        assert abs(parameter_count(make_model(found, size)) - wanted) < 0.01 * wanted
        for other in (-1, 1):
            further = dataclasses.replace(found, feed=found.feed + other)
            assert abs(parameters(further, size) - wanted) >= abs(parameters(found, size) - wanted)


def test_what_cannot_be_matched_is_refused():
    with pytest.raises(
        ArgumentError,
        match=r"^mixer: no width of the feed-forward layers gives a random-synthesizer 124,439,808 parameters; ",
    ):
        matched(GPT2, "random-synthesizer", 50_257)


@each_mixer
def test_muon_moves_maps_between_vectors_alone(mixer):
    model = made(mixer, bias=True)
    names = {id(parameter): name for name, parameter in model.named_parameters()}
    adamw, muon = (
        [names[id(p)] for group in each.groups for p in group["params"]] for each in make_optimisers(model, Training())
    )
    vectors = (TINY.width, 3 * TINY.width, 4 * TINY.width)
    assert all(set(model.get_parameter(name).shape) <= set(vectors) for name in muon)
    assert {name.split(".mixer.")[-1] for name in adamw if ".mixer." in name} <= {
        "qkv.bias", "value.bias", "out.bias", "hidden.bias", "places.weight", "places.bias", "latents", "logits",
        "smear",
    }  # fmt: skip


def test_a_shape_from_before_there_were_mixers_is_read():
    sizes = {"layers": 2, "heads": 2, "width": 16, "context": 10}
    rest = {"positions": "rotary", "norm": "rms", "activation": "relu-squared", "qk_norm": True}
    old = {"kind": "transformer", **sizes, **rest, "bias": False, "tied": False, "dropout": 0.0}
    assert read(TransformerConfig, old) == dataclasses.replace(TINY, latents=32)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"mixer": "convolution"}, "mixer: expected dot-product, sink, smeared, synthesizer, random-synthesizer or "
         "perceiver; got 'convolution'"),
        ({"qk_gain": True, "qk_norm": False}, "qk_gain: a gain belongs to normalised queries and keys; set qk_norm, "
         "too"),
        ({"attention_only": True, "feed": 8}, "feed: a model of attention alone has no feed-forward layers; leave this "
         "option out"),
        ({"mixer": "perceiver", "latents": 0}, "latents: expected a whole number of at least 1, got 0; try 1"),
        ({"feed": -1}, "feed: expected a whole number of at least 0, got -1; try 0"),
        ({"mixer": "perceiver", "heads": 128}, "heads: rotary positions need an even width per head; got 1; "
         "use fewer heads"),
    ],
)  # fmt: skip
def test_bad_settings(settings, message):
    with pytest.raises(ArgumentError) as refused:
        read(TransformerConfig, {"kind": "transformer", **settings})
    assert str(refused.value) == message


@each_mixer
def test_where_positions_come_in(mixer):
    """As angles where there are keys to be turned, and as vectors that are added where no two tokens are compared."""
    for positions in ("rotary", "learned"):
        model = made(mixer, positions=positions)
        added = "position.weight" in dict(model.named_parameters())
        turned = any(isinstance(part, Rotary) for part in model.modules())
        assert added == (positions == "learned" or "synthesizer" in mixer or mixer == "perceiver")
        assert turned == (positions == "rotary" and "synthesizer" not in mixer)
    if "synthesizer" in mixer:
        assert made(mixer, heads=16).config.dim == 1  # which angles could not turn
