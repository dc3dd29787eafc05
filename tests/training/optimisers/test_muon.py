"""Muon: the same updates as torch's own, one matrix at a time."""

import pytest
import torch
from torch import nn

from attnlab.models.kinds import make_model
from attnlab.models.recurrent import RecurrentConfig
from attnlab.models.transformer import TransformerConfig
from attnlab.training.optimisers.choosing import make_optimisers, set_rates
from attnlab.training.optimisers.muon import Muon, orthogonalised
from attnlab.training.settings import Training

SHAPES = [(8, 16), (16, 8), (8, 16), (12, 12), (8, 16)]


def matrices(dtype: torch.dtype = torch.float32) -> list[nn.Parameter]:
    generator = torch.Generator().manual_seed(0)
    return [nn.Parameter(torch.randn(shape, generator=generator, dtype=dtype) / 4) for shape in SHAPES]


@pytest.mark.parametrize("as_tensor", [False, True])
def test_updates_are_those_of_torch(as_tensor):
    ours, theirs = matrices(), matrices()
    rate = torch.tensor(0.02) if as_tensor else 0.02
    mine = Muon([{"params": ours, "rate": rate, "weight_decay": 0.3, "momentum": 0.95, "precision": torch.float32}])
    reference = torch.optim.Muon(theirs, lr=0.02, weight_decay=0.3, momentum=0.95)
    generator = torch.Generator().manual_seed(1)
    for _ in range(5):
        for left, right in zip(ours, theirs, strict=True):
            left.grad = torch.randn(left.shape, generator=generator)
            right.grad = left.grad.clone()
        before = [each.detach().clone() for each in ours]
        mine.step()
        reference.step()
        for left, right, old in zip(ours, theirs, before, strict=True):
            # torch works in bfloat16: three digits of what is added.
            torch.testing.assert_close(left - old, right - old, rtol=0.05, atol=0.02 * 0.06)


def test_singular_vectors_stay_and_values_come_near_one():
    matrix = torch.randn(6, 10, generator=torch.Generator().manual_seed(2))
    u, _, v = torch.linalg.svd(matrix, full_matrices=False)
    found = u.mT @ orthogonalised(matrix[None])[0] @ v.mT
    assert (found - torch.diag(found.diagonal())).abs().max() < 1e-4
    assert ((found.diagonal() > 0.6) & (found.diagonal() < 1.3)).all()


def test_a_matrix_and_its_transpose_move_alike():
    matrix = torch.randn(1, 6, 10, generator=torch.Generator().manual_seed(3))
    torch.testing.assert_close(orthogonalised(matrix).mT, orthogonalised(matrix.mT))


def test_muon_moves_the_inner_matrices_and_adamw_the_rest():
    model = make_model(TransformerConfig(layers=1, heads=1, width=8, context=4, bias=True, positions="learned"), 5)
    names = {id(p): name for name, p in model.named_parameters()}
    adamw, muon = make_optimisers(model, Training())
    moved = {names[id(p)] for group in muon.groups for p in group["params"]}
    inner = {"mixer.qkv", "mixer.out", "feed.up", "feed.down"}
    assert moved == {f"blocks.0.{name}.weight" for name in inner}
    assert moved | {names[id(p)] for group in adamw.groups for p in group["params"]} == set(names.values())
    for group in adamw.groups:
        assert all((p.dim() >= 2) == (group["weight_decay"] > 0) for p in group["params"])


def test_adamw_may_move_all():
    model = make_model(RecurrentConfig(width=8), 5)
    (only,) = make_optimisers(model, Training(optimiser="adamw"))
    assert sum(len(group["params"]) for group in only.groups) == len(list(model.parameters()))


def test_rates_are_a_share_of_the_full_ones():
    optimisers = make_optimisers(make_model(TransformerConfig(layers=1), 5), Training(rate=0.4, muon_rate=0.2))
    set_rates(optimisers, 0.5)
    set_rates(optimisers, 0.25)
    assert [group["rate"] for each in optimisers for group in each.groups] == [0.1, 0.1, 0.05]
