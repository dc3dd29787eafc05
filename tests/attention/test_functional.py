"""Attention against torch's own, and its invariants."""

import itertools

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn.functional import scaled_dot_product_attention

from attnlab.attention.functional import (
    attend,
    average_heads,
    causal_mask,
    concatenate_heads,
    mask_logits,
    mix,
    scores,
    softmax,
)
from attnlab.errors import ArgumentError

TOLERANCE = {torch.float64: 1e-12, torch.float32: 2e-6, torch.float16: 2e-3, torch.bfloat16: 2e-2}
BATCHES = {"none": (), "one": (3,), "batch and heads": (2, 4)}


def random(*shape: int, seed: int = 0, dtype: torch.dtype = torch.float64) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(dtype)


def masks(queries: int, keys: int) -> dict[str, torch.Tensor | None]:
    additive = random(queries, keys, seed=9)
    additive[:, 1] = -torch.inf
    return {
        "none": None,
        "causal": causal_mask(queries, keys),
        "boolean": (random(queries, keys, seed=8) > 0) | torch.eye(queries, keys, dtype=torch.bool),
        "additive": additive,
    }


@pytest.mark.parametrize("dtype", TOLERANCE, ids=str)
@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize("mask", masks(1, 2))
@pytest.mark.parametrize("sizes", [(5, 5, 8, 8), (3, 6, 4, 7), (1, 2, 1, 1)], ids=str)
def test_equals_torch(dtype, batch, mask, sizes):
    queries, keys, dim, value = sizes
    shape = BATCHES[batch]
    q, k = random(*shape, queries, dim, seed=1, dtype=dtype), random(*shape, keys, dim, seed=2, dtype=dtype)
    v, m = random(*shape, keys, value, seed=3, dtype=dtype), masks(queries, keys)[mask]
    additive = m.to(dtype) if m is not None and m.is_floating_point() else m
    for scale in (1.0, dim**-0.5):
        ours = attend(q, k, v, scale=scale, mask=m)
        torch_output = scaled_dot_product_attention(q, k, v, attn_mask=additive, scale=scale)
        torch.testing.assert_close(ours.output, torch_output, atol=TOLERANCE[dtype], rtol=TOLERANCE[dtype])
        assert ours.output.dtype == dtype


def test_equals_torch_with_broadcast_batches_and_is_causal():
    q, k, v = random(2, 1, 4, 3, seed=1), random(1, 5, 4, 3, seed=2), random(2, 5, 4, 6, seed=3)
    ours = attend(q, k, v, mask=causal_mask(4))
    expected = scaled_dot_product_attention(q.expand(2, 5, 4, 3), k.expand(2, 5, 4, 3), v, is_causal=True, scale=1.0)
    torch.testing.assert_close(ours.output, expected)


@pytest.mark.parametrize(("heads", "shared"), [(8, 2), (6, 1), (4, 4)])
def test_grouped_heads_equal_torch(heads, shared):
    q, k, v = random(2, heads, 5, 4, seed=1), random(2, shared, 5, 4, seed=2), random(2, shared, 5, 3, seed=3)
    ours = attend(q, k, v, mask=causal_mask(5), grouped=True)
    theirs = scaled_dot_product_attention(q, k, v, is_causal=True, scale=1.0, enable_gqa=True)
    torch.testing.assert_close(ours.output, theirs)
    torch.testing.assert_close(attend(q[0], k[0], v[0], mask=causal_mask(5), grouped=True).output, theirs[0])


def test_heads_are_grouped_only_if_asked(as_installed):
    with pytest.raises(ArgumentError, match="keys: expected axes that broadcast"):
        attend(random(8, 5, 4), random(2, 5, 4), random(2, 5, 4))


@pytest.mark.parametrize(("name", "mask"), [("__matmul__", None), ("masked_fill", causal_mask(3))])
def test_an_error_of_torchs_own_is_not_blamed_on_the_shapes(monkeypatch, name, mask):
    def fail(*_):
        raise RuntimeError("out of memory")

    monkeypatch.setattr(torch.Tensor, name, fail)
    monkeypatch.setattr(torch, "matmul", fail if mask is None else torch.matmul)
    with pytest.raises(RuntimeError, match="out of memory"):
        attend(torch.ones(3, 2), torch.ones(3, 2), torch.ones(3, 1), mask=mask)


def test_gradients_equal_torch():
    inputs = [random(3, 4, seed=s).requires_grad_() for s in (1, 2, 3)]
    mask = causal_mask(3)
    ours = torch.autograd.grad(attend(*inputs, mask=mask).output.square().sum(), inputs)
    theirs = scaled_dot_product_attention(*inputs, attn_mask=mask, scale=1.0)
    for mine, other in zip(ours, torch.autograd.grad(theirs.square().sum(), inputs), strict=True):
        torch.testing.assert_close(mine, other)


def test_one_query_is_a_row_of_many():
    q, k, v = random(5, 4, seed=1), random(2, 6, 4, seed=2), random(2, 6, 3, seed=3)
    many = attend(q, k, v)
    for i in range(5):
        one = attend(q[i], k, v)
        for name in ("logits", "weights", "output"):
            torch.testing.assert_close(getattr(one, name), getattr(many, name)[:, i])


@pytest.mark.parametrize("size", [1e4, 1e30, 1e300])
def test_huge_logits(size):
    weights = softmax(torch.tensor([size, -size, size, -torch.inf], dtype=torch.float64))
    assert weights.tolist() == [0.5, 0.0, 0.5, 0.0]
    half = attend(torch.tensor([300.0]).half(), torch.tensor([[300.0], [-300.0]]).half(), torch.eye(2).half())
    assert half.weights.tolist() == [1.0, 0.0], "90,000 is no float16, but the weights are right all the same"


logit_rows = st.lists(st.floats(-1e4, 1e4), min_size=1, max_size=8)


@given(logit_rows, st.sampled_from([torch.float32, torch.float64]))
def test_weights_are_a_distribution(row, dtype):
    weights = softmax(torch.tensor(row, dtype=dtype))
    assert bool((weights >= 0).all())
    assert abs(float(weights.double().sum()) - 1) < (1e-6 if dtype == torch.float32 else 1e-14)


@given(logit_rows, st.floats(-1e4, 1e4))
def test_a_constant_added_to_all_logits_changes_nothing(row, shift):
    logits = torch.tensor(row, dtype=torch.float64)
    torch.testing.assert_close(softmax(logits + shift), softmax(logits), atol=1e-11, rtol=1e-9)


@given(st.permutations(range(5)), st.integers(0, 1000))
def test_permuting_keys_permutes_weights(order, seed):
    q, k, v = random(4, seed=seed), random(5, 4, seed=seed + 1), random(5, 3, seed=seed + 2)
    straight, permuted = attend(q, k, v), attend(q, k[order], v[order])
    torch.testing.assert_close(permuted.weights, straight.weights[order])
    torch.testing.assert_close(permuted.output, straight.output)


@given(logit_rows, st.floats(1e-3, 1e3))
def test_a_sink_is_one_more_key_worth_nothing(row, sink):
    logits = torch.tensor(row, dtype=torch.float64)
    with_key = softmax(torch.cat([logits, torch.tensor([sink], dtype=torch.float64).log()]))
    torch.testing.assert_close(softmax(logits, sink=sink), with_key[:-1], atol=1e-14, rtol=1e-9)


def test_a_sink_lets_a_row_read_nothing():
    logits = mask_logits(torch.zeros(2, 3), torch.tensor([[True, True, False], [False, False, False]]))
    assert softmax(logits, sink=2.0).tolist() == [[0.25, 0.25, 0.0], [0.0, 0.0, 0.0]]


def test_heads():
    outputs = random(2, 4, 3, 5)
    torch.testing.assert_close(average_heads(outputs), outputs.mean(1))
    weights = torch.tensor([0.5, 0.25, 0.25, 0.0], dtype=torch.float64)
    by_hand = 0.5 * outputs[:, 0] + 0.25 * outputs[:, 1] + 0.25 * outputs[:, 2]
    torch.testing.assert_close(average_heads(outputs, weights), by_hand)
    side_by_side = torch.cat([outputs[:, h] for h in range(4)], dim=-1)
    torch.testing.assert_close(concatenate_heads(outputs), side_by_side)


@pytest.mark.usefixtures("as_installed")
@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: attend(torch.ones(3), torch.ones(2, 4), torch.ones(2, 1)),
         "keys: expected the dim of the query, (3,), got (2, 4)"),
        (lambda: attend(torch.ones(3), torch.ones(0, 3), torch.ones(0, 1)),
         "keys: expected (…, keys, dim) with at least one key, got shape (0, 3)"),
        (lambda: attend(torch.ones(3), torch.ones(2, 3), torch.ones(4, 1)),
         "values: expected (…, 2 keys, dim), one value per key, got shape (4, 1)"),
        (lambda: attend(torch.ones(3), torch.ones(2, 3) * torch.nan, torch.ones(2, 1)),
         "keys: expected finite numbers, got nan at [0, 0]"),
        (lambda: attend(torch.tensor([torch.inf, 0]), torch.ones(2, 2), torch.ones(2, 1)),
         "query: expected finite numbers, got inf at [0]"),
        (lambda: attend(torch.ones(1), torch.ones(2, 1), torch.full((2, 1), torch.inf)),
         "values: expected finite numbers, got inf at [0, 0]"),
        (lambda: attend(torch.full((2,), 1e30), torch.full((2, 2), 1e30), torch.ones(2, 1)),
         "scale: the scores overflow torch.float32; use smaller queries, keys or a smaller scale"),
        (lambda: attend(torch.ones(2), torch.ones(2, 2, dtype=torch.int64), torch.ones(2, 1)),
         "keys: expected floating-point numbers, got int64"),
        (lambda: attend(torch.ones(2), [[1.0, 2.0]], torch.ones(1, 1)),  # pyright: ignore[reportArgumentType]
         "keys: expected a torch tensor, got list"),
        (lambda: attend(torch.ones(2, 2), torch.ones(2, 2), torch.eye(2), mask=torch.eye(2) > 2),
         "mask: row [0] masks every key; expected at least one key that may be read"),
        (lambda: attend(torch.ones(2), torch.ones(2, 2), torch.eye(2), mask=torch.ones(3) > 0),
         "mask: expected axes that broadcast with (1, 2), got (3,)"),
        (lambda: attend(torch.ones(2), torch.ones(2, 2), torch.eye(2), mask=torch.full((2,), torch.nan)),
         "mask: expected finite numbers or -inf, got NaN or +inf"),
        (lambda: softmax(torch.tensor([1.0, torch.nan])),
         "logits: the row holds NaN or +inf; expected finite numbers or -inf"),
        (lambda: softmax(torch.ones(2), sink=-1.0), "sink: expected a finite number, 0 or more, got -1"),
        (lambda: scores(torch.ones(2, 1, 3), torch.ones(3, 1, 3)),
         "keys: expected axes that broadcast with (2, 1, 3), got (3, 1, 3)"),
        (lambda: attend("x", torch.ones(2, 2), torch.eye(2)),  # pyright: ignore[reportArgumentType]
         "query: expected a torch tensor, got str"),
        (lambda: attend(torch.ones(2), torch.ones(2, 2), None),  # pyright: ignore[reportArgumentType]
         "values: expected a torch tensor, got NoneType"),
        (lambda: attend(torch.ones(2), torch.ones(2, 2), torch.eye(2), scale="1"),  # pyright: ignore[reportArgumentType]
         "scale: expected a number, got '1'"),
        (lambda: attend(torch.ones(2), torch.ones(2, 2), torch.eye(2), sink=[0]),  # pyright: ignore[reportArgumentType]
         "sink: expected a number, got list"),
        (lambda: attend(torch.ones(2), torch.ones(2, 2), torch.eye(2), mask=[True, False]),  # pyright: ignore[reportArgumentType]
         "mask: expected a torch tensor, got list"),
        (lambda: attend(torch.ones(2), torch.ones(2, 2), torch.eye(2), mask=torch.ones(2, dtype=torch.int64)),  # pyright: ignore[reportArgumentType]
         "mask: expected floating-point numbers, got int64"),
        (lambda: mask_logits([1.0], None),  # pyright: ignore[reportArgumentType]
         "logits: expected a torch tensor, got list"),
        (lambda: softmax([[1.0], [1.0, 2.0]]),  # pyright: ignore[reportArgumentType]
         "logits: expected a torch tensor, got list"),
        (lambda: softmax(torch.ones(2, dtype=torch.int64)), "logits: expected floating-point numbers, got int64"),
        (lambda: mix(None, torch.eye(2)),  # pyright: ignore[reportArgumentType]
         "weights: expected a torch tensor, got NoneType"),
        (lambda: mix(torch.tensor(1.0), torch.eye(2)), "weights: expected (…, keys), got one number"),
        (lambda: average_heads([torch.eye(2)]),  # pyright: ignore[reportArgumentType]
         "outputs: expected a torch tensor, got list"),
        (lambda: average_heads(torch.ones(2, 3, 4), [1.0, 2.0]),  # pyright: ignore[reportArgumentType]
         "weights: expected a torch tensor, got list"),
        (lambda: concatenate_heads(torch.ones(2, 3)),
         "outputs: expected (…, heads, queries, dim), got shape (2, 3)"),
        (lambda: causal_mask("3"), "queries: expected a whole number, got '3'"),  # pyright: ignore[reportArgumentType]
        (lambda: causal_mask(3, -1), "keys: expected a whole number, 0 or more, got -1"),
        (lambda: attend(random(4, 1, 2), random(3, 2, 2), random(3, 2, 2), grouped=True),
         "keys: expected heads (axis -3) that divide those of the query, (4, 1, 2), got (3, 2, 2)"),
        (lambda: attend(random(4, 1, 2), random(2, 2, 2), random(2, 2), grouped=True),
         "values: expected heads (axis -3) that divide those of the query, (4, 1, 2), got (2, 2)"),
        (lambda: average_heads(torch.ones(2, 3, 4), torch.ones(3)),
         "weights: expected 2 numbers, one per head, got (3,)"),
    ],
)  # fmt: skip
def test_bad_input_is_named(call, message):
    with pytest.raises(ArgumentError) as error:
        call()
    assert str(error.value) == message


def test_mixing_is_linear():
    values = random(4, 3)
    for i, j in itertools.combinations(range(4), 2):
        weights = torch.zeros(4, dtype=torch.float64)
        weights[i] = weights[j] = 0.5
        torch.testing.assert_close(mix(weights, values), (values[i] + values[j]) / 2)
