"""How long commands of the lab take: whole processes, in wall-clock and in processor seconds.

.venv/bin/python benchmarks/commands.py             short commands: the median of five runs, and the slowest
.venv/bin/python benchmarks/commands.py --claims    all claims, too: once, on all cores that this process may use
"""

import argparse
import os
import statistics
import subprocess
import sys
import time

ATTNLAB = [sys.executable, "-m", "attnlab"]
SHORT = {
    "attnlab --help": [*ATTNLAB, "--help"],
    'attnlab check extract "M = A^T"': [*ATTNLAB, "check", "extract", "M = A^T"],
    "import torch, in Python": [sys.executable, "-c", "import torch"],
    "attnlab robustness": [*ATTNLAB, "robustness"],
}
RUNS = 5


def taken(command: list[str]) -> tuple[float, float]:
    """The wall-clock and the processor seconds of a process and its children. Exit status 1 is a verdict of "no"."""
    began = time.perf_counter()
    started = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(started.pid, 0)
    started.returncode = os.waitstatus_to_exitcode(status)
    if started.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(command)}: exit status {started.returncode}")
    return time.perf_counter() - began, usage.ru_utime + usage.ru_stime


def tell(name: str, runs: list[tuple[float, float]]) -> None:
    """Print a line of the table."""
    wall, processor = zip(*runs, strict=True)
    slowest = f" (slowest {max(wall):.2f} s)" if len(runs) > 1 else ""
    print(
        f"{name}: {statistics.median(wall):.2f} s{slowest}, {statistics.median(processor):.2f} processor seconds",
        flush=True,
    )


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--claims", action="store_true", help="all claims, too")
    options = parser.parse_args()
    print(f"load average before: {os.getloadavg()[0]:.1f}, {len(os.sched_getaffinity(0))} cores", flush=True)
    for name, command in SHORT.items():
        taken(command)  # a first run, so that files are in memory
        tell(name, [taken(command) for _ in range(RUNS)])
    if options.claims:
        from attnlab.claims.ledger import choose

        jobs = str(len(os.sched_getaffinity(0)))
        tell(f"attnlab claims --jobs {jobs}, {len(choose(()))} claims", [taken([*ATTNLAB, "claims", "--jobs", jobs])])


if __name__ == "__main__":
    main()
