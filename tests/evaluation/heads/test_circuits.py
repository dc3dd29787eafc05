"""Scores from matrices, against dense eigenvalues and singular values by NumPy."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attnlab.evaluation.heads.chance import circuits_chance
from attnlab.evaluation.heads.circuits import (
    circuit_scores,
    copying_by_eigenvalues,
    effective_rank,
    product_values,
    random_circuits,
    token_map,
)
from attnlab.models.inside import Circuits, TransformerInside
from attnlab.models.kinds import make_model
from attnlab.models.transformer import Transformer, TransformerConfig


def opened(**settings) -> TransformerInside:
    """A model whose norms have gains of their own."""
    model = make_model(TransformerConfig(layers=2, heads=2, width=8, context=8, norm="layer", **settings), 11, seed=2)
    assert isinstance(model, Transformer)
    draw = torch.Generator().manual_seed(4)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.5 * torch.randn(parameter.shape, generator=draw))
    return TransformerInside(model)


def dense_rank(matrix: np.ndarray) -> float:
    shares = np.linalg.svd(matrix, compute_uv=False) ** 2
    shares = shares[shares > 1e-20 * shares.sum()] / shares.sum()
    return float(np.exp(-(shares * np.log(shares)).sum()))


def test_copying_and_ranks_are_those_of_the_whole_matrices():
    inside = opened()
    embeddings, read, last = (each.double().numpy() for each in inside.ends() if each is not None)
    found = [circuit_scores(inside.circuits(layer), token_map(inside)) for layer in range(2)]
    for layer in range(2):
        circuits = inside.circuits(layer)
        assert circuits.norm is not None
        assert circuits.query is not None
        assert circuits.key is not None
        norm = np.diag(circuits.norm.double().numpy())
        for head in range(2):
            q, k, v, o = (
                each[head].detach().double().numpy()
                for each in (circuits.query, circuits.key, circuits.value, circuits.out)
            )
            values = np.linalg.eigvals(embeddings @ norm @ v.T @ o.T @ np.diag(last) @ read.T)
            wanted = values.real.sum() / np.abs(values).sum()
            assert float(found[layer]["copying_eigenvalues"][head]) == pytest.approx(wanted, abs=1e-5)
            assert float(found[layer]["ov_rank"][head]) == pytest.approx(dense_rank(o @ v @ norm), abs=1e-6)
            assert float(found[layer]["qk_rank"][head]) == pytest.approx(dense_rank(norm @ q.T @ k @ norm), abs=1e-6)


def test_a_mixer_that_compares_no_tokens_has_no_qk_rank():
    inside = opened(mixer="synthesizer")
    assert set(circuit_scores(inside.circuits(0), token_map(inside))) == {"copying_eigenvalues", "ov_rank"}


def test_a_head_that_copies_every_token_has_copying_1_and_full_rank():
    eye = torch.eye(4, dtype=torch.float64)[None]
    found = circuit_scores(Circuits(eye, eye, eye, eye, None), eye[0])
    assert {key: float(each) for key, each in found.items()} == pytest.approx(
        {"copying_eigenvalues": 1, "qk_rank": 4, "ov_rank": 4}
    )
    assert float(circuit_scores(Circuits(eye, eye, -eye, eye, None), eye[0])["copying_eigenvalues"]) == -1
    nothing = circuit_scores(Circuits(None, None, 0 * eye, eye, None), eye[0])
    assert float(nothing["copying_eigenvalues"]) == 0
    assert float(nothing["ov_rank"]) == 1


@given(st.integers(0, 10_000), st.integers(1, 6), st.integers(1, 9))
def test_scores_stay_in_their_ranges(seed, dim, width):
    left, right = torch.randn(2, 3, dim, width, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    ranks = effective_rank(product_values(left, right))
    assert (ranks >= 1 - 1e-9).all()
    assert (ranks <= min(dim, width) + 1e-9).all()
    copying = copying_by_eigenvalues(left @ right.mT)
    assert (copying.abs() <= 1 + 1e-9).all()


def test_chance_is_the_mean_of_random_heads():
    tokens = torch.eye(12, dtype=torch.float64)
    chance = circuits_chance(tokens, 3, seed=0)
    assert chance["copying_eigenvalues"].value == 0
    many = [float(circuit_scores(random_circuits(12, 3, seed), tokens)["ov_rank"].mean()) for seed in range(20, 40)]
    assert chance["ov_rank"].value == pytest.approx(np.mean(many), abs=4 * chance["ov_rank"].spread / np.sqrt(32))
    copying = [
        float(circuit_scores(random_circuits(12, 3, seed), tokens)["copying_eigenvalues"].mean()) for seed in range(40)
    ]
    assert np.mean(copying) == pytest.approx(0, abs=4 * chance["copying_eigenvalues"].spread / np.sqrt(32 * 40))
