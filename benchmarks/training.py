"""The recipe `shakespeare` on a GPU: a step as a CUDA graph, the same step kernel by kernel, and a whole run.

It needs a GPU and, of the lab's dependencies, only torch, numpy, safetensors, jaxtyping and tokenizers. The last tenth
of the text is held out. It prints milliseconds per step, the difference of the two kinds of steps' losses, the share of
the GPU's peak, and the validation loss of a whole run.
"""

import argparse
import time
from dataclasses import replace
from pathlib import Path

import torch

from attnlab.evaluation.scoring.scores import HeldOut
from attnlab.models.kinds import make_model
from attnlab.models.transformer import TransformerConfig
from attnlab.numbers import percent
from attnlab.text import train_tokenizer
from attnlab.training import step as steps_module
from attnlab.training.language.feeding import feed
from attnlab.training.language.recipes import RECIPES
from attnlab.training.loop import Hooks, LossReading, train
from attnlab.training.processes import Process, this_process
from attnlab.training.settings import Training
from attnlab.training.speed import share_of_peak
from attnlab.training.state import State, make_state
from attnlab.training.step import make_step, prepare_step

STEPS = 60


def main() -> None:
    """Run the benchmark and print the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("text", nargs="?", type=Path, help="a text file; else one sentence, many times")
    parser.add_argument("steps", nargs="?", type=int, help="steps of the whole run; else the recipe's")
    options = parser.parse_args()
    text = options.text.read_text() if options.text else "to be or not to be, that is the question; " * 5000
    config = RECIPES.find("shakespeare")
    assert isinstance(config.model, TransformerConfig)
    assert isinstance(config.training, Training)
    tokenizer = train_tokenizer("characters", text)
    cut = int(0.9 * len(text))
    ids, held_out = tokenizer.encode(text[:cut]).ids, HeldOut.of(tokenizer, [text[cut:]])
    with this_process("cuda") as process:
        batch_at = feed(ids, config.training, config.model.context, process)
        losses = {}
        for name in ("launched", "captured"):
            state = begin(config.model, tokenizer.size, config.training, process)
            losses[name], seconds = measure(state, config.training, process, batch_at, captured=name == "captured")
            tokens = config.training.batch * config.model.context / seconds
            share = share_of_peak(state.model, tokens, process.device) or 0.0
            print(f"{name}: {1000 * seconds:.2f} ms a step, {tokens:,.0f} tokens/s, {percent(share)} of the peak")
        apart = (losses["launched"] - losses["captured"]).abs()
        print(f"losses apart: at most {apart[:10].max():.2e} in 10 steps, {apart.max():.2e} in {STEPS}")
        training = replace(config.training, steps=options.steps) if options.steps else config.training
        state = begin(config.model, tokenizer.size, training, process)
        began = time.perf_counter()

        def validate(state: State) -> float:
            found = held_out.score(state.model)
            print(f"step {state.step}, {time.perf_counter() - began:.1f} s: {found.nats_per_token:.4f} nats per token")
            return found.nats_per_token

        looks: list[LossReading] = []
        train(state, training, process, batch_at, Hooks(looked=looks.append, validate=validate))
        print(f"loss {looks[0].loss:.3f} → {looks[-1].loss:.3f}, {looks[-1].tokens_per_second:,.0f} tokens/s")


def begin(shape: TransformerConfig, size: int, training: Training, process: Process) -> State:
    """The state before the first step."""
    return make_state(make_model(shape, size, training.seed).to(process.device), training)


def measure(state: State, training: Training, process: Process, batch_at, *, captured: bool):
    """The losses of some steps, and the seconds per step after the first ones."""
    real = steps_module.fastest
    if not captured:
        steps_module.fastest = lambda step, device, *, capturable: step
    try:
        step = make_step(state, training, process)
    finally:
        steps_module.fastest = real
    losses, began = [], 0.0
    for number in range(STEPS):
        if number == STEPS // 2:
            torch.cuda.synchronize()
            began = time.perf_counter()
        prepare_step(state, training, process, number / training.steps)
        losses.append(step(*batch_at(number)))
        state.step += 1
    torch.cuda.synchronize()
    return torch.stack(losses).cpu(), (time.perf_counter() - began) / (STEPS - STEPS // 2)


if __name__ == "__main__":
    main()
