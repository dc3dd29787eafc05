"""Training a model of GPT-2's size (124 million parameters) on one GPU: speed and loss, beside nanoGPT in the same run.

    python benchmarks/gpt2.py --peer NANOGPT_CHECKOUT                    tokens per second
    python benchmarks/gpt2.py --peer NANOGPT_CHECKOUT --data FOLDER      and the loss after 200 steps on WikiText-2

All train on 64 × 1,024 tokens per step, compiled, with AdamW, without biases and with a vocabulary padded to 50,304, as
in nanoGPT's own recipe. The rows of the lab: GPT-2's layout in bfloat16; the same size with RMS norm and ReLU², in
bfloat16 and in float8. Speed is the best of several rounds after a warm-up. The loss is on the last 262,144 tokens of
the training text, which no step sees; FOLDER has wikitext-2-v1.zip. Of the lab's dependencies it needs torch, numpy,
jaxtyping and pydantic, and tokenizers for --data.
"""

import argparse
import sys
import time
import zipfile
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import replace
from io import StringIO
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from attnlab.models.kinds import make_model
from attnlab.models.transformer import GPT2, Transformer
from attnlab.models.transformer_config import TransformerConfig
from attnlab.numbers import whole_percent
from attnlab.training.processes import this_process
from attnlab.training.settings import Training
from attnlab.training.speed import share_of_peak
from attnlab.training.state import make_state
from attnlab.training.step import Step, make_step, prepare_step

BATCH, SIZE, HELD_OUT = 64, 50_304, 2**18
WARM, STEPS, ROUNDS = 8, 10, 3
LAYOUT = replace(GPT2, bias=False)
LEAN = replace(LAYOUT, norm="rms", activation="relu-squared")
TRAINING = Training(steps=200, batch=BATCH, optimiser="adamw", rate=6e-4, precision="bfloat16", compile=True)
ROWS = {
    "attnlab, GPT-2's layout, bfloat16": (LAYOUT, TRAINING),
    "attnlab, RMS norm and ReLU², bfloat16": (LEAN, TRAINING),
    "attnlab, RMS norm and ReLU², float8": (LEAN, replace(TRAINING, precision="float8")),
}

Trained = tuple[Step, Callable[[int], None], Callable[[Tensor], Tensor]]
"""A step, what prepares the step of a number, and the logits of a batch."""


def seconds(step: Step, inputs: Tensor, targets: Tensor) -> float:
    """The seconds of one step: the best of several rounds."""
    for _ in range(WARM):
        step(inputs, targets)
    torch.cuda.synchronize()
    best = float("inf")
    for _ in range(ROUNDS):
        began = time.perf_counter()
        for _ in range(STEPS):
            step(inputs, targets)
        torch.cuda.synchronize()
        best = min(best, (time.perf_counter() - began) / STEPS)
    return best


def theirs(folder: Path, seed: int) -> Trained:
    """The model, optimiser and step of the peer's train.py, with the lab's schedule of learning rates."""
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    from model import GPT, GPTConfig  # pyright: ignore[reportMissingImports] (the peer's own)

    torch.manual_seed(seed)
    with redirect_stdout(StringIO()):
        model = GPT(GPTConfig(block_size=GPT2.context, vocab_size=SIZE, dropout=0.0, bias=False)).cuda()
        optimiser = model.configure_optimizers(0.1, TRAINING.rate, (0.9, 0.95), "cuda")
    compiled = torch.compile(model)

    def step(inputs: Tensor, targets: Tensor) -> Tensor:
        with torch.autocast("cuda", torch.bfloat16):
            _, loss = compiled(inputs, targets)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        optimiser.zero_grad(set_to_none=True)
        return loss.detach()

    def prepare(number: int) -> None:
        for group in optimiser.param_groups:
            group["lr"] = TRAINING.rate * TRAINING.share_of_rate(number / TRAINING.steps)

    return step, prepare, lambda inputs: model(inputs, inputs)[0]


def ours(config: TransformerConfig, training: Training, seed: int) -> Trained:
    """The lab's own model and step."""
    with this_process("cuda") as process:
        training = replace(training, seed=seed)
        state = make_state(make_model(config, SIZE, seed).to(process.device), training)
        step = make_step(state, training, process)

        def prepare(number: int) -> None:
            state.step = number
            prepare_step(state, training, process, number / training.steps)

        def logits(inputs: Tensor) -> Tensor:
            return state.model.eval()(inputs)

        return step, prepare, logits


def loss_after(trained: Trained, ids: Tensor, seed: int) -> float:
    """The mean −ln p on the held-out tokens after all steps, on batches drawn by the seed."""
    step, prepare, logits = trained
    for number in range(TRAINING.steps):
        prepare(number)
        step(*batch(ids[: -HELD_OUT - 1], 1000 * seed + number))
    inputs, targets = (ids[-HELD_OUT - 1 + n :][:HELD_OUT].view(-1, 16, GPT2.context) for n in (0, 1))
    with torch.no_grad(), torch.autocast("cuda", torch.bfloat16):
        costs = [
            functional.cross_entropy(logits(some).flatten(0, 1).float(), wanted.flatten())
            for some, wanted in zip(inputs, targets, strict=True)
        ]
    return float(torch.stack(costs).mean())


def batch(ids: Tensor, seed: int) -> tuple[Tensor, Tensor]:
    """Inputs and targets from random places of a text."""
    starts = torch.randint(len(ids) - GPT2.context, (BATCH, 1), generator=torch.Generator().manual_seed(seed))
    rows = ids[starts.to(ids.device) + torch.arange(GPT2.context + 1, device=ids.device)]
    return rows[:, :-1].contiguous(), rows[:, 1:].contiguous()


def tokens(folder: Path) -> Tensor:
    """WikiText-2's training text as byte pairs, learnt from it."""
    from tokenizers import ByteLevelBPETokenizer

    with zipfile.ZipFile(folder / "wikitext-2-v1.zip") as archive:
        name = next(each for each in archive.namelist() if "train" in each)
        text = archive.read(name).decode()
    tokenizer = ByteLevelBPETokenizer()
    tokenizer.train_from_iterator(text.splitlines(keepends=True), vocab_size=SIZE - 47, min_frequency=2)
    return torch.from_numpy(np.array(tokenizer.encode(text).ids, np.int64)).cuda()


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peer", type=Path, required=True, help="a checkout of nanoGPT")
    parser.add_argument("--data", type=Path, help="a folder with wikitext-2-v1.zip, to measure the loss, too")
    parser.add_argument("--seeds", type=int, default=3, help="how many seeds of the loss")
    options = parser.parse_args()
    folder = options.peer.resolve()
    if not (folder / "model.py").is_file():
        parser.error(f"--peer: expected a checkout of nanoGPT with a model.py, got {folder}")
    if not torch.cuda.is_available():
        parser.error("expected a GPU, torch sees none")
    torch.set_float32_matmul_precision("high")
    rows: dict[str, Callable[[int], Trained]] = {"nanoGPT": lambda seed: theirs(folder, seed)}
    for name, (config, training) in ROWS.items():
        rows[name] = lambda seed, config=config, training=training: ours(config, training, seed)
    inputs, targets = batch(torch.randint(SIZE, (2**17,), device="cuda"), 0)
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, {inputs.numel():,} tokens a step", flush=True)
    shape = make_model(LAYOUT, SIZE)
    assert isinstance(shape, Transformer)
    peer = 0.0
    for name, make in rows.items():
        found = seconds(make(0)[0], inputs, targets)
        peer = peer or found
        share = share_of_peak(shape, inputs.numel() / found, inputs.device) or 0.0
        speed = (
            f"{1000 * found:.1f} ms a step, {inputs.numel() / found:,.0f} tokens/s, {whole_percent(share)} of the "
            "peak in bfloat16"
        )
        print(f"{name}: {speed}, {peer / found:.3f} times nanoGPT's speed", flush=True)
        torch._dynamo.reset()
        torch.cuda.empty_cache()
    if options.data:
        ids = tokens(options.data)
        for name, make in rows.items():
            losses = [loss_after(make(seed), ids, seed) for seed in range(options.seeds)]
            print(
                f"{name}: after {TRAINING.steps} steps {', '.join(f'{each:.4f}' for each in losses)} nats", flush=True
            )
            torch._dynamo.reset()
            torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
