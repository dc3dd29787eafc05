"""The speed of the exact method and of Monte Carlo, and the time and memory of Monte Carlo.

    .venv/bin/python benchmarks/robustness.py

1. Equal accuracy: the time to find E[α_a] and the error to within 1e-4, by the exact method and by draws, and their
   ratio. The accuracy is the error bound that each method states: for draws, four standard errors (plus a far smaller
   part for events that no draw met). It also prints the draws until one standard error is 1e-4, quasi-random points,
   and the exact method to 1e-9.
2. The seconds for a million draws with 100 keys.
3. The peak memory of a process with 1e6 draws and of one with 1e8 (--draws 1000000000 for more).
"""

import argparse
import json
import math
import platform
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable

import torch

from attnlab.attention import AveragingQuestion, Distribution, distribution

ACCURACY = 1e-4
SIGMAS = 4


class Question:
    """Averaging two of n keys with one head, with noise on the norm of key a. The keys are made before any timing."""

    def __init__(self, keys: int, scale: float, isotropic: float = 0.0):
        setting = AveragingQuestion(keys, isotropic=isotropic)
        self.keys, self.target, self.queries = setting.noisy_keys(), setting.target(), scale * setting.directions(1)

    def measure(self, **options) -> Distribution:
        """The distribution of the output; this call is timed."""
        return distribution(self.keys, self.queries, self.target, **options)

    def draw(self, samples: int) -> Distribution:
        """The same by random draws."""
        return self.measure(method="monte-carlo", samples=samples, seed=1)

    def point(self, samples: int) -> Distribution:
        """The same by quasi-random points."""
        return self.measure(method="quasi-monte-carlo", samples=samples)


def seconds(action: Callable[[], object], repeats: int) -> float:
    """The median seconds of an action, after one warm-up."""
    action()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def draws_needed(question: Question) -> int:
    """The number of draws for which the standard errors of E[α_a] and of the error reach the accuracy."""
    pilot = question.draw(100_000)
    assert pilot.standard_error is not None
    spread = max(float(pilot.weight_sd[0]), pilot.standard_error * math.sqrt(pilot.points))
    return math.ceil((spread / ACCURACY) ** 2)


def points_needed(question: Question) -> int:
    """The number of quasi-random points for which both bounds are below the accuracy."""
    for power in range(6, 24):
        found = question.point(1 << power)
        if max(found.error_bound, float(found.weight_mean_bound[0])) < ACCURACY:
            return 1 << power
    raise RuntimeError("quasi-random points do not get there")


def equal_accuracy(keys: int, scale: float) -> None:
    """Print the times to equal accuracy and their ratios."""
    question = Question(keys, scale)
    draws, points = draws_needed(question), points_needed(question)
    exact, rough, drawn = question.measure(), question.measure(tolerance=ACCURACY), question.draw(draws)
    assert rough.error_bound < ACCURACY
    assert abs(rough.error - exact.error) < ACCURACY
    assert abs(drawn.error - exact.error) < drawn.error_bound
    times = {
        f"{SIGMAS**2 * draws:,} draws (bound)": seconds(lambda: question.draw(SIGMAS**2 * draws), repeats=1),
        f"{draws:,} draws (one standard error)": seconds(lambda: question.draw(draws), repeats=3),
        f"{points:,} quasi-random points": seconds(lambda: question.point(points), repeats=9),
        "exact": seconds(lambda: question.measure(tolerance=ACCURACY), repeats=99),
        "exact, to 1e-9": seconds(question.measure, repeats=99),
    }
    print(f"{keys} keys, C = {scale:g}, accurate to {ACCURACY:g}:")
    for name, taken in times.items():
        print(f"  {name:40} {taken * 1e3:10.2f} ms, {taken / times['exact']:10,.1f} times the exact method's")


def million() -> None:
    """Print the seconds for a million draws."""
    for name, isotropic in {"norm noise": 0.0, "norm and isotropic noise": 0.01}.items():
        question = Question(100, 5.0, isotropic)
        taken = seconds(lambda question=question: question.draw(1_000_000), repeats=5)
        print(f"a million draws, 100 keys, {name}: {taken:.2f} s")


def memory(draws: int) -> None:
    """Print the peak memory of a process that makes few draws and of one that makes many."""
    for count in (1_000_000, draws):
        argument = json.dumps({"draws": count})
        start = time.perf_counter()
        done = subprocess.run(
            [sys.executable, __file__, "--child", argument], capture_output=True, text=True, check=True
        )
        taken = time.perf_counter() - start
        print(f"{count:>13,} draws: peak memory {int(done.stdout) / 1024:,.0f} MiB, {taken:.1f} s with start-up")


def child(draws: int) -> None:
    """Make draws and print this process's peak memory in KiB."""
    Question(10, 5.0).draw(draws)
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)


def main() -> None:
    """Run all parts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=100_000_000, help="draws for the test of memory")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(**json.loads(options.child))
        return
    print(f"{platform.processor() or platform.machine()}, {torch.get_num_threads()} threads, torch {torch.__version__}")
    for keys, scale in ((10, 10.0), (100, 10.0)):
        equal_accuracy(keys, scale)
    million()
    memory(options.draws)


if __name__ == "__main__":
    main()
