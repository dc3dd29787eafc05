"""Characters of Shakespeare: the time and the loss of the lab and of nanoGPT, on one machine in the same run.

.venv/bin/python benchmarks/shakespeare.py --data FOLDER --peer NANOGPT_CHECKOUT            two cores
.venv/bin/python benchmarks/shakespeare.py --data FOLDER --peer NANOGPT_CHECKOUT --device cuda

FOLDER holds tinyshakespeare/input.txt. nanoGPT is trained by its own script with its own recipe for that machine. Both
are scored in the same way: one pass over the whole validation text, in windows of the context. Times are those of whole
processes: imports, compiling or capturing, training, and scoring. Without --peer only the lab is measured.
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
from pathlib import Path

STARTED = time.perf_counter()
PEER = {
    "cpu": "--device=cpu --compile=False --eval_interval=2000 --eval_iters=1 --block_size=64 --batch_size=12 "
    "--n_layer=4 --n_head=4 --n_embd=128 --max_iters=2000 --lr_decay_iters=2000 --dropout=0.0",
    "cuda": "--device=cuda",
}
CUSTOMARY = 1_003_854
RESERVED = 2.0
"""Seconds of a limited run that are reserved for starting Python, for reading the text and for scoring."""


def ours(data: Path, recipe: str, device: str, seed: int, seconds: float, steps: int) -> dict[str, float]:
    """Train a recipe of the lab, until this process has run for `seconds` or for `steps`, and score it."""
    os.environ["ATTNLAB_DATA"] = str(data)
    from attnlab.benches.language import train
    from attnlab.benches.language.configuring import configure

    training = {"seed": seed, "device": device, "validate_every": 10**9}
    if steps:
        training["steps"] = steps
    elif seconds:
        training["minutes"] = (seconds - RESERVED - (time.perf_counter() - STARTED)) / 60
    with tempfile.TemporaryDirectory() as folder:
        found = train(configure(recipe=recipe, training=training), Path(folder) / "run")
    nats = found.validation["nats_per_token"]
    return {"nats": nats, "steps": found.result["steps"], "seconds": time.perf_counter() - STARTED}


def peer(folder: Path, data: Path, device: str) -> dict[str, float]:
    """Train the peer by its own script, and score its checkpoint as the lab's."""
    text = (data / "tinyshakespeare" / "input.txt").read_text(encoding="utf-8")
    out = _prepare(folder, text)
    command = [
        sys.executable,
        "train.py",
        "config/train_shakespeare_char.py",
        f"--out_dir={out}",
        *PEER[device].split(),
    ]
    began = time.perf_counter()
    subprocess.run(command, cwd=folder, check=True, stdout=sys.stderr)
    seconds = time.perf_counter() - began
    return {"nats": _score_peer(folder, out, text[CUSTOMARY:], device), "seconds": seconds}


def _prepare(folder: Path, text: str) -> Path:
    """Write the peer's data files, as its prepare.py does."""
    import numpy as np

    place = folder / "data" / "shakespeare_char"
    letters = sorted(set(text))
    number = {letter: n for n, letter in enumerate(letters)}
    ids = np.array([number[letter] for letter in text], dtype=np.uint16)
    ids[:CUSTOMARY].tofile(place / "train.bin")
    ids[CUSTOMARY:].tofile(place / "val.bin")
    meta = {"vocab_size": len(letters), "itos": dict(enumerate(letters)), "stoi": number}
    (place / "meta.pkl").write_bytes(pickle.dumps(meta))
    return folder / "out-attnlab-benchmark"


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


def run_ours(
    options: argparse.Namespace, recipe: str, seed: int, seconds: float = 0.0, steps: int = 0
) -> dict[str, float]:
    """Train a recipe of the lab in a process of its own."""
    command = [sys.executable, __file__, "--ours", recipe, "--data", str(options.data), "--device", options.device]
    command += ["--seed", str(seed), "--seconds", str(seconds), "--steps", str(steps)]
    began = time.perf_counter()
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return json.loads(done.stdout.splitlines()[-1]) | {"seconds": time.perf_counter() - began}


def tell(name: str, runs: list[dict[str, float]], whole: float | None) -> None:
    """Print a line of the table: the mean over seeds with a 95 % interval, and the time relative to the peer's."""
    from attnlab.statistics import over_seeds

    seconds = statistics.mean(run["seconds"] for run in runs)
    ratio = f", 1/{whole / seconds:.1f} of the peer's time" if whole else ""
    print(f"{name}: {over_seeds([run['nats'] for run in runs], 4)}, {seconds:.1f} s{ratio}", flush=True)


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=os.environ.get("ATTNLAB_DATA"))
    parser.add_argument("--peer", type=Path, help="a checkout of nanoGPT")
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.0, help="seconds of the short run, where there is no peer")
    parser.add_argument("--long", type=float, default=0.0, help="seconds of the long run, where there is no peer")
    parser.add_argument("--ours", help=argparse.SUPPRESS)
    parser.add_argument("--seed", type=int, default=0, help=argparse.SUPPRESS)
    parser.add_argument("--steps", type=int, default=0, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.data is None or not (options.data / "tinyshakespeare" / "input.txt").is_file():
        parser.error("--data: expected a folder with tinyshakespeare/input.txt (or set ATTNLAB_DATA)")
    if options.ours:
        print(
            json.dumps(ours(options.data, options.ours, options.device, options.seed, options.seconds, options.steps))
        )
        return
    print(f"load average before: {os.getloadavg()[0]:.1f}; nats a character, the whole validation text", flush=True)
    whole = None
    if options.peer:
        found = peer(options.peer.resolve(), options.data.resolve(), options.device)
        whole = found["seconds"]
        print(f"nanoGPT: {found['nats']:.4f}, {whole:.1f} s", flush=True)
    recipe = {"cpu": "shakespeare-quick", "cuda": "shakespeare"}[options.device]
    short = options.seconds or (whole / 8 if whole and options.device == "cpu" else 0.0)
    name = f"{recipe}, {short:.0f} s" if short else recipe
    tell(name, [run_ours(options, recipe, seed, short) for seed in range(options.seeds)], whole)
    long = options.long or whole
    if long and options.device == "cpu":
        tell(f"shakespeare-cpu, {long:.0f} s", [run_ours(options, "shakespeare-cpu", 0, long)], whole)
    print(f"load average after: {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
