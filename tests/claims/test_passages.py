"""Where the two passages come from: real ones where they are here, else made up."""

import numpy as np

from attnlab.claims.passages import encyclopedia, material
from attnlab.claims.two_models import unknown_share, words
from attnlab.evaluation.costs import costs


def test_made_up_passages_are_near_and_strange(monkeypatch, tmp_path):
    monkeypatch.delenv("ATTNLAB_DATA", raising=False)
    monkeypatch.setenv("ATTNLAB_CACHE", str(tmp_path))
    found = material.__wrapped__(0)
    near, far = (unknown_share(costs(words(found.train), raw)) for raw in (found.near, found.far))
    assert near < 0.15
    assert far > 0.35
    assert found.near not in found.train
    assert 3_000 < len(found.near) < 4_000 < len(found.far) < 6_000


def test_a_seed_makes_one_passage_and_another_seed_another():
    one, again, other = (encyclopedia(np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert one == again != other
    assert "{" not in one


def test_real_passages_come_first_and_are_not_trained_on(monkeypatch, tmp_path):
    speech, article, plays = "I shall lack voice", "New Zealand is old.", "He said: I shall lack voice. " * 20
    for path, text in (
        ("passages/shakespeare_for_perplexity.txt", speech),
        ("passages/wikipedia_for_perplexity.txt", article),
        ("tinyshakespeare/input.txt", plays),
    ):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    monkeypatch.setenv("ATTNLAB_DATA", str(tmp_path))
    found = material.__wrapped__(0)
    assert (found.near, found.far) == (speech, article)
    assert speech not in found.train
    assert found.train.count("He said: .") == 18
