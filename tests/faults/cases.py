"""The commands that are tried: small, but each writes every kind of file that it can write."""

import hashlib
import json
import os
import random
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.faults.trials import Case, run

TEXT = "the cat sat on the mat. the dog sat on the log. a cat and a dog met. "
ANSWERS = "student,problem,answer\nA,copying,q = C k_a\nB,copying,q = k_a\nA,two-heads,q_1 = C k_a\n"
SMALL = ["--model.width", "8", "--model.heads", "2", "--model.layers", "1"]
STEPS = ["--steps", "4", "--batch", "2", "--validate-every", "2", "--seed", "1"]
TINY = ["--people", "20", "--steps", "4", "--batch", "4", "--validate-every", "2", *SMALL]


def write_text(folder: Path) -> None:
    """A text to train on."""
    (folder / "text.txt").write_text(TEXT * 30)


def write_reviews(folder: Path) -> None:
    """Labelled texts."""
    draws = random.Random(0)
    rows = []
    for number in range(60):
        words = ["good fine great", "bad dull poor"][number % 2].split()
        rows.append(f"{['good', 'bad'][number % 2]}\t{' '.join(draws.choices([*words, 'film', 'a'], k=6))} {number}\n")
    (folder / "reviews.tsv").write_text("".join(rows))


def write_answers(folder: Path) -> None:
    """The answers of a class."""
    (folder / "class.csv").write_text(ANSWERS)


def trained(folder: Path) -> None:
    """A trained Transformer, to measure and to export."""
    write_text(folder)
    words = ["train", "text.txt", "--model", "transformer", "--tokens", "characters", *SMALL, *STEPS, "--out", "model"]
    _done(folder, words)


def shown_before(folder: Path) -> None:
    """The same, with the page and the chart of an older measurement, which their owner wants to keep or renew."""
    trained(folder)
    (folder / "page.html").write_text("<p>old</p>" * 1000)
    (folder / "chart.svg").write_text("<svg/>")


def large_main(words: list[str]) -> int:
    """attnlab train, of a text that is too large to hold its tokens in memory: they go to token files."""
    from attnlab.benches.language import texts
    from attnlab.cli import main

    texts.LARGE = 100
    return main(words)


def stopped(folder: Path) -> None:
    """The same, stopped after its first checkpoint."""
    trained(folder)
    for name in ("result.json", "curves.svg", "checkpoints/step-00000004.json"):
        (folder / "model" / name).unlink()


def pretrained(folder: Path) -> None:
    """A pretrained model, to finetune."""
    _done(folder, ["knowledge", "pretrain", *TINY, "--out", "read"])


def _done(folder: Path, words: list[str]) -> None:
    case = Case("preparation", words)
    ended = run(case, folder, words)
    assert ended.code == 0, ended.error
    shutil.rmtree(folder.with_name(f"{folder.name}.notes"))


def asked_job(folder: Path) -> None:
    """A job of the studio, as the server leaves it to its process."""
    write_answers(folder)
    (folder / "job").mkdir()
    job = {"work": "grade", "arguments": {"path": "class.csv", "problem": ""}, "started": "", "process": None}
    (folder / "job" / "job.json").write_text(json.dumps(job))


def job_main(words: list[str]) -> int:
    """The process of a job."""
    from attnlab.studio.work import main

    return main(Path(words[0]))


def download_main(words: list[str]) -> int:
    """attnlab data get, of a set whose file is on this machine: a downloader stands for the network."""
    import pooch

    from attnlab.cli import main
    from attnlab.data import sets

    content = TEXT.encode() * 1000

    class Copied:
        def __init__(self, **options: Any):
            self.options = options

        def __call__(self, url: str, output: Any, source: Any) -> None:
            with open(output, "w+b") as file:
                for first in range(0, len(content), 16384):
                    file.write(content[first : first + 16384])
                    file.flush()

    pooch.HTTPDownloader = Copied  # pyright: ignore
    hashed = hashlib.sha256(content).hexdigest()
    file = sets.DataFile("small/text.txt", len(content), urls=("http://here/text.txt",), sha256=hashed)
    sets.SETS["small"] = sets.DataSet("small", "a text", "no terms", (file,), "here")
    os.environ["ATTNLAB_CACHE"] = "cache"
    return main(words)


def counting_main(words: list[str]) -> int:
    """attnlab train, of an n-gram model whose n-grams are counted on disk, in many small chunks and blocks."""
    from attnlab.benches.language import training
    from attnlab.cli import main
    from attnlab.models.ngrams import counting_on_disk, ngram

    counting_on_disk.CHUNK, counting_on_disk.BLOCK = 256, 128
    training.counts_in_memory = ngram.counts_in_memory = lambda tokens: False
    return main(words)


def train_case(name: str, *options: str) -> Case:
    """A language model."""
    words = ["train", "text.txt", *options, "--out", "run", "--json"]
    return Case(name, words, ["train", "--resume", "run", "--json"], write_text)


def cases() -> dict[str, Case]:
    """The cases by name."""
    transformer = ["--model", "transformer", "--tokens", "characters", *SMALL, *STEPS, "--sample-every", "2"]
    finetune = ["--steps", "4", "--batch", "4", "--validate-every", "2"]
    sweep = ["knowledge", "run", "--people", "12", "--effort", "0.01", "--variants", "none,recital", "--seeds", "1"]
    sweep += [*SMALL, "--model.context", "40"]
    page = ["--html", "page.html", "--plot", "chart.svg"]
    classify = ["classify", "train", "reviews.tsv", "--epochs", "2", "--model.dim", "4"]
    free = "with files in it"
    found = [
        train_case("train ngram", "--model", "ngram", "--tokens", "words"),
        replace(train_case("train on disk", "--model", "ngram", "--tokens", "words"), main=counting_main),
        train_case("train bigram", "--model", "bigram", "--tokens", "characters", "--steps", "3", "--model.dim", "4"),
        train_case("train recurrent", "--model", "recurrent", "--tokens", "characters", "--model.width", "8", *STEPS),
        train_case("train transformer", *transformer, "--keep-every", "1"),
        Case("train --resume", ["train", "--resume", "model", "--json"], prepare=stopped),
        replace(train_case("train large text", *transformer), main=large_main),
        train_case("train --seeds", *transformer, "--seeds", "2"),
        Case(
            "classify train",
            [*classify, "--out", "run", "--json"],
            ["classify", "train", "--resume", "run", "--json"],
            write_reviews,
        ),
        Case(
            "classify train --seeds",
            [*classify, "--seeds", "2", "--out", "run", "--json"],
            ["classify", "train", "--resume", "run", "--json"],
            write_reviews,
        ),
        Case(
            "knowledge pretrain",
            ["knowledge", "pretrain", *TINY, "--out", "run", "--json"],
            ["knowledge", "pretrain", "--resume", "run", "--json"],
        ),
        Case(
            "knowledge finetune",
            ["knowledge", "finetune", "read", *finetune, "--out", "run", "--json"],
            ["knowledge", "finetune", "--resume", "run", "--json"],
            pretrained,
        ),
        Case("knowledge run", [*sweep, "--out", "run", "--json"], ["knowledge", "run", "--resume", "run", "--json"]),
        Case("perplexity", ["perplexity", "model", "--text", "text.txt", *page, "--json"], (), trained),
        Case(
            "perplexity again",
            ["perplexity", "model", "--text", "text.txt", *page, "--json"],
            (),
            shown_before,
            replaces=("page.html", "chart.svg"),
        ),
        Case("export", ["export", "model", "--to", "exported", "--json"], (), trained, complete=free),
        Case("run", ["run", "--only", "perplexity", "--out", "report", "--json"], complete=free),
        Case("check --answers", ["check", "--answers", "class.csv", "--json"], (), write_answers),
        Case("data get", ["data", "get", "small", "--json"], main=download_main),
        Case("studio job", ["job"], (), asked_job, main=job_main),
    ]
    return {each.name: each for each in found}
