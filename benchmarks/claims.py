"""The verdict of every random claim at many seeds: whether it is that of most worlds, or of one.

PYTHONPATH=src python benchmarks/claims.py --seeds 20 --jobs 16             all random claims
PYTHONPATH=src python benchmarks/claims.py --seeds 20 --only bigram         some claims or families
PYTHONPATH=src python benchmarks/claims.py --seeds 1 --jobs 1 --all         the processor seconds of every claim
PYTHONPATH=src python benchmarks/claims.py --seeds 1 --settled src/attnlab/claims/settled.json
                                                                            the claims in which nothing is random

Prints, for each claim, how many seeds give each verdict, the processor seconds per seed, and the measures that are
called exact although they vary. --json FILE writes all measures of all seeds. --table FILE writes the number of seeds
with each verdict, the seconds and the data into a table, or replaces the rows of these claims in it. Findings tell the
verdicts from src/attnlab/claims/steadiness.json, which is such a table; by its seconds, the longest claims run first.
--settled FILE runs the claims in which nothing is random instead, and writes their verdicts.
"""

import argparse
import json
import os
import platform
import sys
import time
from collections import Counter, defaultdict
from importlib.metadata import version
from pathlib import Path
from statistics import mean

from attnlab import __version__
from attnlab.claims.ledger import choose
from attnlab.claims.parallel import Outcome, outcomes
from attnlab.claims.steadiness import data_of_seeds, hashes
from attnlab.numbers import whole_percent
from attnlab.parallel import Workers

MOST = 0.95
"""The share of the seeds that a verdict must have."""


def main() -> None:
    """Run the claims, and print the table."""
    asked = _arguments()
    claims = [claim for claim in choose(asked.only) if asked.all or claim.stochastic != bool(asked.settled)]
    began, found = time.perf_counter(), defaultdict(list)
    for done, each in enumerate(outcomes(claims, range(asked.seeds), Workers(asked.jobs)), start=1):
        found[each.id].append(each)
        print(f"\r{done} of {len(claims) * asked.seeds}  {each.id:40}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    for claim in claims:
        found[claim.id].sort(key=lambda each: each.seed)
    ordered = {claim.id: found[claim.id] for claim in claims}
    _show(ordered, asked.seeds, time.perf_counter() - began)
    if asked.json:
        asked.json.write_text(json.dumps({name: list(map(_described, each)) for name, each in ordered.items()}))
    if asked.settled:
        rows = {claim.id: hashes(claim) | {"verdict": ordered[claim.id][0].finding.verdict} for claim in claims}
        lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(row)}" for name, row in rows.items())
        asked.settled.write_text(f"{{\n{lines}\n}}\n")
    if asked.table:
        before = json.loads(asked.table.read_text())["claims"] if asked.table.exists() else {}
        asked.table.write_text(_table(before, ordered, asked.seeds))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--all", action="store_true", help="claims in which nothing is random, too")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--table", type=Path)
    parser.add_argument("--settled", type=Path)
    return parser.parse_args()


def _show(found: dict[str, list[Outcome]], seeds: int, seconds: float) -> None:
    unsteady, total = [], 0.0
    for name, each in found.items():
        verdicts = Counter(one.finding.words for one in each)
        cost = mean(one.seconds for one in each)
        total += cost
        verdict, times = verdicts.most_common(1)[0]
        rest = "; ".join(
            f"{words}: {', '.join(str(o.seed) for o in each if o.finding.words == words)}"
            for words in verdicts
            if words != verdict
        )
        print(f"{name:36} {times:3} of {seeds}  {verdict[:60]:60} {cost:7.2f} s  {rest}")
        if times < MOST * seeds:
            unsteady.append(name)
        for measure in _varying(each):
            print(f"{'':36} called exact, but varies: {measure}")
    print(f"{len(found)} claims, {total:.1f} processor seconds per seed, {seconds:.0f} s in all")
    print(f"below {whole_percent(MOST)}: {', '.join(unsteady) or 'none of the claims'}")


def _varying(each: list[Outcome]) -> list[str]:
    """The names of the measures that are called exact, and differ between seeds."""
    values = defaultdict(set)
    for one in each:
        for measure in one.finding.measures:
            if measure.how == "exact":
                values[measure.name].add(measure.value)
    return [name for name, seen in values.items() if len(seen) > 1]


def _table(before: dict[str, object], found: dict[str, list[Outcome]], seeds: int) -> str:
    """The content of steadiness.json: a line for each random claim of the ledger."""
    rows = dict(before)
    for claim in choose(()):
        if claim.id in found:
            verdicts = Counter(one.finding.verdict for one in found[claim.id])
            seconds = round(mean(one.seconds for one in found[claim.id]), 1)
            data = [(each.name, each.sha256) for each in data_of_seeds([one.data for one in found[claim.id]])]
            row = {**hashes(claim), "verdicts": verdicts, "seconds": seconds}
            rows[claim.id] = row | ({"data": data} if data else {})
    kept = [claim.id for claim in choose(()) if claim.stochastic and claim.id in rows]
    lines = ",\n".join(f"    {json.dumps(name)}: {json.dumps(rows[name])}" for name in kept)
    note = {"attnlab": __version__, "python": platform.python_version(), "torch": version("torch")}
    return f'{{\n  "seeds": {seeds},\n  "made_with": {json.dumps(note)},\n  "claims": {{\n{lines}\n  }}\n}}\n'


def _described(one: Outcome) -> dict[str, object]:
    measures = [vars(measure) for measure in one.finding.measures]
    return {"seed": one.seed, "verdict": one.finding.words, "seconds": one.seconds, "measures": measures}


if __name__ == "__main__":
    main()
