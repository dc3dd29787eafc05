"""Heads: agreement with transformer_lens and transformers, and the time and memory of scores and ablation.

    python benchmarks/heads/heads.py --peer PEER/bin/python

1. agreement: attention weights, induction stripe, copying by eigenvalues and composition of a folder in GPT-2's layout
   with random weights, beside transformer_lens; attention weights of GPT-2, Llama and GPT-NeoX folders beside the
   `output_attentions` of transformers. --peer names a Python that has transformer_lens; without it, only the second.
2. speed: all scores of the default model and of one in GPT-2's shape on 10,000 tokens; every head of the default model
   switched off on 10,000 tokens, beside 17 plain passes.
3. memory: the peak of scores, of ablation and of a look at 1,024 tokens.

Processor seconds are printed beside the seconds: they depend less on other work of the machine.
"""

import argparse
import os
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

import torch
from rich.console import Console
from rich.table import Table

from agreement import WITHIN, Compared, beside_lens, beside_transformers
from speed import tell_memory, tell_speed

PARTS = ("agreement", "speed", "memory")


def tell_agreement(title: str, rows: Iterable[Compared], console: Console) -> bool:
    """Print comparisons; whether all agree that should."""
    table = Table(title=title)
    for column in ("", "attnlab, mean", "theirs, mean", "largest difference", ""):
        table.add_column(column, justify="right" if "e" in column else "left")
    found = list(rows)
    for each in found:
        verdict = each.differs or ("agree" if each.agrees else "DISAGREE")
        table.add_row(each.what, f"{each.ours:.6f}", f"{each.theirs:.6f}", f"{each.difference:.1e}", verdict)
    same = [each for each in found if not each.differs]
    table.caption = f"{sum(each.agrees for each in same)} of {len(same)} agree to {WITHIN:g}"
    console.print(table)
    return all(each.agrees for each in found)


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peer", type=Path, help="a Python that has transformer_lens")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--rounds", type=int, default=3, help="the best of this many rounds counts")
    options = parser.parse_args()
    if options.peer and not options.peer.is_file():
        parser.error(f"--peer: expected the path of a Python, got {options.peer}")
    console = Console(width=150)
    threads = f"{torch.get_num_threads()} threads, load average {os.getloadavg()[0]:.1f}"
    console.print(f"{threads}, torch {torch.__version__}, best of {options.rounds} rounds")
    agreed = True
    if "agreement" in options.only:
        with tempfile.TemporaryDirectory() as place:
            if options.peer:
                agreed &= tell_agreement("transformer_lens", beside_lens(options.peer, Path(place) / "lens"), console)
            agreed &= tell_agreement("transformers", beside_transformers(Path(place) / "transformers"), console)
    if "speed" in options.only:
        tell_speed(options.rounds, console)
    if "memory" in options.only:
        tell_memory(console)
    sys.exit(not agreed)


if __name__ == "__main__":
    main()
