"""Where batches come from: a pure function of seed, step and rank, each window once an epoch."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnlab.data.tokens.epochs import starts
from attnlab.errors import ArgumentError


@given(st.integers(1, 20), st.integers(1, 300), st.integers(1, 4), st.integers(0, 5), st.integers(0, 40))
def test_every_window_is_inside_the_text_and_shares_make_up_the_batch(context, more, share, seed, step):
    tokens, ranks = context + more, 3
    options = {"seed": seed, "step": step, "batch": ranks * share, "context": context}
    whole = starts(tokens, **options)
    assert whole.shape == (ranks * share,)
    assert (whole >= 0).all()
    assert (whole + context + 1 <= tokens).all()
    parts = [starts(tokens, rank=rank, ranks=ranks, **options) for rank in range(ranks)]
    assert (np.concatenate(parts) == whole).all()


def test_an_epoch_has_each_window_once_and_the_next_one_begins_elsewhere():
    options = {"seed": 3, "batch": 3, "context": 10}
    epochs = [[starts(100, step=step, **options) for step in range(3 * e, 3 * e + 3)] for e in range(2)]
    first, second = (np.sort(np.concatenate(each)) for each in epochs)
    assert (np.diff(first) == 10).all()
    assert (np.diff(second) == 10).all()
    assert first[0] != second[0]
    assert not (np.concatenate(epochs[0]) == first).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"batch": 3, "ranks": 2, "context": 5}, "batch: expected a multiple of the 2 processes, got 3"),
        ({"batch": 2, "context": 100}, "context: expected less than the text's 100 tokens, got 100; use a "
         "shorter context or a longer text"),
    ],
)  # fmt: skip
def test_bad_settings(options, message):
    with pytest.raises(ArgumentError) as refused:
        starts(100, seed=0, step=0, **options)
    assert str(refused.value) == message
