"""n-gram models beside KenLM's lmplz, build_binary and query: training, scoring, and whether the numbers agree.

    .venv/bin/python benchmarks/ngrams.py --peer FOLDER_OF_BINARIES --data DATA --megabytes 10 100

The peer is your own build of KenLM. DATA holds wikitext-2-v1.zip; its default is the variable ATTNLAB_DATA. Without it,
only generated texts are used, one for each size. Each line is a sentence; <unk> of WikiText becomes a plain word, since
lmplz refuses it. Training counts the CPU seconds and the peak memory (all of it, and without mapped files; looked at 50
times a second) of a process from its start to a written model. For the lab, this is the command that a user runs,
`attnlab train`: it counts 80 % of the text and scores the rest. --training measures nothing else, and beside it a
process that only splits all of the text into words, counts and writes, as lmplz does. Scoring needs its model.
Scoring counts tokens per second of CPU time and of wall time, without start and loading: both sides score the test text
once and many times over, and the difference counts. The lab gets tokens as integers; query also splits its text.
"""

import argparse
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from attnlab.models.ngrams.arpa.reading import read_arpa
from attnlab.models.ngrams.ngram import NGram
from attnlab.runs.checkpoints import last_checkpoint, write_checkpoint

ORDERS = (2, 3, 5)
TIMES = 16
"""How often the test text is repeated where speed is measured."""
READ = 1 << 20
"""Bytes of text that the lab reads at a time."""
STREAMS, VOCABULARY = 4096, 1 << 21
HABITS = 50_000
"""Words that habits lead to. All others are rare, as in a real text: without rare words lmplz finds no discounts."""


@dataclass(frozen=True)
class Spent:
    """What a process took."""

    cpu: float
    megabytes: float
    """The most memory, without mapped files, whose pages the system may take back at any time."""
    all_megabytes: float
    """The same with mapped files."""


def spent(words: list[str], stdin: Path, stdout: Path) -> Spent:
    """Run a program to its end."""
    with stdin.open("rb") as source, stdout.open("wb") as target:
        process = subprocess.Popen(words, stdin=source, stdout=target, stderr=subprocess.DEVNULL)
        own = everything = 0.0
        while not (waited := os.wait4(process.pid, os.WNOHANG))[0]:
            own = max(own, _megabytes(process.pid, "RssAnon"))
            everything = max(everything, _megabytes(process.pid, "VmHWM"))
            time.sleep(0.02)
        _, status, used = waited
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{words[0]} ended with {process.returncode}")
    return Spent(used.ru_utime + used.ru_stime, own, everything)


def _megabytes(process: int, what: str) -> float:
    """What the system says of the memory of a process."""
    with suppress(OSError):
        fields = dict(line.split(":", 1) for line in Path(f"/proc/{process}/status").read_text().splitlines())
        return int(fields.get(what, "0 kB").split()[0]) / 1000
    return 0.0


def wikitext(data: Path, folder: Path, unknown: str) -> None:
    """WikiText-2: its training text, and its validation text to score. `unknown` stands for <unk>."""
    with zipfile.ZipFile(data / "wikitext-2-v1.zip") as archive:
        for part, name in (("train", "train.txt"), ("valid", "test.txt")):
            text = archive.read(f"wikitext-2/wiki.{part}.tokens").replace(b"<unk>", unknown.encode())
            (folder / name).write_bytes(text)


def generated(megabytes: float, folder: Path) -> None:
    """A text with habits: what follows depends on the two words before, and common words are common everywhere."""
    draws, names = np.random.default_rng(0), np.array([f"w{each}" for each in range(VOCABULARY)], object)
    for name, size in (("train.txt", megabytes * 1e6), ("test.txt", 1e6)):
        before, last = draws.integers(HABITS, size=(2, STREAMS))
        with (folder / name).open("w") as file:
            while file.tell() < size:
                rows = []
                for _ in range(25):
                    common = draws.zipf(1.3, STREAMS) % VOCABULARY
                    habit = (before * 31 + last * 17 + draws.geometric(0.4, STREAMS) ** 2 * 7919) % HABITS
                    before, last = last, np.where(draws.random(STREAMS) < 0.5, common, habit)
                    rows.append(names[last])
                file.write("".join(" ".join(words) + "\n" for words in zip(*rows, strict=True)))


def tokens(path: Path, ids: dict[str, int], end: int) -> np.ndarray:
    """The ids of a text; the end of a line is `end`, and an unknown word is 0."""
    words = (word for line in path.open(encoding="utf-8") for word in (*line.split(), "\n"))
    return np.fromiter((end if word == "\n" else ids.get(word, 0) for word in words), np.int64)


def train(text: Path, order: int, to: Path) -> None:
    """Counting alone: read, count, write. The tokens go to a file, as those of a large text do."""
    ids, path = defaultdict[str, int](), to.with_suffix(".tokens")
    ids.default_factory = lambda: len(ids) + 1
    with text.open(encoding="utf-8") as lines, path.open("wb") as file:
        while some := lines.readlines(READ):
            words = [word for line in some for word in (*line.split(), "\n")]
            file.write(np.fromiter(map(ids.__getitem__, words), np.int32, len(words)).data)
    counted = np.memmap(path, np.int32, "r")
    with tempfile.TemporaryDirectory(dir=to.parent) as folder:
        model = NGram.fit(counted, len(ids) + 1, order, boundary=ids["\n"], folder=Path(folder))
        write_checkpoint(to.parent, 0, model.state(), {})
    to.write_text(json.dumps(list(ids)))
    path.unlink()


def speed(model: NGram, text: np.ndarray) -> tuple[float, float]:
    """Tokens per second of CPU time, and of wall time."""
    many = np.tile(text, TIMES)
    model._tables.expect(1 << 40)  # as a longer text would; no command needs it  # pyright: ignore[reportPrivateUsage]
    cpu, wall = time.process_time(), time.perf_counter()
    model.nats(many)
    return many.size / (time.process_time() - cpu), many.size / (time.perf_counter() - wall)


def query_speed(peer: Path, folder: Path, count: int) -> tuple[float, float]:
    """The same for query, without its start."""
    many = folder / "many.txt"
    many.write_bytes((folder / "test.txt").read_bytes() * (TIMES + 1))
    found = []
    for text in (folder / "test.txt", many):
        began = time.perf_counter()
        used = spent([str(peer / "query"), "-v", "summary", str(folder / "peer.bin")], text, folder / "out.txt")
        found.append((used.cpu, time.perf_counter() - began))
    return tuple(TIMES * count / (many - one) for one, many in zip(*found, strict=True))  # pyright: ignore[reportReturnType] (two speeds)


def query_logs(peer: Path, folder: Path) -> np.ndarray:
    """log₁₀ of the probability of each word and each </s>, by query."""
    spent([str(peer / "query"), "-v", "word", str(folder / "peer.bin")], folder / "test.txt", folder / "out.txt")
    fields = (field for line in (folder / "out.txt").open() for field in line.split("\t"))
    return np.array([float(each.rsplit(" ", 1)[1]) for each in fields if each.count(" ") == 2 and "=" in each])


def compare_training(peer: Path, folder: Path, order: int, *, command: bool) -> None:
    """Train with both, and print the ratios. lmplz and counting alone leave their models in the folder; the run of the
    whole command, where it is wanted, is removed."""
    text, nothing, out = folder / "train.txt", Path(os.devnull), folder / "out.txt"
    words = [str(peer / "lmplz"), "-o", str(order), "-S", "1G", "-T", str(folder), "--discount_fallback"]
    print(f"  order {order}, load average {os.getloadavg()[0]:.1f}", flush=True)
    found = {}
    if command:
        options = f"--model ngram --model.order {order} --model.sentences --tokens words --tokens.split whitespace"
        lab = [str(Path(sys.executable).with_name("attnlab")), "train", str(text), *options.split(), "--tokens.lines"]
        found["attnlab train"] = spent([*lab, "--out", str(folder / "run")], nothing, out)
        shutil.rmtree(folder / "run")
    theirs = found["lmplz"] = spent(words, text, folder / "peer.arpa")
    if command:
        (folder / "peer.arpa").unlink()  # room on the disk: nothing is scored
    counting = [sys.executable, __file__, "--train", str(text), str(order), str(folder / "words.json")]
    found["counting alone"] = spent(counting, nothing, out)
    for name, each in found.items():
        memory = f"{each.all_megabytes:,.0f} MB, {each.megabytes:,.0f} without mapped files"
        print(f"    {name}: {each.cpu:.1f} CPU s, {each.cpu / theirs.cpu:.2f} times lmplz's; peak memory {memory}")
    print(f"    load average {os.getloadavg()[0]:.1f}", flush=True)


def compare_scoring(peer: Path, folder: Path) -> None:
    """Score with both models of a folder, and print the ratios."""
    built = [str(peer / "build_binary"), "probing", str(folder / "peer.arpa"), str(folder / "peer.bin")]
    spent(built, Path(os.devnull), folder / "out.txt")
    ids = {word: id for id, word in enumerate(json.loads((folder / "words.json").read_text()), start=1)}
    found = last_checkpoint(folder)
    assert found is not None
    model = NGram.from_state(found.arrays())
    text = tokens(folder / "test.txt", ids, ids["\n"])
    nats = model.nats(np.append(ids["\n"], text))[1:]
    arpa = read_arpa(folder / "peer.arpa")
    boundary = arpa.model.boundary or 0
    names = {word: id for id, word in enumerate(arpa.words, start=1)}
    read = arpa.model.nats(np.append(boundary, tokens(folder / "test.txt", names, boundary)))[1:]
    logs = query_logs(peer, folder)
    cpu, wall = speed(model, text)
    peer_cpu, peer_wall = query_speed(peer, folder, text.size)
    print(f"    {sum(level.keys.size for level in model.levels):,} n-grams, {text.size:,} tokens scored")
    for unit, ours, other in (("CPU", cpu, peer_cpu), ("wall", wall, peer_wall)):
        print(f"    scoring: {ours / 1e6:.2f} M tokens per {unit} s, query {other / 1e6:.2f}, ratio {ours / other:.2f}")
    print(f"    perplexity: {math.exp(nats.mean()):.3f}, query {10 ** -logs.mean():.3f}")
    for what, each in (("trained by each", nats), ("lmplz's ARPA file opened here", read)):
        print(f"    largest difference in log10, {what}: {np.abs(each / math.log(10) + logs).max():.1e}", flush=True)


def main() -> None:
    """Compare on each text, at each order."""
    if sys.argv[1:2] == ["--train"]:
        train(Path(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4]))
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peer", type=Path, required=True, help="the folder with lmplz, build_binary and query")
    parser.add_argument("--data", type=Path, default=os.environ.get("ATTNLAB_DATA"))
    parser.add_argument("--megabytes", type=float, nargs="*", default=[10])
    parser.add_argument("--orders", type=int, nargs="*", default=[*ORDERS])
    parser.add_argument("--unknown", default="unknown-word", help="the word in place of <unk>; empty: no word")
    parser.add_argument("--training", action="store_true", help="measure training only")
    asked = parser.parse_args()
    print(f"load average {os.getloadavg()[0]:.1f}, {torch.get_num_threads()} threads", flush=True)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        texts = {f"generated, {size:g} MB": size for size in asked.megabytes}
        for name in [*(["WikiText-2"] if asked.data else []), *texts]:
            print(name, flush=True)
            generated(texts[name], folder) if name in texts else wikitext(asked.data, folder, asked.unknown)
            for order in asked.orders:
                compare_training(asked.peer, folder, order, command=asked.training)
                if not asked.training:
                    compare_scoring(asked.peer, folder)


if __name__ == "__main__":
    main()
