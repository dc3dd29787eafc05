"""Extraction against scipy's angles, plain least squares, and its own definition."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import subspace_angles

from attnlab.attention.impossible import Impossible
from attnlab.attention.subspaces import Extraction, SharedDirection, extractor
from attnlab.errors import ArgumentError

NAN = float("nan")


def random(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def orthonormal(dim: int, seed: int = 0) -> torch.Tensor:
    return torch.linalg.qr(random(dim, dim, seed=seed)).Q


def extraction(a: torch.Tensor, b: torch.Tensor) -> Extraction:
    found = extractor(a, b)
    assert isinstance(found, Extraction)
    return found


def shared(a: torch.Tensor, b: torch.Tensor) -> SharedDirection:
    found = extractor(a, b)
    assert isinstance(found, Impossible)
    return found.certificate


def tilted(sine: float, dim: int = 6, seed: int = 0) -> tuple[torch.Tensor, torch.Tensor]:
    """Two planes whose smallest angle has the given sine, each with a basis far from orthonormal."""
    e = orthonormal(dim, seed)
    near = math.sqrt(1 - sine**2) * e[:, 0] + sine * e[:, 1]
    a, b = torch.stack([e[:, 0], e[:, 2]], 1), torch.stack([near, e[:, 3]], 1)
    return a @ torch.tensor([[1.0, 0.5], [0.0, 1.0]]).double(), b @ torch.tensor([[3.0, -1.0], [0.0, 2.0]]).double()


spans = st.tuples(st.integers(1, 4), st.integers(1, 4), st.integers(0, 3), st.integers(0, 10_000))


@settings(deadline=None)
@given(spans)
def test_extracts_and_is_the_projector(sizes):
    m, p, spare, seed = sizes
    dim = m + p + spare
    a, b = random(dim, m, seed=seed), random(dim, p, seed=seed + 1)
    found = extraction(a, b)
    M, tolerance = found.projector, 1e-12 * found.condition**2
    v_a, v_b = a @ random(m, seed=seed + 2), b @ random(p, seed=seed + 3)
    torch.testing.assert_close(M @ (v_a + v_b), v_a, atol=tolerance * 10, rtol=0)
    torch.testing.assert_close(M @ a, a, atol=tolerance * 10, rtol=0)
    torch.testing.assert_close(M @ b, torch.zeros_like(b), atol=tolerance * 10, rtol=0)
    torch.testing.assert_close(M @ M, M, atol=tolerance, rtol=0)
    assert float(torch.linalg.matrix_norm(M, 2)) == pytest.approx(found.condition, rel=1e-9)
    assert found.angle == pytest.approx(float(subspace_angles(a.numpy(), b.numpy()).min()), rel=1e-9)
    assert found.condition == pytest.approx(1 / math.sin(found.angle), rel=1e-9)


@settings(deadline=None)
@given(spans)
def test_equals_least_squares_on_both_spans(sizes):
    m, p, _, seed = sizes
    a, b = random(m + p, m, seed=seed), random(m + p, p, seed=seed + 1)
    found = extraction(a, b)
    both = torch.cat([a, b], 1)  # spans everything, so M is unique: coordinates in both, keep those in a
    expected = torch.cat([a, torch.zeros_like(b)], 1) @ torch.linalg.inv(both)
    torch.testing.assert_close(found.projector, expected, atol=1e-11 * float(torch.linalg.cond(both)) ** 2, rtol=0)


@settings(deadline=None)
@given(spans, st.floats(1e-100, 1e100))
def test_only_the_spans_matter(sizes, size):
    m, p, spare, seed = sizes
    dim = m + p + spare
    a, b = random(dim, m, seed=seed), random(dim, p, seed=seed + 1)
    mixer = orthonormal(m, seed + 2) * torch.logspace(0, 3, m, dtype=torch.float64)
    other = torch.cat([a @ mixer, a[:, :1], torch.zeros(dim, 1).double()], 1) * size
    one, two = extraction(a, b), extraction(other, torch.cat([b / size, b], 1))
    torch.testing.assert_close(two.projector, one.projector, atol=1e-9 * one.condition**2, rtol=0)
    assert two.condition == pytest.approx(one.condition, rel=1e-7 * one.condition)


@pytest.mark.parametrize("sine", [1.0, 0.5, 1e-2, 1e-4, 1e-6, 1e-8])
def test_error_grows_with_the_condition_and_no_faster(sine):
    a, b = tilted(sine)
    found = extraction(a, b)
    rounding = 1e-14 / sine
    assert found.condition == pytest.approx(1 / sine, rel=rounding)
    assert found.angle == pytest.approx(math.asin(sine), rel=rounding)
    torch.testing.assert_close(found.projector @ a, a, atol=rounding, rtol=0)
    torch.testing.assert_close(found.projector @ b, torch.zeros_like(b), atol=rounding, rtol=0)


@pytest.mark.parametrize("sine", [0.0, 1e-12, 9e-10])
def test_a_shared_direction_is_in_both_spans(sine):
    a, b = tilted(sine)
    found = shared(a, b)
    assert float(found.vector.norm()) == pytest.approx(1)
    torch.testing.assert_close(a @ found.in_a, found.vector, atol=1e-13, rtol=0)
    torch.testing.assert_close(b @ found.in_b, found.vector, atol=1e-9, rtol=0)
    impossible = extractor(a, b)
    assert isinstance(impossible, Impossible)
    assert impossible.reason == (
        "the spans of a and b share a direction x (to within rounding: the sine of their angle is below 1e-09), "
        "so v_a + x and v_b − x have the same sum as v_a and v_b, and no M can tell them apart"
    )


@settings(deadline=None)
@given(st.integers(1, 4), st.integers(1, 4), st.integers(0, 3), st.integers(0, 10_000), st.floats(1e-6, 1e6))
def test_planted_shared_directions_are_found(m, p, spare, seed, size):
    dim = m + p + spare
    a, b = size * random(dim, m, seed=seed), random(dim, p, seed=seed + 1)
    b[:, -1] = a @ random(m, seed=seed + 2)
    found = shared(a, b)
    for columns, weights in ((a, found.in_a), (b, found.in_b)):
        torch.testing.assert_close(columns @ weights, found.vector, atol=1e-8, rtol=0)


def test_too_many_dimensions_share_a_direction():
    found = shared(random(3, 2, seed=1), random(3, 2, seed=2))
    assert found.in_a.shape == found.in_b.shape == (2,)
    assert isinstance(extractor(torch.eye(3), torch.ones(3, 1)), Impossible), "everything is in span(a)"


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
def test_orthogonal_spans_need_only_a_at(dtype):
    basis = orthonormal(8).to(dtype)
    a, b = basis[:, :3], basis[:, 3:5]
    found = extraction(a, b)
    assert (found.kind, found.condition, found.angle) == ("orthogonal", 1.0, math.pi / 2)
    assert found.projector.dtype == torch.float64
    torch.testing.assert_close(found.projector.to(dtype), a @ a.mT)
    s = a @ torch.tensor([1.0, 2.0, 3.0], dtype=dtype) + b @ torch.tensor([5.0, -5.0], dtype=dtype)
    torch.testing.assert_close(a @ (a.mT @ s), a @ torch.tensor([1.0, 2.0, 3.0], dtype=dtype))
    assert (a.mT @ s).shape == (3,), "Aᵀ alone gives v_a's three coordinates, no vector of the eight-dimensional space"


def test_half_precision_numbers_are_taken_as_they_are():
    a, b = torch.tensor([[1.0], [0.0]]).bfloat16(), torch.tensor([[0.01], [1.0]]).bfloat16()
    found = extraction(a, b)
    assert found.kind == "oblique"
    torch.testing.assert_close(found.projector @ b.double(), torch.zeros(2, 1).double())


def test_empty_and_repeated_spans():
    zero, one = torch.zeros(3, 2), torch.tensor([[1.0, 2.0], [0.0, 0.0], [0.0, 0.0]])
    nothing = extraction(zero, one)
    assert not bool(nothing.projector.any())
    assert (nothing.kind, nothing.condition, nothing.angle) == ("orthogonal", 0.0, math.pi / 2)
    alone = extraction(one, zero)
    assert (alone.kind, alone.condition, alone.angle) == ("orthogonal", 1.0, math.pi / 2)
    torch.testing.assert_close(alone.projector, torch.diag(torch.tensor([1.0, 0.0, 0.0])).double())
    repeated = extraction(one, torch.tensor([[1.0], [1.0], [0.0]]))
    torch.testing.assert_close(repeated.projector, torch.tensor([[1.0, -1, 0], [0, 0, 0], [0, 0, 0]]).double())


@pytest.mark.usefixtures("as_installed")
@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        (torch.tensor([[1.0], [NAN]]), torch.ones(2, 1), "a: expected finite numbers, got nan at [1, 0]"),
        (torch.ones(2, 1), torch.tensor([[-torch.inf], [0.0]]), "b: expected finite numbers, got -inf at [0, 0]"),
        (torch.ones(2, 1), torch.ones(3, 1), "b: expected 2 rows as in a, got 3"),
        (torch.ones(2, 0), torch.ones(2, 1), "a: expected at least one of dim and of vectors, got shape (2, 0)"),
        (torch.ones(0, 1), torch.ones(0, 1), "a: expected at least one of dim and of vectors, got shape (0, 1)"),
        (torch.ones(2), torch.ones(2, 1), "a: expected two axes (dim, vectors), got shape (2,)"),
        ([[1.0]], torch.ones(1, 1), "a: expected a torch tensor, got list"),
        (torch.ones(2, 1).int(), torch.ones(2, 1), "a: expected floating-point numbers, got int32"),
        (torch.full((2, 1), 1e-200, dtype=torch.float64), torch.ones(2, 1),
         "a: expected numbers of size 1e-150 to 1e+150, got 1e-200"),
    ],
)  # fmt: skip
def test_bad_input_is_named(a, b, message):
    with pytest.raises(ArgumentError) as error:
        extractor(a, b)
    assert str(error.value) == message
