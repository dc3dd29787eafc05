"""AdamW: the same updates as torch's own optimiser, and its memory survives a checkpoint."""

import torch
from torch import nn

from attnlab.training.optimisers.adamw import AdamW


def weights() -> list[nn.Parameter]:
    generator = torch.Generator().manual_seed(0)
    return [nn.Parameter(torch.randn(shape, generator=generator)) for shape in ((3, 4), (5,), (2, 2))]


def group(parameters: list[nn.Parameter]) -> dict:
    return {"params": parameters, "rate": 0.01, "weight_decay": 0.1}


def give_gradients(*many: list[nn.Parameter], seed: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    for alike in zip(*many, strict=True):
        gradient = torch.randn(alike[0].shape, generator=generator)
        for parameter in alike:
            parameter.grad = gradient.clone()


def test_updates_are_those_of_torch():
    ours, theirs = weights(), weights()
    mine = AdamW([group(ours)])
    reference = torch.optim.AdamW(theirs, lr=0.01, weight_decay=0.1, betas=(0.9, 0.95))
    for step in range(5):
        give_gradients(ours, theirs, seed=step)
        mine.step()
        reference.step()
        for left, right in zip(ours, theirs, strict=True):
            torch.testing.assert_close(left, right, rtol=1e-5, atol=1e-7)


def test_what_has_no_gradient_stays():
    ours = weights()
    before = [each.detach().clone() for each in ours]
    mine = AdamW([group(ours)])
    give_gradients(ours[:2], seed=0)
    mine.step()
    assert not torch.equal(ours[0], before[0])
    assert torch.equal(ours[2], before[2])


def test_what_is_remembered_can_be_kept_and_loaded():
    first, second = weights(), weights()
    one, other = AdamW([group(first)]), AdamW([group(second)])
    for step in range(3):
        give_gradients(first, seed=step)
        one.step()
    other.load(one.tensors())
    with torch.no_grad():
        for left, right in zip(first, second, strict=True):
            right.copy_(left)
    give_gradients(first, second, seed=9)
    one.step()
    other.step()
    for left, right in zip(first, second, strict=True):
        assert torch.equal(left, right)
