"""Whoever reads a long text sees how much of it is done."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from attnlab.benches.language.configuring import configure
from attnlab.benches.language.training import train
from attnlab.benches.perplexity.comparison import perplexity
from attnlab.data.texts.loading import load_text
from attnlab.progress import Observer, WatchedTask


class Noted(Observer):
    """Keeps what each task reached, as a share of its total."""

    def __init__(self) -> None:
        self.shares: dict[str, list[float]] = {}

    @contextmanager
    def task(self, what: str, total: float | None = None) -> Iterator[WatchedTask]:
        reached = self.shares.setdefault(what, [])

        class Noting(WatchedTask):
            done = 0.0

            def advance(self, done: float = 1, what: str | None = None) -> None:
                self.done += done
                reached.append(self.done / (total or 1))

        yield Noting()


@pytest.fixture
def text(tmp_path: Path) -> Path:
    found = tmp_path / "long.txt"
    found.write_text("über allen Gipfeln ist Ruh\n" * 500_000)
    return found


def test_reading_hashing_and_tokenising_show_their_progress(text: Path, tmp_path: Path):
    noted = Noted()
    train(configure(str(text), model={"kind": "ngram", "order": 1}, tokens="words"), tmp_path / "run", noted)
    for task in ("reading long.txt", "words of long.txt"):
        assert len(noted.shares[task]) > 2
        assert noted.shares[task] == sorted(noted.shares[task])
        assert noted.shares[task][-1] == pytest.approx(1)

    audited = Noted()
    perplexity(tmp_path / "run", text, observer=audited)
    (shares,) = (each for task, each in audited.shares.items() if task.startswith("auditing"))
    assert len(shares) > 2
    assert shares[-1] == pytest.approx(1)


def test_a_watched_text_reads_the_same(text: Path):
    seen: list[int] = []
    watched = load_text(text).watched(seen.append)
    assert watched.sha256 == load_text(text).sha256
    assert sum(seen) == sum(watched.size(part) for part in watched.parts)
