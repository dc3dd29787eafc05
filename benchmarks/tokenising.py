"""The speed and the memory of writing a large text to a token file.

It generates a text of words with realistic frequencies (Zipf's law) in a temporary folder, and tokenises it with every
kind of tokenizer, each in its own process. It prints megabytes per second of wall-clock and of processor time (they
differ on a busy machine), and the peak memory.

    python benchmarks/tokenising.py --megabytes 1000
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

KINDS = ("characters", "bytes", "words", "byte-pairs")
SAMPLE = 8_000_000  # bytes of the text that a tokenizer is trained on


def main() -> None:
    """Generate the text and measure each kind of tokenizer."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=int, default=100, help="size of the generated text")
    parser.add_argument("--kind", choices=KINDS, help="one kind only")
    parser.add_argument("--measure", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measure(options.kind, options.measure)))
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "text.txt"
        generate(path, options.megabytes * 1_000_000)
        print(f"{path.stat().st_size / 1e6:.0f} MB of generated words")
        for kind in (options.kind,) if options.kind else KINDS:
            command = [sys.executable, __file__, "--kind", kind, "--measure", str(path)]
            found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
            print(
                f"{kind:10}  {found['by_clock']:6.1f} MB/s, {found['by_processor']:6.1f} by processor time  "
                f"{found['peak_megabytes']:5.0f} MB at most  "
                f"{found['tokens']:,} tokens of {found['size']:,}"
            )


def generate(path: Path, size: int) -> None:
    """Write a text of about `size` bytes: 200,000 different words, one in fifty with an accent, in lines."""
    draw = np.random.default_rng(0)
    letters = list("etaoinshrdlucmfwypvbgkqjxz")
    lengths = draw.integers(2, 11, 200_000)
    words = ["".join(draw.choice(letters, length)) for length in lengths]
    words = [f"{word}é" if place % 50 == 49 else word for place, word in enumerate(words)]
    chances = 1 / np.arange(1, len(words) + 1)
    chances /= chances.sum()
    written = 0
    with path.open("wb") as file:
        while written < size:
            chosen = draw.choice(len(words), 240_000, p=chances)
            lines = (" ".join(words[word] for word in row) for row in chosen.reshape(-1, 12))
            written += file.write((",\n".join(lines) + ".\n").encode())


def measure(kind: str, path: Path) -> dict[str, float]:
    """Tokenise the file in this process."""
    from attnlab.data.texts.slices import TextSlice
    from attnlab.data.tokens.files import write_tokens
    from attnlab.text import train_tokenizer

    options = {"words": {"vocabulary": 50_000}, "byte-pairs": {"vocabulary": 8192}}.get(kind, {})
    with path.open("rb") as file:
        sample = file.read(SAMPLE).decode("utf-8", errors="ignore")
    tokenizer = train_tokenizer(kind, sample, **options)
    began, used = time.perf_counter(), time.process_time()
    whole = TextSlice.of([path])
    tokens = write_tokens(tokenizer, whole.pieces(), path.with_name(f"{kind}.bin"))
    seconds, used = time.perf_counter() - began, time.process_time() - used
    assert tokens.raw_total == whole.size
    return {
        "by_clock": whole.size / 1e6 / seconds,
        "by_processor": whole.size / 1e6 / used,
        "peak_megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3,  # Linux counts in kB
        "tokens": len(tokens),
        "size": tokenizer.size,
    }


if __name__ == "__main__":
    main()
