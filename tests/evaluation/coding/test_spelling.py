"""The cost of spelling unknown words, by the words of a vocabulary of any size."""

from attnlab.evaluation.coding import spelling
from attnlab.models import memory
from attnlab.models.ngrams import ngram

VOCABULARY = ("sing", "ring", "ringing", "Ünheard", "walk", "walking")


def test_a_large_vocabulary_is_counted_on_disk(monkeypatch):
    """In memory, the spelling of millions of words would take gigabytes."""
    words = ["singing", "gnigins", "ünheard"]
    wanted = spelling.spelled_words(words, VOCABULARY).tolist()
    counted, folders = ngram.count_on_disk, []

    def watched(*given):
        folders.append(given[5])
        return counted(*given)

    spelling._letters.cache_clear()
    monkeypatch.setattr(memory, "IN_MEMORY", 1000)
    monkeypatch.setattr(ngram, "count_on_disk", watched)
    assert spelling.spelled_words(words, VOCABULARY).tolist() == wanted
    assert len(folders) == 1
    assert not folders[0].exists()  # the files have no name any more
    spelling._letters.cache_clear()
