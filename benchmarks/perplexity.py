"""The rolling log-likelihood of a text by the lab and by lm-eval: whether the numbers agree, and the time of each.

python3.11 -m venv PEER && PEER/bin/pip install torch==2.13.0 "lm_eval[hf]"
.venv/bin/python benchmarks/perplexity.py --peer PEER/bin/python

Both score the same text with the same model folder in GPT-2's layout, in disjoint windows after the start token. The
weights are random unless --model names a folder; the tokens are byte pairs of the lab's default text. The peer runs in
its own process, which loads the model once. The two take turns, so that other work on the machine slows both. The ratio
is that of the best rounds. The processor time, which depends less on other work, is printed as well. Times include
encoding the text, but not loading the model.

Last comes a roofline: the tokens per second if a program did the model's matrix products for full windows and nothing
else, by the same library. No program in float32 can be faster; what is left is attention, norms, activations and the
softmax. On a busy machine OMP_NUM_THREADS=1 keeps threads from waiting for one another.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from rich.console import Console
from rich.table import Table
from safetensors.torch import save
from torch import nn
from torch.nn import functional

from attnlab.data.texts.prose import prose
from attnlab.evaluation.external.models import open_external
from attnlab.evaluation.scoring.costs import costs
from attnlab.evaluation.scoring.predictors import NetworkPredictor
from attnlab.evaluation.scoring.subjects import Subject
from attnlab.models.kinds import make_model
from attnlab.models.layouts.gpt2 import as_gpt2
from attnlab.models.transformer import GPT2, Transformer, TransformerConfig
from attnlab.numbers import whole_percent
from attnlab.text import train_tokenizer
from attnlab.text.library import as_library

SHAPES = {
    "small": (replace(GPT2, layers=4, heads=4, width=128, context=128), 4096, 60_000),
    "GPT-2": (GPT2, 50_257, 16_000),
}
"""The shape, the vocabulary size and the number of characters to score."""
END = "<|endoftext|>"
BATCHES = (1, 8)
"""The batch sizes of the peer, in windows: its default and a larger one."""
PRECISIONS = ("float32", "bfloat16")
AGREEMENT, WANTED = 1e-4, 2.0
"""The largest difference in nats per token that counts as agreement, and the goal: times lm-eval's speed in float32, on
two cores."""

PEER = """
import json, sys, time
from lm_eval.api.instance import Instance
from lm_eval.models.huggingface import HFLM
asked = json.loads(sys.stdin.readline())
folder = asked["folder"]
model = HFLM(pretrained=folder, tokenizer=folder, device=asked["device"], dtype="float32", batch_size=1)
text = open(asked["text"], encoding="utf-8", newline="").read()
tokens = len(model.tok_encode(text))
print("answer", json.dumps({"tokens": tokens}), flush=True)
for line in sys.stdin:
    model.batch_size_per_gpu = int(line)
    began, worked = time.perf_counter(), time.process_time()
    found = model.loglikelihood_rolling([Instance("loglikelihood_rolling", {}, (text,), 0)], disable_tqdm=True)[0]
    spent = {"seconds": time.perf_counter() - began, "cpu_seconds": time.process_time() - worked}
    print("answer", json.dumps({"nats": -found / tokens, **spent}), flush=True)
"""


@dataclass
class Measured:
    """The result of one way of scoring: nats per token, and the fewest seconds of wall-clock and of processor time."""

    nats: float = float("nan")
    seconds: float = float("inf")
    cpu_seconds: float = float("inf")

    def add(self, nats: float, seconds: float, cpu_seconds: float) -> None:
        """Add a round."""
        self.nats, self.seconds = nats, min(self.seconds, seconds)
        self.cpu_seconds = min(self.cpu_seconds, cpu_seconds)


class Peer:
    """A process that runs lm-eval, with the model loaded."""

    def __init__(self, python: Path, folder: Path, text: Path, device: str):
        environment = os.environ | {"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "true"}
        self.complaints = tempfile.TemporaryFile("w+")  # noqa: SIM115 (it stays open; a pipe would fill and stop the peer)
        self.process = subprocess.Popen(
            [python, "-c", PEER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.complaints,
            text=True,
            env=environment,
        )
        self.tokens = self.ask(json.dumps({"folder": str(folder), "text": str(text), "device": device}))["tokens"]

    def ask(self, line: str) -> dict:
        """Send a line and return the answer."""
        assert self.process.stdin
        assert self.process.stdout
        print(line, file=self.process.stdin, flush=True)
        for said in self.process.stdout:
            if said.startswith("answer "):
                return json.loads(said.removeprefix("answer "))
        self.complaints.seek(0)
        sys.exit(f"the peer has stopped:\n{self.complaints.read()}")

    def close(self) -> None:
        """End the process."""
        self.process.communicate()


def random_folder(folder: Path, shape: TransformerConfig, size: int) -> Path:
    """A folder with a model of random weights, and a tokenizer of byte pairs of the lab's default text."""
    library = as_library(train_tokenizer("byte-pairs", prose(), vocabulary=min(size, 8_192) - 1))
    library.add_special_tokens([END])
    end = library.token_to_id(END)
    model = make_model(shape, size)
    assert isinstance(model, Transformer)
    layout = as_gpt2(model)
    named = {"tokenizer_class": "PreTrainedTokenizerFast", "bos_token": END, "eos_token": END}
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(layout.config | {"bos_token_id": end, "eos_token_id": end}))
    (folder / "model.safetensors").write_bytes(save(layout.tensors, {"format": "pt"}))
    (folder / "tokenizer_config.json").write_text(json.dumps(named))
    library.save(str(folder / "tokenizer.json"))
    return folder


def score(subject: Subject, text: str, dtype: torch.dtype) -> tuple[float, float, float]:
    """Nats per token of a text, and the seconds of wall-clock and of processor time."""
    device = subject.predictor.device.type
    began, worked = time.perf_counter(), time.process_time()
    with torch.autocast(device, dtype, enabled=dtype != torch.float32):
        nats = costs(subject, text).nats
    return float(nats.mean()), time.perf_counter() - began, time.process_time() - worked


def difference_to_transformers(folder: Path, subject: Subject, text: str) -> float:
    """The largest difference of the first window's nats from those by transformers' own logits."""
    from attnlab.evaluation.external.hugging_face import transformers

    library = transformers()
    context = subject.predictor.context
    model = library.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    tokenizer = library.AutoTokenizer.from_pretrained(folder)
    ids = torch.tensor([subject.start, *tokenizer.encode(text, add_special_tokens=False)[:context]])
    with torch.no_grad():
        logs = torch.log_softmax(model(ids[None, :-1]).logits[0], -1)
    theirs = -logs.gather(1, ids[1:, None])[:, 0].double().numpy()
    return float(np.abs(costs(subject, text).nats[: len(theirs)] - theirs).max())


def measure(name: str, folder: Path, text: str, options: argparse.Namespace, console: Console) -> None:
    """Score a text with one model in every way, and print the results."""
    subject = open_external(f"hf:{folder}", options.device)
    written = folder.with_name(f"{name}.txt") if not options.model else Path(tempfile.mkdtemp()) / "text"
    written.write_text(text, encoding="utf-8", newline="")
    peer = Peer(options.peer, folder, written, options.device)
    tokens = len(subject.tokenizer.encode(text))
    if tokens != peer.tokens:
        sys.exit(f"{name}: {tokens} tokens here, {peer.tokens} in the peer")
    kinds = {f"attnlab, {name}": getattr(torch, name) for name in options.precision}
    found = {f"lm-eval, batch {size}": Measured() for size in options.batch} | {kind: Measured() for kind in kinds}
    for _ in range(options.rounds):
        for size in options.batch:
            found[f"lm-eval, batch {size}"].add(**peer.ask(str(size)))
        for kind, dtype in kinds.items():
            found[kind].add(*score(subject, text, dtype))
    peer.close()
    console.print(_table(name, found, tokens, subject))
    _print_roofline(found, tokens, subject, console)
    console.print(
        f"largest difference to transformers' logits: {difference_to_transformers(folder, subject, text):.1e}"
    )


def _table(name: str, found: dict[str, Measured], tokens: int, subject: Subject) -> Table:
    usual = next(iter(found.values()))
    table = Table(
        title=f"{name}: {tokens:,} tokens, context {subject.predictor.context}, of {subject.predictor.size:,}"
    )
    for column in ("", "nats per token", "− lm-eval's", "tokens/second", "× lm-eval", "× by CPU time"):
        table.add_column(column, justify="right" if column else "left")
    for way, each in found.items():
        ratios = usual.seconds / each.seconds, usual.cpu_seconds / each.cpu_seconds
        numbers = f"{each.nats:.6f}", f"{each.nats - usual.nats:+.1e}", f"{tokens / each.seconds:,.0f}"
        table.add_row(way, *numbers, *(f"{ratio:.2f}" for ratio in ratios))
    ours = found["attnlab, float32"]
    agrees = "agree" if abs(ours.nats - usual.nats) < AGREEMENT else "DISAGREE"
    best = min(each.seconds for way, each in found.items() if way.startswith("lm-eval"))
    times = [f"{best / each.seconds:.2f} {way}" for way, each in found.items() if way.startswith("attnlab")]
    table.caption = (
        f"they {agrees} to {AGREEMENT}; times its best batch: {'; '.join(times)} (wanted in float32: {WANTED:g})"
    )
    return table


def _print_roofline(found: dict[str, Measured], tokens: int, subject: Subject, console: Console) -> None:
    """Print how near each way comes to the time of the matrix products alone, by processor time."""
    network, context = subject.predictor, subject.predictor.context
    assert isinstance(network, NetworkPredictor)
    assert network.module is not None
    if network.device.type != "cpu":
        return
    weights = [each.weight for each in network.module.modules() if isinstance(each, nn.Linear)]
    inputs = {weight.shape[1]: torch.randn(context, weight.shape[1]) for weight in weights}
    spent = float("inf")
    with torch.no_grad():
        for _ in range(3):
            worked = time.process_time()
            for weight in weights:
                functional.linear(inputs[weight.shape[1]], weight)
            spent = min(spent, time.process_time() - worked)
    work = 2 * sum(weight.numel() for weight in weights)
    console.print(
        f"roofline: {work / 1e6:.1f} million operations per token in matrix products, which run at "
        f"{work * context / spent / 1e9:.1f} billion per processor second: at most {context / spent:,.0f} tokens"
    )
    for way, each in found.items():
        rate = tokens / each.cpu_seconds
        console.print(
            f"  {way}: {rate:,.0f} tokens per processor second, {whole_percent(rate * spent / context)} of that"
        )


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peer", type=Path, required=True, help="a Python that has lm_eval")
    parser.add_argument("--shape", choices=[*SHAPES], help="one of the shapes only")
    parser.add_argument("--model", type=Path, help="a folder of GPT-2's layout instead of random weights")
    parser.add_argument("--text", type=Path, help="score this text instead of the lab's default one")
    parser.add_argument("--characters", type=int, help="how much of the text is scored")
    parser.add_argument("--batch", type=int, nargs="+", default=BATCHES, help="the peer's windows at once")
    parser.add_argument(
        "--precision",
        choices=PRECISIONS,
        nargs="+",
        default=PRECISIONS,
        help="float32 must be one of them",
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--device", default="cpu")
    options = parser.parse_args()
    if not options.peer.is_file():
        parser.error(f"--peer: expected the path of a Python, got {options.peer}")
    text = options.text.read_bytes().decode("utf-8") if options.text else prose()
    console = Console(width=120)
    threads = f"{torch.get_num_threads()} threads, load average {os.getloadavg()[0]:.1f}"
    console.print(f"{options.device}, {threads}, torch {torch.__version__}, best of {options.rounds} rounds")
    if options.model:
        measure(options.model.name, options.model, text[: options.characters], options, console)
        return
    with tempfile.TemporaryDirectory() as place:
        for name in [options.shape] if options.shape else SHAPES:
            shape, size, characters = SHAPES[name]
            folder = random_folder(Path(place) / name, shape, size)
            measure(name, folder, text[: options.characters or characters], options, console)


if __name__ == "__main__":
    main()
