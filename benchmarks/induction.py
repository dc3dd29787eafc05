"""The recipes `induction` and `induction-one-layer` with several seeds: time, and the induction score of the best head.

PYTHONPATH=src python benchmarks/induction.py --seeds 11 12 13 14 15 --threads 2

The score is that of `attnlab heads`: random letters repeat with a period drawn anew in each row, here from 16 to 26.
The recipes train on periods from 4 to 24. The columns after it have rows of one period each; 25 and 26 are outside that
range.
"""

import argparse
import time
from dataclasses import replace

import torch

from attnlab.benches.language.in_memory import learn
from attnlab.benches.language.texts import prepare
from attnlab.data.worlds.repeats import LETTERS, repeats
from attnlab.evaluation.heads.repeats import Repeats, draw_repeats, placed_scores, repeated_places
from attnlab.models.inside import Inside, TransformerInside
from attnlab.models.transformer_config import TransformerConfig
from attnlab.training.language.recipes import RECIPES
from attnlab.training.processes import Process
from attnlab.training.settings import Training
from attnlab.training.threads import using_threads

PERIODS = (4, 8, 12, 16, 20, 24, 25, 26)
ROWS = 32
CPU = Process(0, 1, torch.device("cpu"))


def main() -> None:
    """Train, and print a row for each recipe and seed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, nargs="+", default=[11, 12, 13, 14, 15])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--recipes", nargs="+", default=["induction", "induction-one-layer"])
    asked = parser.parse_args()
    print(f"{'recipe':20} seed  seconds  CPU s  score  " + "  ".join(f"n={period:<3}" for period in PERIODS))
    for recipe in asked.recipes:
        for seed in asked.seeds:
            with using_threads(asked.threads):
                _measure(recipe, seed)


def _measure(recipe: str, seed: int) -> None:
    config = RECIPES.find(recipe)
    assert isinstance(config.model, TransformerConfig)
    assert isinstance(config.training, Training)
    ready = prepare(config)
    began, worked = time.perf_counter(), time.process_time()
    ids = ready.tokenizer.encode(ready.text.train).ids
    state = learn(config.model, ready.tokenizer, ids, replace(config.training, seed=seed), CPU)
    seconds, cpu = time.perf_counter() - began, time.process_time() - worked
    inside, letters = TransformerInside(state.model), torch.tensor(ready.tokenizer.encode(LETTERS).ids.astype("int64"))
    drawn = draw_repeats(letters, inside.context, seed)
    assert drawn is not None
    found = [best_score(inside, drawn)]
    for period in PERIODS:
        text = repeats(ROWS, periods=(period, period), length=inside.context, seed=10**6 + seed).replace("\n", "")
        rows = torch.tensor(ready.tokenizer.encode(text).ids.astype("int64")).view(ROWS, -1)
        found.append(best_score(inside, Repeats(rows, rows, torch.full((ROWS,), period), before=0)))
    scores = "  ".join(f"{score:.3f}" for score in found)
    print(f"{recipe:20} {seed:4}  {seconds:7.1f}  {cpu:5.1f}  {scores}", flush=True)


def best_score(inside: Inside, rows: Repeats) -> float:
    """The induction score of the best head: the mean over rows."""
    places = repeated_places(rows)
    found = [placed_scores(heads.weights, places)[:, 0].mean(0) for heads in inside.look(rows.ids).layers]
    return float(torch.stack(found).max())


if __name__ == "__main__":
    main()
