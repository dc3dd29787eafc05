"""Counting on disk gives the bits of counting in memory, whatever the chunks and blocks are."""

import errno
import os

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnlab.errors import ArgumentError, FileError
from attnlab.models import memory
from attnlab.models.ngrams import counting_on_disk, grams, ngram
from attnlab.models.ngrams.counting_on_disk import count_on_disk
from attnlab.models.ngrams.ngram import NGram

SIZE = 6


def on_disk(folder, *given, boundary=None, **sizes):
    """The model that is counted on disk, in small chunks and blocks."""
    with pytest.MonkeyPatch.context() as patched:
        for name, number in sizes.items():
            patched.setattr(counting_on_disk, name, number)
        patched.setattr(ngram, "counts_in_memory", lambda tokens: False)
        return NGram.fit(*given, boundary=boundary, folder=folder)


@given(
    text=st.lists(st.integers(0, SIZE - 1), max_size=40),
    order=st.integers(1, 5),
    discounts=st.sampled_from(["modified", "plain"]),
    boundary=st.sampled_from([None, 0, 3]),
    chunk=st.integers(1, 20),
    block=st.integers(1, 9),
    tallied=st.integers(1, 9),
)
def test_it_is_counting_in_memory(tmp_path_factory, text, order, discounts, boundary, chunk, block, tallied):
    folder = tmp_path_factory.mktemp("counting")
    ids = np.array(text, np.uint16)
    sizes = {"CHUNK": chunk, "BLOCK": block, "TALLIED": tallied}
    found = on_disk(folder, ids, SIZE, order, discounts, boundary=boundary, **sizes).state()
    wanted = NGram.fit(ids, SIZE, order, discounts, boundary).state()
    assert found.keys() == wanted.keys()
    for name, array in wanted.items():
        np.testing.assert_array_equal(found[name], array, err_msg=name, strict=True)
    kept = {f"{name}.{n}" for n in range(1, order + 1) for name in ("keys", "shares", "passed")}
    assert {each.name for each in folder.iterdir()} == kept  # the runs are gone


def test_a_longer_text(tmp_path):
    text = np.random.default_rng(0).zipf(1.3, 30_000) % 500
    found = on_disk(tmp_path, text, 500, 5, boundary=7, CHUNK=4000, BLOCK=1000, TALLIED=2000)
    wanted = NGram.fit(text, 500, 5, boundary=7)
    assert all((found.state()[name] == array).all() for name, array in wanted.state().items())
    assert (found.nats(text) == wanted.nats(text)).all()


def test_only_a_large_text_with_a_folder_is_counted_on_disk(tmp_path, monkeypatch):
    text = np.zeros(1000, np.int64)
    NGram.fit(text, 2, folder=tmp_path)
    assert not [*tmp_path.iterdir()]
    monkeypatch.setattr(memory, "IN_MEMORY", 1000)
    NGram.fit(text, 2)
    NGram.fit(text, 2, discounts="spread", folder=tmp_path)  # needs the place of each n-gram
    assert not [*tmp_path.iterdir()]
    shares = []
    NGram.fit(text, 2, folder=tmp_path, progress=shares.append)
    assert [*tmp_path.iterdir()]
    assert shares == sorted(shares)
    assert shares[-1] == 1


def test_bad_ids_and_a_bad_folder_are_named(tmp_path):
    with pytest.raises(ArgumentError, match="ids: expected numbers from 0 to 3, got 0 to 4"):
        count_on_disk(np.array([0, 4]), 4, 2, "modified", None, tmp_path)
    with pytest.raises(FileError, match="nowhere: cannot be written"):
        count_on_disk(np.array([0, 1]), 4, 2, "modified", None, tmp_path / "nowhere")


def test_sorting_by_packed_numbers_is_sorting_by_places():
    draws = np.random.default_rng(0)
    for values in (draws.integers(-1, 50, 300), np.append(draws.integers(-1, 50, 300), 2**62), np.empty(0, np.int64)):
        keys, places, numbers, times = grams.distinct(values)
        wanted, wanted_times = np.unique(values[values >= 0], return_counts=True)
        assert (keys == wanted).all()
        assert (times == wanted_times).all()
        assert (values[places] == keys).all()
        assert (numbers == np.where(values >= 0, np.searchsorted(wanted, values), -1)).all()


def test_room_for_mapped_files_is_reserved_or_its_lack_is_told(tmp_path, monkeypatch):
    """A write into a hole of a mapped file ends the process if the disk is full."""
    column = counting_on_disk._Column(tmp_path / "numbers", np.int64, 10_000)
    assert column.path.stat().st_blocks * 512 >= 80_000

    def full(number: int, offset: int, length: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(FileError, match="cannot be written: no space left on device"):
        count_on_disk(np.arange(50) % 7, 7, 2, "plain", None, tmp_path)
