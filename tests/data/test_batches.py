"""Batches: a function of seed, step and rank, whose shares are the batch of one process."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnlab.data.batches import batch
from attnlab.errors import ArgumentError

TOKENS = np.arange(1000, dtype=np.uint16)


@given(
    seed=st.integers(0, 2**63), step=st.integers(0, 2**40), ranks=st.integers(1, 8), share=st.integers(1, 4),
    context=st.integers(1, 999),
)  # fmt: skip
def test_the_shares_of_all_ranks_are_the_batch_of_one_process(seed, step, ranks, share, context):
    def at(rank, ranks):
        return batch(TOKENS, seed=seed, step=step, rank=rank, ranks=ranks, batch=total, context=context)

    total = ranks * share
    inputs, targets = at(0, 1)
    assert inputs.shape == targets.shape == (total, context)
    assert inputs.dtype == targets.dtype == np.int64
    shares = [at(rank, ranks) for rank in range(ranks)]
    assert np.array_equal(np.concatenate([each for each, _ in shares]), inputs)
    assert np.array_equal(np.concatenate([each for _, each in shares]), targets)
    assert np.array_equal(targets, inputs + 1)


def test_steps_and_seeds_differ_and_every_place_is_drawn():
    first = batch(TOKENS, seed=0, step=0, batch=64, context=2)[0]
    assert not np.array_equal(first, batch(TOKENS, seed=0, step=1, batch=64, context=2)[0])
    assert not np.array_equal(first, batch(TOKENS, seed=1, step=0, batch=64, context=2)[0])
    places = batch(TOKENS[:10], seed=0, step=0, batch=1000, context=3)[0][:, 0]
    assert set(places.tolist()) == set(range(7))


def test_a_memory_mapped_text(tmp_path):
    TOKENS.tofile(tmp_path / "a.bin")
    mapped = np.memmap(tmp_path / "a.bin", np.uint16, mode="r")
    inputs, _ = batch(mapped, seed=3, step=4, batch=5, context=6)
    assert type(inputs) is np.ndarray
    assert np.array_equal(inputs, batch(TOKENS, seed=3, step=4, batch=5, context=6)[0])


def test_the_shortest_text():
    inputs, targets = batch(TOKENS[:4], seed=0, step=0, batch=2, context=3)
    assert (inputs.tolist(), targets.tolist()) == ([[0, 1, 2]] * 2, [[1, 2, 3]] * 2)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"context": 1000},
            "context: expected less than the text's 1000 tokens, got 1000: each needs one that follows",
        ),
        ({"context": 0}, "context: expected at least 1, got 0"),
        ({"batch": 0}, "batch: expected at least 1, got 0"),
        ({"seed": -1}, "seed: expected at least 0, got -1"),
        ({"step": -1}, "step: expected at least 0, got -1"),
        ({"ranks": 0}, "ranks: expected at least 1, got 0"),
        ({"ranks": 2, "rank": 2}, "rank: expected 0 to 1, got 2"),
        ({"ranks": 3}, "batch: expected a multiple of the 3 processes, got 4"),
    ],
)
def test_what_cannot_be(options, message):
    with pytest.raises(ArgumentError) as error:
        batch(TOKENS, **({"seed": 0, "step": 0, "batch": 4, "context": 8} | options))
    assert str(error.value) == message
