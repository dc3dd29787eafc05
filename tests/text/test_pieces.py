"""The words of many texts, with a cache of pieces."""

from concurrent.futures import ThreadPoolExecutor

from attnlab.text.normalisation import Normalisation
from attnlab.text.pieces import Pieces


def test_threads_read_the_same_words_as_one():
    """The studio answers several questions about one classifier at a time, and each new piece makes the cache grow."""
    texts = [[f"word{n} other{n * place} again" for place in range(40)] for n in range(200)]
    rule = Normalisation(lower=True)

    def number(word: str) -> int:
        return sum(word.encode())

    shared = Pieces(rule, number)
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(shared.words, texts))
    for each, expected in zip(found, map(Pieces(rule, number).words, texts), strict=True):
        assert each.ids.tolist() == expected.ids.tolist()


def test_batches_that_a_thread_cuts_ahead_have_the_same_words():
    rule = Normalisation(lower=True)
    batches = [[f"Word{n}, not word{n * place}!" for place in range(40)] for n in range(20)]
    ahead, one = ({}, {})
    pieces = Pieces(rule, lambda word: ahead.setdefault(word, len(ahead)))
    alone = Pieces(rule, lambda word: one.setdefault(word, len(one)))
    for found, batch in zip(pieces.of_each(batches), batches, strict=True):
        expected = alone.words(batch)
        assert (found.ids.tolist(), found.offsets.tolist()) == (expected.ids.tolist(), expected.offsets.tolist())
    assert list(ahead) == list(one)
    assert list(pieces.of_each([])) == []
