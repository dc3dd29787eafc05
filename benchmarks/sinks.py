"""Twin models with and without a sink term, with and without normalised queries and keys: what do heads do differently?

.venv/bin/python benchmarks/sinks.py --data FOLDER                           tinyshakespeare, three seeds
.venv/bin/python benchmarks/sinks.py --data FOLDER --device cuda --steps 1000
.venv/bin/python benchmarks/sinks.py --text topics --steps 100 --seeds 1     a generated text, a minute

All twins have the shape of the recipe shakespeare-cpu, the same text, steps and seeds. A sink term adds 1 to softmax's
denominator, so that a head can attend to nothing. The table has, for each twin, the nats per token of the validation
text; the mean attention to the first token, and that of the head with the most; how much of the first key's lead in
that head is due to its length and to its angle; the spread of key lengths; and what equal key lengths in all heads
would cost. ± is the half-width of a 95 % interval over seeds.
"""

import argparse
import itertools
import os
import tempfile
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from statistics import mean

from attnlab.statistics import over_seeds


def main() -> None:
    """Train the twins, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="the folder that holds tinyshakespeare/input.txt")
    parser.add_argument("--text", default="tinyshakespeare", help="the name of a text, or a file")
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--jobs", type=int, default=1, help="how many twins are trained at a time")
    asked = parser.parse_args()
    print(f"{asked.text}, {asked.steps} steps, {asked.seeds} seeds, {asked.device}")
    twins = [*itertools.product(("dot-product", "sink"), (False, True))]
    with ProcessPoolExecutor(asked.jobs, get_context("spawn")) as pool:
        runs = [[pool.submit(twin, asked, *each, seed) for seed in range(asked.seeds)] for each in twins]
        for (mixer, normalised), each in zip(twins, runs, strict=True):
            tell(mixer, normalised, [run.result() for run in each])


def tell(mixer: str, normalised: bool, found: list[dict[str, float]]) -> None:
    """Print the numbers of a twin over its seeds."""
    name = f"{'sink' if mixer == 'sink' else 'no sink'}, {'normalised' if normalised else 'not normalised'}"
    told = "; ".join(f"{key} {over_seeds([each[key] for each in found], 4)}" for key in found[0])
    print(f"{name}: {told}", flush=True)


def twin(asked: argparse.Namespace, mixer: str, normalised: bool, seed: int) -> dict[str, float]:
    """Train one twin, and hold the theory against its heads."""
    if asked.data is not None:
        os.environ["ATTNLAB_DATA"] = str(asked.data)
    from attnlab.benches.heads.theory import theory
    from attnlab.benches.language import train
    from attnlab.benches.language.configuring import configure
    from attnlab.evaluation.heads.settings import TheorySettings

    model = {"kind": "transformer", "mixer": mixer, "qk_norm": normalised}
    training = {"seed": seed, "device": asked.device, "steps": asked.steps, "validate_every": 10**9}
    with tempfile.TemporaryDirectory() as folder:
        run = train(configure(asked.text, "shakespeare-cpu", model, training=training), Path(folder) / "run")
        found = theory(run, settings=TheorySettings(rows=60, device="cpu"))
    first = [each.sink.weight for each in found.heads]
    most = found.heads[first.index(max(first))].sink
    return {
        "nats": run.validation["nats_per_token"],
        "first token": mean(first),
        "most of a head": max(first),
        "by length": most.length,
        "by angle": most.angle,
        "length spread": mean(each.variation for each in found.heads),
        "equal lengths": found.equal.value,
    }


if __name__ == "__main__":
    main()
