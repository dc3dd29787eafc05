"""Characters of Shakespeare: the time and the loss of the lab and of nanoGPT, on one machine in the same run.

.venv/bin/python benchmarks/shakespeare.py --data FOLDER --peer NANOGPT_CHECKOUT            two cores
.venv/bin/python benchmarks/shakespeare.py --data FOLDER --peer NANOGPT_CHECKOUT --device cuda

FOLDER holds tinyshakespeare/input.txt. nanoGPT is trained by its own script with its own recipe for that machine; seed
N is added to the seed in that script. Both are scored in the same way: one pass over the whole validation text, in
windows of the context. Times are those of whole processes: imports, compiling or capturing, training, and for the lab
also scoring. On a CPU, shakespeare-quick gets an eighth of nanoGPT's mean time and the times of --seconds;
shakespeare-cpu gets all of it. Without --peer only the lab is measured.
"""

import argparse
import json
import os
import pickle
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue

STARTED = time.perf_counter()
PEER = {
    "cpu": "--device=cpu --compile=False --eval_interval=2000 --eval_iters=1 --block_size=64 --batch_size=12 "
    "--n_layer=4 --n_head=4 --n_embd=128 --max_iters=2000 --lr_decay_iters=2000 --dropout=0.0",
    "cuda": "--device=cuda",
}
PEER_SEED = "manual_seed(1337"
CUSTOMARY = 1_003_854
CORES = 2
"""Cores of each process on a CPU."""
RESERVED = 2.0
"""Seconds of a limited run that are reserved for starting Python, for reading the text and for scoring."""


def ours(data: Path, recipe: str, device: str, seed: int, seconds: float) -> dict[str, float]:
    """Train a recipe of the lab for its steps, or until this process has run for `seconds`, and score it."""
    os.environ["ATTNLAB_DATA"] = str(data)
    from attnlab.benches.language import train
    from attnlab.benches.language.configuring import configure

    training = {"seed": seed, "device": device, "validate_every": 10**9}
    if seconds:
        training["minutes"] = (seconds - RESERVED - (time.perf_counter() - STARTED)) / 60
    with tempfile.TemporaryDirectory() as folder:
        found = train(configure(recipe=recipe, training=training), Path(folder) / "run")
    nats = found.validation["nats_per_token"]
    return {"nats": nats, "steps": found.result["steps"]}


def peer(folder: Path, data: Path, device: str, seed: int) -> dict[str, float]:
    """Train the peer by its own script, and score its checkpoint as the lab's."""
    text = (data / "tinyshakespeare" / "input.txt").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as out:
        script = f"exec(open('train.py').read().replace('{PEER_SEED}', '{PEER_SEED} + {seed}'))"
        command = [sys.executable, "-c", script, "config/train_shakespeare_char.py", f"--out_dir={out}"]
        began = time.perf_counter()
        subprocess.run([*command, *PEER[device].split()], cwd=folder, check=True, stdout=sys.stderr)
        seconds = time.perf_counter() - began
        return {"nats": _score_peer(folder, Path(out), text[CUSTOMARY:], device), "seconds": seconds}


def prepare_peer(folder: Path, data: Path) -> None:
    """Write the peer's data files, as its prepare.py does."""
    import numpy as np

    text = (data / "tinyshakespeare" / "input.txt").read_text(encoding="utf-8")
    place = folder / "data" / "shakespeare_char"
    letters = sorted(set(text))
    number = {letter: n for n, letter in enumerate(letters)}
    ids = np.array([number[letter] for letter in text], dtype=np.uint16)
    ids[:CUSTOMARY].tofile(place / "train.bin")
    ids[CUSTOMARY:].tofile(place / "val.bin")
    meta = {"vocab_size": len(letters), "itos": dict(enumerate(letters)), "stoi": number}
    (place / "meta.pkl").write_bytes(pickle.dumps(meta))


def _score_peer(folder: Path, out: Path, text: str, device: str) -> float:
    """The mean −ln p per character of the peer's checkpoint, on the whole validation text in windows of its context."""
    import numpy as np
    import torch
    from torch.nn import functional

    sys.path.insert(0, str(folder))
    from model import GPT, GPTConfig  # pyright: ignore[reportMissingImports] (the peer's own)

    saved = torch.load(out / "ckpt.pt", map_location=device, weights_only=False)  # made by this run
    model = GPT(GPTConfig(**saved["model_args"])).to(device)
    model.load_state_dict({name.removeprefix("_orig_mod."): each for name, each in saved["model"].items()})
    model.eval()
    ids = torch.from_numpy(np.fromfile(folder / "data/shakespeare_char/val.bin", dtype=np.uint16).astype(np.int64))
    assert len(ids) == len(text)
    context, nats = model.config.block_size, 0.0
    with torch.no_grad():
        for first in range(0, len(ids) - 1, context):
            window = ids[first : first + context + 1].to(device)
            logits, _ = model(window[None, :-1], window[None, 1:])
            nats += float(functional.cross_entropy(logits[0].float(), window[1:], reduction="sum"))
    return nats / (len(ids) - 1)


def run_seeds(options: argparse.Namespace, side: str, seeds: int, seconds: float = 0.0) -> list[dict[str, float]]:
    """Train the peer or a recipe of the lab with each seed, each in a process of its own. On a CPU, a process has two
    cores that no other process of this benchmark uses."""
    free: SimpleQueue[str] = SimpleQueue()
    cores = sorted(os.sched_getaffinity(0))
    for first in range(0, options.beside * CORES, CORES):
        free.put(" ".join(map(str, cores[first : first + CORES] if options.device == "cpu" else cores)))

    def run(seed: int) -> dict[str, float]:
        mine = free.get()
        command = [sys.executable, __file__, "--child", side, "--data", str(options.data), "--device", options.device]
        command += ["--seed", str(seed), "--limit", str(seconds), "--cores", *mine.split()]
        if side == "nanoGPT":
            command += ["--peer", str(options.peer)]
        began = time.perf_counter()
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        taken = time.perf_counter() - began
        free.put(mine)
        return {"seconds": taken} | json.loads(done.stdout.splitlines()[-1])

    with ThreadPoolExecutor(options.beside) as pool:
        return list(pool.map(run, range(seeds)))


def child(options: argparse.Namespace) -> None:
    """Train one side with one seed on some cores, and print what was found."""
    os.sched_setaffinity(0, options.cores)
    os.environ["OMP_NUM_THREADS"] = str(len(options.cores))
    if options.child == "nanoGPT":
        found = peer(options.peer, options.data, options.device, options.seed)
    else:
        found = ours(options.data, options.child, options.device, options.seed, options.limit)
    print(json.dumps(found))


def tell(name: str, runs: list[dict[str, float]], whole: float | None) -> float:
    """Print a line of the table: the mean over seeds with a 95 % interval, and the time relative to the peer's. Returns
    the mean time."""
    from attnlab.statistics import over_seeds

    seconds = statistics.mean(run["seconds"] for run in runs)
    ratio = f", 1/{whole / seconds:.1f} of the peer's time" if whole else ""
    each = " ".join(f"{run['nats']:.4f}" for run in runs)
    steps = f", {runs[0]['steps']:,.0f} steps with seed 0" if "steps" in runs[0] else ""
    print(f"{name}: {over_seeds([run['nats'] for run in runs], 4)}, {seconds:.1f} s{ratio}{steps} [{each}]", flush=True)
    return seconds


def read_options() -> argparse.Namespace:
    """The options, checked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=os.environ.get("ATTNLAB_DATA"))
    parser.add_argument("--peer", type=Path, help="a checkout of nanoGPT")
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--peer-seeds", type=int, help="seeds of the peer (default: as many as ours)")
    parser.add_argument("--beside", type=int, default=1, help="seeds that run at a time, each on two cores of its own")
    parser.add_argument("--seconds", type=float, nargs="*", default=[], help="more time limits of shakespeare-quick")
    for hidden, kind in {"--child": str, "--seed": int, "--limit": float}.items():
        parser.add_argument(hidden, type=kind, help=argparse.SUPPRESS)
    parser.add_argument("--cores", type=int, nargs="*", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.data is None or not (options.data / "tinyshakespeare" / "input.txt").is_file():
        parser.error("--data: expected a folder with tinyshakespeare/input.txt (or set ATTNLAB_DATA)")
    script = options.peer and options.peer / "train.py"
    if script and not (script.is_file() and PEER_SEED in script.read_text()):
        parser.error(f"--peer: expected a checkout of nanoGPT whose train.py has {PEER_SEED}, got {options.peer}")
    most = len(os.sched_getaffinity(0)) // CORES if options.device == "cpu" else 1
    if not 1 <= options.beside <= max(most, 1):
        parser.error(f"--beside: expected 1 to {max(most, 1)} on this machine, got {options.beside}")
    options.data, options.peer = options.data.resolve(), options.peer and options.peer.resolve()
    return options


def main() -> None:
    """Run the benchmark."""
    options = read_options()
    if options.child:
        child(options)
        return
    print(f"load average before: {os.getloadavg()[0]:.1f}; nats a character, the whole validation text", flush=True)
    whole = None
    if options.peer:
        prepare_peer(options.peer, options.data)
        whole = tell("nanoGPT", run_seeds(options, "nanoGPT", options.peer_seeds or options.seeds), None)
    if options.device == "cuda":
        tell("shakespeare", run_seeds(options, "shakespeare", options.seeds), whole)
    else:
        for limit in [*([whole / 8] if whole else []), *options.seconds]:
            runs = run_seeds(options, "shakespeare-quick", options.seeds, limit)
            tell(f"shakespeare-quick, {limit:.1f} s", runs, whole)
        if whole:
            tell("shakespeare-cpu", run_seeds(options, "shakespeare-cpu", options.seeds, whole), whole)
    print(f"load average after: {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
