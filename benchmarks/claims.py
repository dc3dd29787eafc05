"""The verdict of every random claim at many seeds: whether it is that of most worlds, or of one.

PYTHONPATH=src python benchmarks/claims.py --seeds 20 --jobs 16             all random claims
PYTHONPATH=src python benchmarks/claims.py --seeds 20 --only bigram         some claims or families
PYTHONPATH=src python benchmarks/claims.py --seeds 1 --jobs 1 --all         the processor seconds of every claim
PYTHONPATH=src python benchmarks/claims.py --seeds 20 --missing --table src/attnlab/claims/steadiness.json
                                                                            the claims that the table lacks

Prints, for each claim, how many seeds give each verdict, the processor seconds per seed, and the measures that are
called exact although they vary. --json FILE writes all measures of all seeds. --table FILE writes the number of seeds
with each verdict, the seconds and the data into a table, as soon as a claim has all of its seeds. A claim's rows on
other data, such as the text of another version of Python, stay if they are of the same statement and code. With
--missing, only those claims run that have no such row on these data, so a run that was stopped goes on. Findings tell
the verdicts from src/attnlab/claims/steadiness.json, which is such a table; by its seconds, the longest claims run
first.

--settled FILE runs the claims in which nothing is random instead, and writes their verdicts:
PYTHONPATH=src python benchmarks/claims.py --seeds 1 --settled src/attnlab/claims/settled.json
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
from attnlab.claims.claim import Claim
from attnlab.claims.ledger import choose, every_claim
from attnlab.claims.parallel import Outcome, outcomes
from attnlab.claims.steadiness import Row, current_runs, data_of_seeds, hashes, same_data, with_run
from attnlab.files import write_whole
from attnlab.numbers import whole_percent
from attnlab.parallel import Workers

MOST = 0.95
"""The share of the seeds that a verdict must have."""


def main() -> None:
    """Run the claims, and print the table."""
    asked = _arguments()
    rows = json.loads(asked.table.read_text())["claims"] if asked.table and asked.table.exists() else {}
    claims = [claim for claim in choose(asked.only) if asked.all or claim.stochastic != bool(asked.settled)]
    if asked.missing:
        claims = [claim for claim in claims if not _has_run(rows.get(claim.id, {}), claim, asked.seeds)]
    began, found = time.perf_counter(), defaultdict(list)
    for done, each in enumerate(outcomes(claims, range(asked.seeds), Workers(asked.jobs)), start=1):
        found[each.id].append(each)
        print(f"\r{done} of {len(claims) * asked.seeds}  {each.id:40}", end="", file=sys.stderr, flush=True)
        if asked.table and len(found[each.id]) == asked.seeds:
            rows[each.id] = _row(rows.get(each.id, {}), found[each.id])
            write_whole(asked.table, _table(rows).encode())
    print(file=sys.stderr)
    for claim in claims:
        found[claim.id].sort(key=lambda each: each.seed)
    ordered = {claim.id: found[claim.id] for claim in claims}
    _show(ordered, asked.seeds, time.perf_counter() - began)
    if asked.json:
        asked.json.write_text(json.dumps({name: list(map(_described, each)) for name, each in ordered.items()}))
    if asked.settled:
        settled = {claim.id: hashes(claim) | {"verdict": ordered[claim.id][0].finding.verdict} for claim in claims}
        lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(row)}" for name, row in settled.items())
        asked.settled.write_text(f"{{\n{lines}\n}}\n")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--all", action="store_true", help="claims in which nothing is random, too")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--table", type=Path)
    parser.add_argument("--missing", action="store_true", help="only the claims that the table lacks on these data")
    parser.add_argument("--settled", type=Path)
    asked = parser.parse_args()
    if asked.missing and not asked.table:
        parser.error("--missing needs --table: it says which claims are missing")
    return asked


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


def _has_run(row: Row, claim: Claim, seeds: int) -> bool:
    """Whether a row has a run of the claim as it is now, on the data that it would use, with so many seeds."""
    data = data_of_seeds([claim.sources(seed) for seed in range(seeds)])
    return any(same_data(run, data) and sum(run["verdicts"].values()) == seeds for run in current_runs(claim, row))


def _row(before: Row, each: list[Outcome]) -> Row:
    """The row of a claim, with its runs on other data."""
    (claim,) = choose([each[0].id])
    verdicts = Counter(one.finding.verdict for one in each)
    seconds = round(mean(one.seconds for one in each), 1)
    made_with = f"Python {platform.python_version()}, torch {version('torch')}, attnlab {__version__}"
    return with_run(before, claim, verdicts, data_of_seeds([one.data for one in each]), seconds, made_with)


def _table(rows: dict[str, Row]) -> str:
    """The content of steadiness.json: the random claims of the ledger, with a line for each run."""
    kept = [claim.id for claim in every_claim() if claim.stochastic and claim.id in rows]
    return '{\n  "claims": {\n' + ",\n".join(f"    {json.dumps(id)}: {_lines(rows[id])}" for id in kept) + "\n  }\n}\n"


def _lines(row: Row) -> str:
    runs = ",\n".join(f"      {json.dumps(run)}" for run in row["runs"])
    head = json.dumps({name: value for name, value in row.items() if name != "runs"})
    return f'{head.removesuffix("}")}, "runs": [\n{runs}\n    ]}}'


def _described(one: Outcome) -> dict[str, object]:
    measures = [vars(measure) for measure in one.finding.measures]
    return {"seed": one.seed, "verdict": one.finding.words, "seconds": one.seconds, "measures": measures}


if __name__ == "__main__":
    main()
