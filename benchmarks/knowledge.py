"""Birthplaces: how many of 2,937 people's birthplaces a model of 3.2 to 3.3 million parameters knows after training.

.venv/bin/python benchmarks/knowledge.py --data FOLDER --device cuda            on people kept out of training
.venv/bin/python benchmarks/knowledge.py --data FOLDER --device cuda --report   on birth_dev.tsv, once recipes are fixed

FOLDER holds birthplaces/wiki.txt, birth_places_train.tsv and birth_dev.tsv. Each row and seed runs in its own process;
--beside sets how many run at the same time, and the times of pretraining are measured so. An answer must match exactly.
The answers given at 90 % precision are those above a threshold. It was chosen on training people who were kept out of
finetuning.
"""

import argparse
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import islice
from pathlib import Path
from time import perf_counter
from typing import Any

from attnlab.numbers import percent, whole_percent

ROWS = {
    "none": ("coursework", "dot-product", {}),
    "coursework": ("coursework", "dot-product", {}),
    "coursework-rotary": ("coursework", "dot-product", {"positions": "rotary"}),
    "views": ("views", "dot-product", {}),
    "views-synthesizer": ("views", "synthesizer", {}),
    "views-perceiver": ("views", "perceiver", {}),
    "recital": ("recital", "dot-product", {}),
}
"""The recipe, the mixer and other changes of the shape for each row."""
PRECISION = 0.9
STRANGERS = 200


def measured(row: str, seed: int, options: argparse.Namespace) -> dict[str, Any]:
    """Train one row with one seed, and measure its answers."""
    os.environ["ATTNLAB_DATA"] = str(options.data)
    from attnlab.benches.knowledge.answers import measure_answers, threshold_people
    from attnlab.benches.knowledge.teaching import prepare_facts, teach_model
    from attnlab.data.facts.facts import open_facts
    from attnlab.data.worlds.strangers import strangers
    from attnlab.evaluation.knowledge.asking import Knower
    from attnlab.models.kinds import parameter_count
    from attnlab.training import step as steps
    from attnlab.training.facts.lessons import Lesson
    from attnlab.training.facts.recipes import RECIPES
    from attnlab.training.loop import Hooks
    from attnlab.training.processes import this_process

    if options.plain:
        steps.fastest = lambda step, device, *, capturable: step  # launched kernel by kernel

    def shortened(lesson: Lesson) -> Lesson:
        steps = max(2, int(lesson.training.steps * options.share))
        return replace(lesson, training=replace(lesson.training, compile=options.compile, steps=steps))

    name, mixer, changes = ROWS[row]
    recipe = RECIPES.find(name)
    whole = open_facts("birthplaces")
    asked = whole if options.report else whole.split(0.1, seed=1)
    # For temperature and threshold, where answers are read off a recital; the other rows train on all.
    trained = asked.split(recipe.kept_out, seed=seed + 100) if recipe.recites else asked
    lessons = (recipe.untaught,) if row == "none" else (recipe.pretraining, recipe.finetuning)
    with this_process(options.device) as process:
        ready = prepare_facts(trained, recipe.tokens, replace(recipe.model, **changes), mixer)
        begun: list[float] = []  # the time at which each lesson begins
        losses: list[list[float]] = []

        def note_start(knower: Knower, number: int) -> Hooks:
            begun.append(perf_counter())
            losses.append([])
            return Hooks(looked=lambda look: losses[-1].append(look.loss))

        taught = teach_model(asked, ready, tuple(map(shortened, lessons)), process, seed=seed, hooks=note_start)
        ended = perf_counter()
        apart = threshold_people(trained) if trained is not asked else []
        chosen = {fact.name for fact in apart}
        unseen = [fact for fact in strangers(whole, STRANGERS, seed=seed) if fact.name not in chosen]
        # Together: those of one length share steps.
        replies = iter(taught.knower.answers([*asked.held_out, *apart, *unseen]))
        answers, kept = (list(islice(replies, len(part))) for part in (asked.held_out, apart))
    how = {"precision": PRECISION, "seed": seed}
    found = measure_answers(asked, answers, taught.memorised, kept, list(replies), **how)
    known = [each for each in kept if each.truth]
    alone = measure_answers(asked, answers, taught.memorised, known, **how)
    return {
        "row": row,
        "seed": seed,
        "accuracy": found.accuracy.value,
        "parameters": parameter_count(taught.knower.model),
        "pretraining": begun[-1] - begun[0],
        "finetuning": ended - begun[-1],
        "losses": [{"last": each[-1], "lowest": min(each), "curve": curve(each)} for each in losses],
        "found": found.as_json(),
        "without_strangers": alone.as_json()["confidence"],
    }


def curve(losses: list[float], points: int = 60) -> list[float]:
    """The means of a loss over equal parts of a lesson, in order: they show where a run lost what it had learnt."""
    size = -(-len(losses) // points)
    return [
        round(sum(part) / len(part), 4)
        for start in range(0, len(losses), size)
        if (part := losses[start : start + size])
    ]


def run(row: str, seed: int, options: argparse.Namespace) -> dict[str, Any]:
    """Measure one row with one seed in a process of its own."""
    command = [sys.executable, __file__, "--one", row, "--seed", str(seed), "--data", str(options.data)]
    command += ["--device", options.device, "--share", str(options.share)]
    command += ["--report"] * options.report + ["--compile"] * options.compile + ["--plain"] * options.plain
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode:
        print(done.stderr[-2000:], file=sys.stderr, flush=True)
        raise SystemExit(f"{row}, seed {seed}: failed")
    found = json.loads(done.stdout.splitlines()[-1])
    losses = ", ".join("{last:.3f} (lowest {lowest:.3f})".format(**each) for each in found["losses"])
    print(
        f"  {row}, seed {seed}: {percent(found['accuracy'])}, {found['parameters']:,} parameters, pretrained in "
        f"{found['pretraining']:.0f} s, finetuned in {found['finetuning']:.0f} s; loss at the end: {losses}",
        flush=True,
    )
    if options.out:
        with options.out.open("a", encoding="utf-8") as file:
            file.write(f"{json.dumps(found)}\n")
    return found


def tell(row: str, runs: list[dict[str, Any]]) -> None:
    """Print a line of the table."""
    values = [100 * each["accuracy"] for each in runs]
    from attnlab.statistics import over_seeds

    line = f"{row}: {over_seeds(values, 1, ' %')}"
    for name, of in (("without", "without_strangers"), ("with", "confidence")):
        sure = [found for each in runs if (found := {**each, **each["found"]}[of])]
        if sure:
            shares = ", ".join(_given(each["given"]) for each in sure)
            line += (
                f"; for {whole_percent(PRECISION)} precision on people kept out, {name} strangers among them: {shares}"
            )
    print(line, flush=True)


def _given(given: dict[str, Any]) -> str:
    right = f", {percent(given['precision']['value'])} of them correctly" if given["precision"] else ""
    return f"{percent(given['coverage']['value'])} answered{right}"


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=os.environ.get("ATTNLAB_DATA"))
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cuda")
    parser.add_argument("--rows", default=",".join(ROWS), help="which rows, with commas between")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--beside", type=int, default=1, help="how many train at a time")
    parser.add_argument("--report", action="store_true", help="ask about birth_dev.tsv")
    parser.add_argument("--compile", action="store_true", help="compile the model")
    parser.add_argument("--plain", action="store_true", help="do not capture the step as a CUDA graph")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--share", type=float, default=1.0, help="of the steps, to try it out")
    parser.add_argument("--out", type=Path, help="a file for all that was measured, a line of JSON a run")
    parser.add_argument("--one", choices=ROWS, help=argparse.SUPPRESS)
    parser.add_argument("--seed", type=int, default=0, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.data is None or not (options.data / "birthplaces" / "wiki.txt").is_file():
        parser.error("--data: expected a folder with birthplaces/wiki.txt (or set ATTNLAB_DATA)")
    if options.one:
        print(json.dumps(measured(options.one, options.seed, options)))
        return
    rows = options.rows.split(",")
    if unknown := [row for row in rows if row not in ROWS]:
        parser.error(f"--rows: expected {', '.join(ROWS)}, got {unknown[0]!r}")
    where = "birth_dev.tsv" if options.report else "training people who were kept out"
    print(f"exact match on {where}; {options.beside} at a time", flush=True)
    seeds = range(options.first, options.first + options.seeds)
    with ThreadPoolExecutor(options.beside) as pool:
        futures = {row: [pool.submit(run, row, seed, options) for seed in seeds] for row in rows}
        for row in rows:
            tell(row, [each.result() for each in futures[row]])


if __name__ == "__main__":
    main()
