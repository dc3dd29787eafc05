"""Estimates of the time of training: what is measured, and what follows from the settings."""

from dataclasses import replace

import pytest

from attnlab.benches.language.configuring import configure
from attnlab.training.language import estimating
from attnlab.training.language.estimating import estimate

TINY = {"kind": "transformer", "layers": 1, "heads": 1, "width": 8, "context": 8}
BATCHES = configure("text.txt", model=TINY, training={"steps": 1000, "batch": 4, "device": "cpu"})


@pytest.fixture
def seconds(monkeypatch):
    """Every measurement takes two seconds, but the update of the weights one."""
    monkeypatch.setattr(estimating, "_timed", lambda work, warm=0: 1.0 if warm == 1 else 2.0)


@pytest.mark.parametrize("slow", [range(7), range(0, 14, 2)], ids=["a cold start", "other programs"])
def test_a_slow_moment_does_not_change_the_estimate(monkeypatch, slow):
    clock, steps = [0.0], [0]

    def work() -> None:
        clock[0] += 0.5 if steps[0] in slow else 0.0625
        steps[0] += 1

    monkeypatch.setattr(estimating.time, "perf_counter", lambda: clock[0])
    assert estimating._timed(work, warm=4) == 0.0625


def test_steps_times_the_seconds_of_a_step(seconds):
    found = estimate(BATCHES)
    assert found.seconds == 2000
    assert found.seconds_per_million == pytest.approx(2e6 / 32)
    assert found.device == "cpu"


def test_a_large_step_is_measured_small_and_only_its_gradient_is_scaled(seconds, monkeypatch):
    monkeypatch.setattr(estimating, "BURST", {"cpu": 1.0})  # one sequence
    assert estimate(BATCHES).seconds == 1000 * (4 * (2 - 1) + 1)


def test_minutes_end_training_before_the_steps_do(seconds):
    assert estimate(replace(BATCHES, training=replace(BATCHES.training, minutes=1.0))).seconds == 60
    assert estimate(replace(BATCHES, training=replace(BATCHES.training, minutes=1.0, steps=0))).seconds == 60


def test_counts(seconds):
    assert estimate(configure(model="bigram", training={"steps": 30})).seconds == pytest.approx(30 * 1.0 / 3)
    found = estimate(configure(model="ngram"))
    assert (found.seconds, found.seconds_per_million) == (None, 20)


@pytest.mark.parametrize(
    "config", [BATCHES, configure(model="bigram", training={"steps": 30})], ids=["batches", "counts"]
)
def test_a_measured_burst_is_positive(config):
    found = estimate(config)
    assert found.seconds is not None
    assert 0 < found.seconds < 1000
