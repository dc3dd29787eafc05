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
