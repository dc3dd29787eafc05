"""Training throughput of a model in GPT-2's shape (124 million parameters) on one GPU, and nanoGPT's in the same run.

    python benchmarks/gpt2.py --peer NANOGPT_CHECKOUT

Both train on 64 × 1,024 tokens per step in bfloat16, compiled, with AdamW, without biases and with a vocabulary padded
to 50,304, as in nanoGPT's own recipe. Of the lab's dependencies it needs only torch, numpy and jaxtyping. It prints
tokens per second (the best of several rounds after a warm-up) and the ratio.
"""

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import torch

from attnlab.models.kinds import make_model
from attnlab.models.transformer import GPT2
from attnlab.training.processes import this_process
from attnlab.training.settings import Training
from attnlab.training.speed import share_of_peak
from attnlab.training.state import make_state
from attnlab.training.step import make_step, prepare_step

BATCH, SIZE = 64, 50_304
WARM, STEPS, ROUNDS = 8, 10, 3
TRAINING = Training(batch=BATCH, optimiser="adamw", rate=6e-4, precision="bfloat16", compile=True)


def seconds(step: Callable[[], object]) -> float:
    """The seconds of one step: the best of several rounds."""
    for _ in range(WARM):
        step()
    torch.cuda.synchronize()
    best = float("inf")
    for _ in range(ROUNDS):
        began = time.perf_counter()
        for _ in range(STEPS):
            step()
        torch.cuda.synchronize()
        best = min(best, (time.perf_counter() - began) / STEPS)
    return best


def theirs(folder: Path, inputs: torch.Tensor, targets: torch.Tensor) -> float:
    """The seconds of one step of the peer, with the model, optimiser and step of its train.py."""
    sys.path.insert(0, str(folder))
    from model import GPT, GPTConfig  # pyright: ignore[reportMissingImports] (the peer's own)

    model = GPT(GPTConfig(block_size=GPT2.context, vocab_size=SIZE, dropout=0.0, bias=False)).cuda()
    optimiser = model.configure_optimizers(0.1, 6e-4, (0.9, 0.95), "cuda")
    compiled = torch.compile(model)

    def step() -> None:
        with torch.autocast("cuda", torch.bfloat16):
            _, loss = compiled(inputs, targets)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        optimiser.zero_grad(set_to_none=True)

    return seconds(step)


def ours(inputs: torch.Tensor, targets: torch.Tensor) -> tuple[float, float]:
    """The seconds of one step of the lab, and the share of the GPU's peak."""
    with this_process("cuda") as process:
        state = make_state(make_model(replace(GPT2, bias=False), SIZE).to(process.device), TRAINING)
        step = make_step(state, TRAINING, process)
        prepare_step(state, TRAINING, process, 0.5)
        found = seconds(lambda: step(inputs, targets))
        return found, share_of_peak(state.model, inputs.numel() / found, process.device) or 0.0


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peer", type=Path, required=True, help="a checkout of nanoGPT")
    folder = parser.parse_args().peer.resolve()
    if not (folder / "model.py").is_file():
        parser.error(f"--peer: expected a checkout of nanoGPT with a model.py, got {folder}")
    if not torch.cuda.is_available():
        parser.error("expected a GPU, torch sees none")
    torch.set_float32_matmul_precision("high")
    ids = torch.randint(SIZE, (BATCH, GPT2.context + 1), device="cuda")
    inputs, targets = ids[:, :-1].contiguous(), ids[:, 1:].contiguous()
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, {inputs.numel():,} tokens a step")
    peer = theirs(folder, inputs, targets)
    torch.cuda.empty_cache()
    own, share = ours(inputs, targets)
    for name, found in (("nanoGPT", peer), ("attnlab", own)):
        print(f"{name}: {1000 * found:.1f} ms a step, {inputs.numel() / found:,.0f} tokens/s", flush=True)
    print(f"{peer / own:.2f} times nanoGPT's; {share:.0%} of the GPU's peak")


if __name__ == "__main__":
    main()
