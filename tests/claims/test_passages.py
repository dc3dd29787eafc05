"""Where the two passages come from: real ones where they are here, else made up."""

import numpy as np

from attnlab.claims.models.coursework import word_pairs
from attnlab.claims.passages import encyclopedia, passages, spaced_out
from attnlab.evaluation.scoring.measures import measure


def test_made_up_passages_are_near_and_strange(monkeypatch, tmp_path):
    monkeypatch.delenv("ATTNLAB_DATA", raising=False)
    monkeypatch.setenv("ATTNLAB_CACHE", str(tmp_path))
    found = passages.__wrapped__(1)
    near, far = (measure(word_pairs(found.train), raw).unknown for raw in (found.near, found.far))
    assert near < 0.15
    assert far > 0.35
    assert found.near not in found.train
    assert not found.real
    assert passages.__wrapped__(1) == found != passages.__wrapped__(2)
    assert 3_900 < len(found.near) < 5_300
    assert 4_000 < len(found.far) < 6_000


def test_signs_are_set_apart_by_spaces_where_there_is_no_wikitext(monkeypatch, tmp_path):
    monkeypatch.delenv("ATTNLAB_DATA", raising=False)
    monkeypatch.setenv("ATTNLAB_CACHE", str(tmp_path))
    words = spaced_out.__wrapped__(1)[0].split()
    assert {",", ".", "the"} <= set(words)
    assert not any(word.endswith(",") and word != "," for word in words)


def test_a_seed_makes_one_passage_and_another_seed_another():
    one, again, other = (encyclopedia(np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert one == again != other
    assert "{" not in one


def test_a_near_passage_is_never_empty_wherever_it_is_taken_from(monkeypatch, tmp_path):
    monkeypatch.delenv("ATTNLAB_DATA", raising=False)
    monkeypatch.setenv("ATTNLAB_CACHE", str(tmp_path))
    lengths = [len(passages.__wrapped__(seed).near) for seed in range(40)]
    assert min(lengths) > 500


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
    found = passages.__wrapped__(1)
    assert (found.near, found.far) == (speech, article)
    assert found.real
    assert speech not in found.train
    assert found.train.count("He said: .") == 18
