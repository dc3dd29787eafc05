"""Sampling 1,000 characters on a CPU with the lab and with nanoGPT, with the same shape and random weights.

.venv/bin/python benchmarks/sampling.py --peer NANOGPT_CHECKOUT

The lab caches keys and values; nanoGPT's `generate` computes the whole context for every character. Both are timed in
this process, after a warm-up, with the same number of threads.
"""

import argparse
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import torch

from attnlab.evaluation.sampling import Sampling, sample
from attnlab.models.transformer import Transformer, TransformerConfig

SHAPES = ((4, 4, 128, 64), (6, 6, 384, 256))
"""Layers, heads, width and context: the peer's recipe for a CPU, and its default."""
CHARACTERS, WARM = 1000, 20


def seconds(write: Callable[[int], object]) -> float:
    """The seconds to write 1,000 characters, after a warm-up."""
    write(WARM)
    began = time.perf_counter()
    write(CHARACTERS)
    return time.perf_counter() - began


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peer", type=Path, required=True, help="a checkout of nanoGPT")
    folder = parser.parse_args().peer.resolve()
    if not (folder / "model.py").is_file():
        parser.error(f"--peer: expected a checkout of nanoGPT with a model.py, got {folder}")
    sys.path.insert(0, str(folder))
    from model import GPT, GPTConfig  # pyright: ignore[reportMissingImports] (the peer's own)

    print(f"{CHARACTERS:,} characters, {torch.get_num_threads()} threads, load average {os.getloadavg()[0]:.1f}")
    for layers, heads, width, context in SHAPES:
        shape = GPTConfig(
            block_size=context, vocab_size=65, n_layer=layers, n_head=heads, n_embd=width, dropout=0.0, bias=False
        )
        peer = GPT(shape).eval()
        start = torch.zeros((1, 1), dtype=torch.long)
        ours = Transformer(
            TransformerConfig(
                layers,
                heads,
                width,
                context,
                positions="learned",
                norm="layer",
                activation="gelu",
                qk_norm=False,
                tied=True,
            ),
            65,
        )

        def theirs(count: int, peer: GPT = peer, start: torch.Tensor = start) -> object:
            with torch.no_grad():
                return peer.generate(start, count, temperature=0.8, top_k=200)

        def own(count: int, model: Transformer = ours) -> object:
            return [
                token for token, _ in zip(sample(model, [0], Sampling(temperature=0.8)), range(count), strict=False)
            ]

        slow, fast = seconds(theirs), seconds(own)
        print(
            f"{layers} layers, width {width}, context {context}: "
            f"nanoGPT {slow:.2f} s, ours {fast:.2f} s, {slow / fast:.1f} times"
        )


if __name__ == "__main__":
    main()
