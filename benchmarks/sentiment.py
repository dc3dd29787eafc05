"""IMDB film reviews: accuracy, time and memory of the lab and of fastText in the same run.

.venv/bin/python benchmarks/sentiment.py --data FOLDER --peer FASTTEXT             to tune a recipe
.venv/bin/python benchmarks/sentiment.py --data FOLDER --peer FASTTEXT --report    once, when the recipe is fixed

FOLDER holds aclImdb.tar.gz and glove/glove.6B.100d.txt.gz; the peer is a fasttext program. The accuracy is measured on
a tenth of the training half, held out in blocks; with --report on the test half, which nothing else here reads. Times
are those of whole processes, memory is their peak. Without --peer only the lab is measured.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ATTNLAB = [sys.executable, "-m", "attnlab"]
SHAPES = ((10, 1), (10, 2), (100, 1), (100, 2))
"""Dimensions and longest n-grams for the comparison with the peer."""
EPOCHS, BUCKETS = 5, 1 << 20
WIDTH, BATCH = 64, 64
"""The width of vectors and the texts per step, for models that read words in order."""
PARTS = ("accuracy", "prediction", "peer", "order")


@dataclass(frozen=True)
class Ended:
    """A process that succeeded: its output, its seconds, its processor seconds and its peak memory."""

    printed: str
    seconds: float
    cpu_seconds: float
    bytes: int


def ran(*command: str | Path) -> Ended:
    """Run a process and wait for its end."""
    began = time.perf_counter()
    with tempfile.TemporaryFile("w+") as out:
        started = subprocess.Popen([str(each) for each in command], stdout=out, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(started.pid, 0)
        seconds = time.perf_counter() - began
        started.returncode = os.waitstatus_to_exitcode(status)
        if started.returncode:
            raise SystemExit(f"{' '.join(map(str, command))}: exit status {started.returncode}")
        out.seek(0)
        return Ended(out.read(), seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)


def spread(values: list[float]) -> str:
    """The mean over seeds with its 95 % interval, in per cent."""
    from attnlab.statistics import over_seeds

    return over_seeds([100 * value for value in values], 2, " %")


def trained(recipe: str, run: Path, *more: str) -> Ended:
    """Train a recipe in a process of its own."""
    return ran(*ATTNLAB, "classify", "train", "imdb", "--recipe", recipe, "--out", run, "--json", *more)


def accuracy(recipe: str, folder: Path, seeds: int, report: bool) -> None:
    """Train a recipe with each seed, and print its accuracy on the held-out blocks; with `report`, train on the whole
    training half and print the accuracy on the test half."""
    right, ended = [], []
    for seed in range(seeds):
        run = folder / f"{recipe}-{seed}"
        if report:
            ended.append(trained(recipe, run, "--seed", str(seed), "--validation", "0"))
            right.append(json.loads(ran(*ATTNLAB, "classify", "evaluate", run, "imdb", "--json").printed)["accuracy"])
        else:
            ended.append(trained(recipe, run, "--seed", str(seed)))
            right.append(json.loads(ended[-1].printed)["validation_accuracy"])
    where = "test half" if report else "held-out blocks"
    seconds, memory = statistics.mean(each.seconds for each in ended), max(each.bytes for each in ended)
    print(f"{recipe}, {where}: {spread(right)}; training {seconds:.1f} s, {memory / 1e6:.0f} MB", flush=True)


def written(folder: Path) -> None:
    """Write the training half, split into words and into training and held-out texts: tables for the lab, and the same
    texts in the peer's format. They are shuffled, because the peer does not shuffle."""
    import numpy as np

    from attnlab.data.labelled.loading import load_labelled, split
    from attnlab.text.normalisation import Normalisation

    rule = Normalisation(lower=True)
    train, held = split(load_labelled("imdb"))
    train = train.take(np.random.default_rng(0).permutation(len(train)))
    for name, data, begin in (
        ("train.tsv", train, "{}\t"),
        ("held.tsv", held, "{}\t"),
        ("train.txt", train, "__label__{} "),
        ("held.txt", held, "__label__{} "),
    ):
        with (folder / name).open("w", encoding="utf-8") as file:
            for text, label in zip(data.texts, data.labels.tolist(), strict=True):
                words = " ".join(rule.word(part) for part in rule.parts(text))
                file.write(f"{begin.format(data.classes[label])}{words}\n")


def beside(peer: Path, folder: Path, seeds: int) -> None:
    """Train the lab and the peer with the same words, dimensions, buckets and epochs, in turn, with each seed; print
    the accuracy after the last epoch, the median time, and the largest memory. Neither side sees the held-out texts.

    The rate of the table was chosen on blocks of the training half; which blocks, and how the batch was chosen, was not
    recorded. The held-out texts are such blocks, too, so this may favour the lab. The rate of the read-out for 10
    dimensions was chosen without the held-out texts, on blocks of the others; with 100 it is the usual one. The weights
    of the read-out are of the size 1/√dim, so steps of one size on dim coordinates change a logit in proportion to
    √dim: the rate of the table is divided by that."""
    ran(*ATTNLAB, "classify", "train", folder / "held.tsv", "--epochs", "1", "--out", folder / "first")  # compiles once
    for dim, ngrams in SHAPES:
        ours, theirs, right, precise = [], [], [], []
        model = folder / "peer"
        for seed in range(seeds):
            shape = f"-dim {dim} -wordNgrams {ngrams} -bucket {BUCKETS} -epoch {EPOCHS} -thread 2 -verbose 0"
            command = (peer, "supervised", "-input", folder / "train.txt", "-output", model, "-seed", str(seed))
            theirs.append(ran(*command, *shape.split()))
            tested = ran(peer, "test", f"{model}.bin", folder / "held.txt").printed
            precise.append(float(next(line.split()[1] for line in tested.splitlines() if line.startswith("P@1"))))
            options = f"--features.vocabulary 0 --features.ngrams {ngrams} --features.buckets {BUCKETS}"
            options += f" --model.dim {dim} --model.layers 0 --model.word-dropout 0 --epochs {EPOCHS} --validation 0"
            options += f" --table-rate {3 / dim**0.5:.2f} --rate {0.1 / dim:.3f} --rule adagrad --batch 1024"
            options += f" --steps even --features.once no --seed {seed}"
            run = folder / f"ours-{dim}-{ngrams}-{seed}"
            ours.append(ran(*ATTNLAB, "classify", "train", folder / "train.tsv", *options.split(), "--out", run))
            tested = ran(*ATTNLAB, "classify", "evaluate", run, folder / "held.tsv", "--json").printed
            right.append(json.loads(tested)["accuracy"])
        seconds = [statistics.median(each.seconds for each in side) for side in (ours, theirs)]
        worked = [statistics.median(each.cpu_seconds for each in side) for side in (ours, theirs)]
        memory = [max(each.bytes for each in side) / 1e6 for side in (ours, theirs)]
        print(
            f"{dim} dimensions, n-grams up to {ngrams}, {EPOCHS} epochs: "
            f"fastText {seconds[1]:.1f} s ({worked[1]:.1f} of processors), {spread(precise)}, {memory[1]:.0f} MB; "
            f"ours {seconds[0]:.1f} s ({worked[0]:.1f}), {spread(right)}, {memory[0]:.0f} MB; "
            f"{seconds[0] / seconds[1]:.2f} times its time, {worked[0] / worked[1]:.2f} times its processor time",
            flush=True,
        )


def predicting(folder: Path) -> None:
    """Print reviews per second, from the lines of a file to answers, with an empty and with a full cache of words; and
    for a whole process, which loads the classifier first."""
    from attnlab.benches.sentiment import open_classifier
    from attnlab.data.labelled.loading import load_labelled

    run, file = folder / "predicting", folder / "lines.txt"
    trained("ngrams", run)
    texts = load_labelled("imdb").texts
    file.write_text("".join(f"{' '.join(text.split())}\n" for text in texts), encoding="utf-8")
    rates = [[], []]
    for _ in range(3):
        classifier = open_classifier(run)
        for rate in rates:
            began = time.perf_counter()
            count = sum(1 for _ in classifier.predictions(file))
            rate.append(count / (time.perf_counter() - began))
    whole = ran(*ATTNLAB, "classify", "predict", run, file).seconds
    first, again = (statistics.median(rate) for rate in rates)
    print(
        f"prediction, {len(texts):,} reviews of the training half, reading and cutting included: "
        f"{first:,.0f} reviews/s the first time, {again:,.0f} when their words have been met; "
        f"the whole process {whole:.1f} s",
        flush=True,
    )


def reading(data: str, most: int, texts: int, seeds: int) -> None:
    """Print what the order of words is worth: an averaging network, and models that start from its vectors and read the
    same words in order. The accuracy is on the held-out texts; the time is for training only."""
    from dataclasses import replace

    import numpy as np
    import torch

    from attnlab.benches.sentiment.readers import Reader, train_reader
    from attnlab.benches.sentiment.training import learn
    from attnlab.data.labelled.loading import Labelled, load_labelled, split
    from attnlab.models.recurrent import RecurrentConfig
    from attnlab.models.transformer import TransformerConfig
    from attnlab.text.normalisation import Normalisation
    from attnlab.training.classifier.recipes import RECIPES
    from attnlab.training.settings import Training

    def cut(part: Labelled) -> Labelled:
        return replace(part, texts=tuple("".join(rule.parts(text)[:most]) for text in part.texts))

    rule, recipe = Normalisation(lower=True), RECIPES.find("words")
    train, held = (cut(part) for part in split(load_labelled(data)))
    shapes = {
        "recurrent": RecurrentConfig(width=WIDTH, context=most),
        "Transformer": TransformerConfig(layers=1, heads=2, width=WIDTH, context=most),
    }
    found = {name: ([], []) for name in ("averaging", *shapes)}

    def note(name: str, began: float, said: np.ndarray) -> None:
        found[name][0].append(float((said.argmax(1) == held.labels).mean()))
        found[name][1].append(began)

    for seed in range(seeds):
        settings = replace(
            recipe,
            features=replace(recipe.features, vocabulary=20_000),
            model=replace(recipe.model, dim=WIDTH),
            training=replace(recipe.training, seed=seed),
        )
        began = time.perf_counter()
        averaging = learn(train, held, settings).classifier
        note("averaging", time.perf_counter() - began, averaging.probabilities(held.texts))
        assert averaging.model.network is not None
        words, asked = averaging.features.words(train.texts), averaging.features.words(held.texts)
        for name, shape in shapes.items():
            reader = Reader(shape, torch.from_numpy(averaging.model.network.table), len(train.classes), seed)
            training = Training(steps=texts // BATCH, batch=BATCH, seed=seed, precision="float32")
            began = time.perf_counter()
            train_reader(reader, words, train.labels, training)
            note(name, time.perf_counter() - began, reader.probabilities(asked))
    print(f"{data}, the first {most} words of a review, {len(train):,} to train on, {len(held):,} held out:")
    for name, (right, seconds) in found.items():
        print(f"  {name}: {spread(right)}, {statistics.mean(seconds):.1f} s", flush=True)


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=os.environ.get("ATTNLAB_DATA"))
    parser.add_argument("--peer", type=Path, help="a fasttext program")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--report", action="store_true", help="accuracy on the test half: once, when all is fixed")
    parser.add_argument("--only", choices=PARTS, nargs="+", default=PARTS, help="some of the parts")
    options = parser.parse_args()
    if options.data is None or not options.data.is_dir():
        parser.error("--data: expected a folder with aclImdb.tar.gz (or set ATTNLAB_DATA)")
    if options.peer is not None and not os.access(options.peer, os.X_OK):
        parser.error("--peer: expected a fasttext program that can be run")
    if options.seeds < 1:
        parser.error(f"--seeds: expected at least 1, got {options.seeds}")
    os.environ["ATTNLAB_DATA"] = str(options.data.resolve())
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # as after any installation, modules are compiled to bytecode once
    print(f"load average before: {os.getloadavg()[0]:.1f}", flush=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if "accuracy" in options.only:
            for recipe in ("words", "ngrams"):
                accuracy(recipe, folder, options.seeds, options.report)
        if "prediction" in options.only:
            predicting(folder)
        if "peer" in options.only and options.peer is not None:
            written(folder)
            beside(options.peer.resolve(), folder, options.seeds)
        elif "peer" in options.only:
            print("fastText: left out, as no --peer was given")
        if "order" in options.only:
            reading("reviews", most=64, texts=20_000, seeds=min(options.seeds, 3))
            reading("imdb", most=200, texts=25_000, seeds=1)
    print(f"load average after: {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
