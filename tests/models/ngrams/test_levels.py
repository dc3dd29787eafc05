"""Finding n-grams: the hash tables against binary search, and blocks in threads against one block."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attnlab.models.ngrams import context_tree, levels, tables
from attnlab.models.ngrams.backoff import Backoff
from attnlab.models.ngrams.ngram import NGram
from attnlab.models.ngrams.tables import Finder, Tables, pays

keys = st.lists(st.integers(0, 60) | st.integers(0, 2**62), unique=True, max_size=60)


@pytest.fixture
def always_tables(monkeypatch):
    """Tables are made for the first token."""
    monkeypatch.setattr(tables, "PAYS", 0)


@given(known=keys, asked=keys, spare=st.sampled_from([1.01, 1.5]))
def test_the_table_finds_what_binary_search_finds(known, asked, spare):
    sorted_keys, wanted = np.array(sorted(known), np.int64), np.array([*known, *asked], np.int64)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(tables, "SPARE", spare)
        slow, fast = Finder(sorted_keys), Finder(sorted_keys, asked=10**9)
    assert (slow.table, fast.table is not None) == (None, True)
    expected = [sorted(known).index(each) if each in known else -1 for each in wanted.tolist()]
    assert slow.find(wanted).tolist() == fast.find(wanted).tolist() == expected


@given(known=keys, asked=keys)
def test_asking_in_order_finds_the_same(known, asked):
    sorted_keys, wanted = np.array(sorted(known), np.int64), np.array([*known, *asked], np.int64)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(levels, "LARGE", 0)
        found = levels.places_of(sorted_keys, wanted)
    assert found.tolist() == [sorted(known).index(each) if each in known else -1 for each in wanted.tolist()]


def test_tables_are_made_once_they_pay(monkeypatch):
    model = NGram.fit(np.arange(700), 700, 1)
    monkeypatch.setattr(tables, "PAYS", 250)
    made = Tables(model.levels, model.size)
    made.expect(200)
    assert made.made is None
    made.expect(200)
    assert made.made is not None
    assert not pays(249, 10)  # importing the loops does not pay
    assert not pays(1000, 10**6)  # nor does filling the tables
    monkeypatch.setattr(tables, "memory_bytes", lambda: 10**5)
    assert not pays(10**9, 10**4)  # and here they do not fit


@pytest.mark.parametrize("kind", ["interpolated", "back-off"])
@pytest.mark.parametrize("boundary", [None, 3])
@pytest.mark.parametrize("order", [1, 2, 5])
def test_tables_change_no_bit(always_tables, kind, boundary, order):
    draws = np.random.default_rng(0)
    text, other = draws.zipf(1.3, 4000) % 50, draws.zipf(1.2, 3000) % 60  # some tokens are new
    model = NGram.fit(text, 60, order, boundary=boundary)
    model = Backoff.of(model) if kind == "back-off" else model
    for each in (model, model.shortened(1)):
        rows = other.reshape(60, 50)
        slow = each._by_binary_search(rows)
        assert (each.rows_nats(rows) == -np.log(slow).reshape(rows.shape)).all()
        assert (each.nats(other) == -np.log(each._by_binary_search(other[None]))).all()
        assert each._tables.made is not None
        wanted = [-np.log(each.next(other[max(place - 4, 0) : place])[other[place]]) for place in range(100)]
        np.testing.assert_allclose(each.nats(other)[:100], wanted, rtol=1e-12)


def test_tables_take_arrays_that_cannot_be_written(always_tables):
    """As those of a memory-mapped file."""
    text = np.random.default_rng(0).integers(0, 9, 500)
    model = NGram.fit(text, 9, 3)
    wanted = model.nats(text)
    for level in model.levels:
        for array in (level.keys, level.shares, level.passed):
            array.flags.writeable = False
    text.flags.writeable = False
    assert (NGram(9, model.levels).nats(text) == wanted).all()


def test_a_shorter_model_uses_the_same_tables(always_tables):
    text = np.random.default_rng(0).integers(0, 9, 500)
    model = NGram.fit(text, 9, 4)
    model.nats(text)
    assert model.shortened(1)._tables is model._tables
    assert (model.shortened(1).nats(text) == NGram.fit(text, 9, 4).shortened(1).nats(text)).all()


@pytest.mark.parametrize("pays", [0, 10**9])
@pytest.mark.parametrize("threads", [1, 2])
def test_blocks_and_threads_change_no_bit(monkeypatch, threads, pays):
    monkeypatch.setattr(tables, "PAYS", pays)
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


@pytest.mark.parametrize("boundary", [None, 3])
def test_asking_in_the_order_of_the_ngrams_changes_no_bit(monkeypatch, tmp_path, boundary):
    """As in a model that is too large for the cache; here its arrays are files, too."""
    draws = np.random.default_rng(0)
    text, other = draws.zipf(1.3, 4000) % 50, draws.zipf(1.2, 3000) % 60
    model = NGram.fit(text, 60, 4, boundary=boundary)
    rows = other.reshape(60, 50)
    wanted, wanted_rows = model.nats(other), model.rows_nats(rows)
    for name, array in model.state().items():
        np.save(tmp_path / name, array)
    mapped = NGram.from_state({name: np.load(tmp_path / f"{name}.npy", mmap_mode="r") for name in model.state()})
    for module, name, number in ((levels, "LARGE", 0), (context_tree, "LARGE", 0), (levels, "AT_ONCE", 7)):
        monkeypatch.setattr(module, name, number)
    monkeypatch.setattr(context_tree, "SORTED", 999)
    monkeypatch.setattr(context_tree, "BLOCK", 10)
    for each in (model, mapped):
        assert (each.nats(other) == wanted).all()
        assert (each.rows_nats(rows) == wanted_rows).all()
