"""Finding n-grams: the hash table against binary search, and blocks in threads against one block."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attnlab.models import context_tree
from attnlab.models.levels import Finder
from attnlab.models.ngram import NGram

keys = st.lists(st.integers(0, 60) | st.integers(0, 2**62), unique=True, max_size=60)


@given(known=keys, asked=keys)
def test_the_table_finds_what_binary_search_finds(known, asked):
    sorted_keys, wanted = np.array(sorted(known), np.int64), np.array([*known, *asked], np.int64)
    slow, fast = Finder(sorted_keys), Finder(sorted_keys)
    fast.expect(1000)
    assert (fast.table is not None or fast.direct is not None) == bool(known)
    expected = [sorted(known).index(each) if each in known else -1 for each in wanted.tolist()]
    assert slow.find(wanted).tolist() == fast.find(wanted).tolist() == expected


def test_a_table_is_made_once_it_pays():
    finder = Finder(np.arange(3200) * 9)
    finder.expect(60)
    assert finder.table is None
    finder.expect(60)
    assert finder.table is not None


@pytest.mark.parametrize("threads", [1, 2])
def test_blocks_and_threads_change_no_bit(monkeypatch, threads):
    text = np.random.default_rng(0).zipf(1.5, 5000) % 50
    model = NGram.fit(text, 50, 4)
    whole = model.nats(text)
    monkeypatch.setattr(context_tree, "BLOCK", 64)
    was = torch.get_num_threads()
    try:
        torch.set_num_threads(threads)
        assert (model.nats(text) == whole).all()
    finally:
        torch.set_num_threads(was)
    rows = text.reshape(50, 100)
    assert (model.rows_nats(rows) == np.stack([model.nats(row) for row in rows])).all()
