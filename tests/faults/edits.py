"""Edited run folders: files of real small runs are changed at random, with a seed, and the runs are opened.

Whatever was changed, the run opens, or one error of the lab says what is wrong.
"""

import json
import random
import shutil
import traceback
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import load
from tests.faults.cases import write_reviews, write_text

from attnlab.benches import knowledge, language, sentiment
from attnlab.benches.language.configuring import configure
from attnlab.benches.language.training import train
from attnlab.errors import AttnlabError
from attnlab.report.blocks import present
from attnlab.runs.checkpoints import checkpoints, write_checkpoint
from attnlab.runs.seals import sealed

VALUES = (None, True, -1, 0, 1e308, 10**30, "x", "", [], {}, [[]], {"a": 1}, [1, "x"], "\ud800")
STEPS = {"steps": 4, "batch": 2, "validate_every": 2}
MODELS: dict[str, Any] = {
    "ngram": {},
    "bigram": {"dim": 4},
    "recurrent": {"width": 8},
    "transformer": {"width": 8, "heads": 2, "layers": 1},
}
KINDS = (*MODELS, "classifier", "read", "asked")


def make_runs(folder: Path, kinds: Collection[str] = KINDS) -> Path:
    """A small run of each kind, in a folder."""
    write_text(folder)
    write_reviews(folder)
    for kind, model in MODELS.items():
        if kind not in kinds:
            continue
        steps = STEPS if kind in ("recurrent", "transformer") else {"steps": 3} if kind == "bigram" else {}
        config = configure(str(folder / "text.txt"), "", {"kind": kind, **model}, "characters", {**steps, "kind": ""})
        train(config, folder / kind)
    if "classifier" in kinds:
        settings = sentiment.configure(model={"dim": 4}, training={"epochs": 2})
        sentiment.train(folder / "reviews.tsv", settings, folder / "classifier")
    if "asked" in kinds:
        small = {"model": MODELS["transformer"], "training": {"steps": 4, "batch": 4, "validate_every": 2}}
        read = knowledge.pretrain(knowledge.pretraining(people=20, **small), folder / "read")
        knowledge.finetune(knowledge.finetuning(read.path, training=small["training"]), folder / "asked")
    return folder


def opened(folder: Path, name: str) -> None:
    """Open a run in all ways."""
    if name == "classifier":
        sentiment.open_classifier(folder / name).predict(["a good film"])
        present(sentiment.evaluate(folder / name, folder / "reviews.tsv"))
        sentiment.resume(folder / name)
    elif name in ("read", "asked"):
        if name == "asked":
            knowledge.open_known(folder / name).ask("Where was Ada born?")
        knowledge.resume(folder / name)
    else:
        list(language.open_model(str(folder / name)).sample("the", length=3).text)
        present(language.resume(folder / name))
        shown = present(language.runs(folder / name))
        if shown.draw:
            shown.draw()


def edit(folder: Path, name: str, draws: random.Random) -> str:
    """Change one file of a run at random; returns what was changed."""
    files = sorted(path for path in (folder / name).rglob("*") if path.is_file())
    path = draws.choice([*files, *(each for each in files if each.suffix == ".json")])
    if path.suffix == ".safetensors":
        return f"{path.relative_to(folder)}: {_edit_weights(path, draws)}"
    if draws.random() < 0.25 or path.suffix not in (".json", ".jsonl"):
        return f"{path.relative_to(folder)}: {_edit_text(path, draws)}"
    lines = path.read_text().splitlines() if path.suffix == ".jsonl" else [path.read_text()]
    number = draws.randrange(len(lines))
    value = json.loads(lines[number])
    done = _edit_value(value, draws)
    if draws.random() < 0.9 and "seal" in value:  # else the checksum alone would tell
        del value["seal"]
        value = sealed(value) if path.name == "result.json" else value
    lines[number] = json.dumps(value)
    path.write_text("\n".join(lines) + "\n")
    return f"{path.relative_to(folder)}: {done}"


def _edit_value(value: Any, draws: random.Random) -> str:
    """Change one entry of a JSON value, however deep."""
    where = ""
    while True:
        names = list(value) if isinstance(value, dict) else range(len(value))
        name = draws.choice(list(names))
        where += f".{name}"
        inner = value[name]
        if isinstance(inner, dict | list) and inner and draws.random() < 0.7:
            value = inner
            continue
        if isinstance(value, dict) and draws.random() < 0.3:
            del value[name]
            return f"{where} removed"
        new = _deep(draws.choice([60, 400])) if draws.random() < 0.1 else draws.choice(VALUES)
        value[name] = new
        return f"{where} = {str(new)[:40]!r}"


def _deep(levels: int) -> Any:
    found: Any = 1
    for _ in range(levels):
        found = [found]
    return found


def _edit_text(path: Path, draws: random.Random) -> str:
    content = path.read_bytes()
    at = draws.randrange(len(content) + 1)
    ways: dict[str, Callable[[], bytes]] = {
        "cut": lambda: content[:at],
        "flip": lambda: content[:at] + bytes([draws.randrange(256)]) + content[at + 1 :],
        "deep": lambda: b"[" * 100_000,
        "deep object": lambda: b'{"step":' * 50_000,
        "empty": lambda: b"",
        "binary": lambda: bytes(draws.randrange(256) for _ in range(100)),
        "not finite": lambda: content.replace(b": 0", b": NaN", 1),
    }
    way = draws.choice(list(ways))
    path.write_bytes(ways[way]())
    return f"{way} at {at}"


def _edit_weights(path: Path, draws: random.Random) -> str:
    """Change a tensor, and write the checkpoint again so that its hash is right."""
    import torch

    tensors = load(path.read_bytes())
    name = draws.choice(sorted(tensors))
    array = tensors[name].copy()
    ways: dict[str, Callable[[], np.ndarray | None]] = {
        "removed": lambda: None,
        "longer": lambda: np.concatenate([array.reshape(-1), array.reshape(-1)[:1]]),
        "flat": lambda: array.reshape(-1)[:-1],
        "another type": lambda: array.astype(draws.choice([np.float64, np.int64, np.uint8])),
        "NaN": lambda: np.full(array.shape, np.nan, np.float32),
        "infinite": lambda: np.full(array.shape, np.inf, np.float32),
        "huge": lambda: array * 0 + np.asarray(3e38 if array.dtype.kind == "f" else 2**30, array.dtype),
        "negative": lambda: array * 0 - array.dtype.type(1) if array.dtype.kind != "u" else array * 0,
    }
    way = draws.choice(list(ways))
    changed = ways[way]()
    tensors.pop(name) if changed is None else tensors.update({name: np.ascontiguousarray(changed)})
    (checkpoint,) = [each for each in checkpoints(path.parent) if each.path == path]
    found = {key: torch.from_numpy(each.copy()) for key, each in tensors.items()}
    notes = {key: each for key, each in checkpoint.notes.items() if key not in ("sha256", "step", "version", "seal")}
    write_checkpoint(path.parent, checkpoint.step, found, notes)
    return f"{name} {way}"


def try_edits(runs: Path, place: Path, count: int, seed: int = 0) -> list[str]:
    """Edit and open runs so often; returns the edits that gave another error than one of the lab."""
    draws, wrong = random.Random(seed), []
    names = sorted(path.name for path in runs.iterdir() if path.is_dir())
    place.mkdir(parents=True, exist_ok=True)
    for text in runs.glob("*.*"):
        shutil.copy(text, place)
    for number in range(count):
        name = names[number % len(names)]
        shutil.rmtree(place / name, ignore_errors=True)
        shutil.copytree(runs / name, place / name)
        if draws.random() < 0.5:
            (place / name / "result.json").unlink()  # as if it had been stopped
        done = edit(place, name, draws)
        try:
            opened(place, name)
        except AttnlabError as error:
            if "\n" in str(error):
                wrong.append(f"{done}: {error}")
        except Exception:
            wrong.append(f"{done}: {traceback.format_exc()[-600:]}")
    return wrong
