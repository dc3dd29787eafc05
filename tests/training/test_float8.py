"""Training in float8: the products, the loss and their gradients, close to those of float32; and what is refused."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn import functional

from attnlab.errors import ArgumentError
from attnlab.models.transformer import Transformer
from attnlab.models.transformer_config import TransformerConfig
from attnlab.training.compiling import CheckedLoss
from attnlab.training.float8 import check_float8, float8_loss, products
from attnlab.training.float8.products import Float8Products, fits, linear, product
from attnlab.training.float8.readout import readout_loss, to_gradient
from attnlab.training.processes import ONE_PROCESS
from attnlab.training.targets import NOT_LEARNT

SHAPE = TransformerConfig(layers=2, heads=4, width=64, context=16)
IDS = torch.randint(64, (8, 17), generator=torch.Generator().manual_seed(0))
INPUTS, TARGETS = IDS[:, :-1], IDS[:, 1:]


def normal(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed)).bfloat16()


def error(found: torch.Tensor, wanted: torch.Tensor) -> float:
    found, wanted = found.detach().double(), wanted.detach().double()
    return float((found - wanted).norm() / wanted.norm())


@pytest.fixture
def _any_size(monkeypatch):
    monkeypatch.setattr(products, "LEAST", 0)


@given(st.integers(1, 5), st.sampled_from([16, 48]), st.sampled_from([16, 80]), st.floats(-20, 20), st.integers(0, 9))
def test_a_product_is_right_to_the_precision_of_float8_whatever_the_sizes_of_its_rows(rows, inner, outer, size, seed):
    left, right = normal(rows, inner, seed=seed) * 2**size, normal(outer, inner, seed=seed + 1)
    left[0] *= 1000
    found, wanted = product(left, right), left.double() @ right.double().mT
    for each, exact in zip(found, wanted, strict=True):
        assert error(each, exact) < 0.12  # 3 bits of fraction: each factor is off by at most 1/16


def test_a_row_of_zeros_gives_zeros_and_nan_stays_nan():
    left = normal(3, 16)
    left[1], left[2, 0] = 0, float("nan")
    found = product(left, normal(16, 16))
    assert found[0].isfinite().all()
    assert (found[1] == 0).all()
    assert found[2].isnan().all()


def test_the_gradient_of_a_linear_layer_is_that_of_the_plain_one():
    x, weight, bias = (each.requires_grad_() for each in (normal(4, 3, 32), normal(16, 32, seed=1), normal(16)))
    y, plain = linear(x, weight, bias), functional.linear(x, weight, bias)
    assert y.shape == plain.shape
    assert error(y, plain) < 0.06
    wanted = torch.autograd.grad((plain * normal(4, 3, 16, seed=2)).sum(), (x, weight, bias))
    found = torch.autograd.grad((y * normal(4, 3, 16, seed=2)).sum(), (x, weight, bias))
    assert error(found[0], wanted[0]) < 0.06
    assert error(found[1], wanted[1]) < 0.01  # in bfloat16
    assert error(found[2], wanted[2]) < 0.01


def test_only_large_matrices_whose_sides_are_multiples_of_16_are_multiplied_in_float8():
    assert fits(torch.empty(3072, 768))
    assert not fits(torch.empty(2304, 768))
    assert not fits(torch.empty(50_257, 768))
    x, weight = normal(2, 16), normal(16, 16, seed=1)
    with Float8Products():
        assert torch.equal(functional.linear(x, weight), x @ weight.mT)


@pytest.mark.usefixtures("_any_size")
def test_while_it_is_entered_linear_layers_multiply_in_float8():
    x, weight = normal(2, 16), normal(16, 16, seed=1)
    with Float8Products():
        assert torch.equal(functional.linear(x, weight), linear(x, weight))
        assert torch.equal(functional.relu(x), x.clamp(min=0))
    assert torch.equal(functional.linear(x, weight), x @ weight.mT)


@pytest.mark.parametrize("eight", [False, True])
def test_logits_become_the_gradient_of_the_loss(eight):
    logits, targets = normal(6, 32).float(), torch.tensor([3, NOT_LEARNT, 0, 31, 7, NOT_LEARNT])
    free = logits.clone().requires_grad_()
    costs = functional.cross_entropy(free, targets, reduction="none")
    (wanted,) = torch.autograd.grad(costs.sum() / 4, free)
    found, small = to_gradient(logits, targets, torch.tensor(1 / 4), eight=eight)
    torch.testing.assert_close(found, costs.detach())
    torch.testing.assert_close(logits, wanted)
    assert (small is None) is not eight
    if small is not None:
        assert error(small.float() / 2**15 / 4, wanted) < 0.13


@pytest.mark.usefixtures("_any_size")
@pytest.mark.parametrize("size", [64, 65])  # 65 is no multiple of 16: that read-out stays in bfloat16
def test_the_read_out_and_its_loss_are_those_of_torch(size):
    h, weight = normal(12, 32).requires_grad_(), (normal(size, 32, seed=1) / 4).detach().requires_grad_()
    targets = torch.arange(12)
    targets[3] = NOT_LEARNT
    plain = functional.cross_entropy((h @ weight.mT).float(), targets)
    found = readout_loss(h, weight, targets)
    assert found.item() == pytest.approx(plain.item(), rel=0.02)
    wanted, grads = (torch.autograd.grad(2 * each, (h, weight)) for each in (plain, found))
    assert error(grads[0], wanted[0]) < 0.15
    assert error(grads[1], wanted[1]) < 0.1
    assert readout_loss(h, weight, torch.full((12,), NOT_LEARNT)).item() == 0  # nothing to learn


@pytest.mark.usefixtures("_any_size")
@pytest.mark.parametrize("tied", [False, True])
def test_a_whole_gradient_passes_the_check_and_a_wrong_one_does_not(tied):
    torch.manual_seed(0)
    model = Transformer(TransformerConfig(**{**vars(SHAPE), "tied": tied}), 64)

    def plain(inputs, targets):
        return functional.cross_entropy(model(inputs).flatten(0, 1), targets.flatten())

    eight = float8_loss(model)
    checked = CheckedLoss(plain, eight, model, "precision")
    assert checked(INPUTS, TARGETS).item() == pytest.approx(plain(INPUTS, TARGETS).item(), rel=0.01)
    eight(INPUTS, TARGETS).backward()
    assert all(each.grad is not None and each.grad.dtype == torch.float32 for each in model.parameters())
    model.zero_grad()
    with pytest.raises(ArgumentError) as caught:
        CheckedLoss(plain, lambda *batch: -eight(*batch), model, "precision")(INPUTS, TARGETS)
    assert str(caught.value).startswith("precision: float8 is too coarse for this model: the error of the gradient of ")
    assert str(caught.value).endswith(" times its size; use bfloat16")


@pytest.mark.usefixtures("_any_size")
def test_it_learns():
    torch.manual_seed(0)
    model = Transformer(SHAPE, 64)
    loss, losses, parameters = float8_loss(model), [], list(model.parameters())
    for _ in range(12):
        losses.append(loss(INPUTS, TARGETS))
        with torch.no_grad():
            for each, gradient in zip(parameters, torch.autograd.grad(losses[-1], parameters), strict=True):
                each -= 0.5 * gradient
    assert losses[-1] < losses[0] - 0.5


def test_what_cannot_be_trained_in_float8_is_refused():
    with pytest.raises(
        ArgumentError, match=r"^precision: float8 needs an NVIDIA GPU of the Hopper generation or later"
    ):
        check_float8(True, ONE_PROCESS)
    with pytest.raises(ArgumentError, match=r"^precision: float8 is for Transformers; use bfloat16$"):
        check_float8(False, ONE_PROCESS)
