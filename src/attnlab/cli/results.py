"""What a run came to: its scores, its curves, and the words for them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from typing import Any

from attnlab.cli.outcome import Outcome
from attnlab.cli.texts import Prepared
from attnlab.evaluation.scoring.scores import score
from attnlab.files import write_whole
from attnlab.models.kinds import Model, NGramShape, parameter_count
from attnlab.runs.folder import Run
from attnlab.runs.loading import load_model
from attnlab.training.language.config import Config


def tell(run: Run, config: Config, ready: Prepared, seconds: float, plot: Path | None) -> Outcome:
    """The scores of the checkpoint that was picked: on the part that picked it, and on the one that did not."""
    from attnlab.report.curves import save_curves

    checkpoint = run.best()
    model = load_model(run, checkpoint, ready.tokenizer.size)
    metrics = run.metrics()
    speeds = [each["tokens_per_second"] for each in metrics if "tokens_per_second" in each]
    speed = median(speeds) if speeds else checkpoint.notes["tokens"] / max(seconds, 1e-9)
    value = {
        "run": str(run.path),
        "parameters": parameter_count(model),
        "steps": max(each["step"] for each in metrics),
        "seconds": round(seconds, 3),
        "tokens_per_second": round(speed),
        "checkpoint": str(checkpoint.path),
        "test": _tested(model, ready),
        "validation": _plain(checkpoint.notes["validation"]),
    }
    write_whole(run.path / "result.json", (json.dumps(value, indent=2) + "\n").encode())
    for path in [run.path / "curves.svg", *([plot] if plot else [])]:
        save_curves({run.path.name: metrics}, path)
    return Outcome(value, _words(value, config, plot))


def _words(value: dict[str, Any], config: Config, plot: Path | None) -> list[str]:
    counted = isinstance(config.model, NGramShape)
    size = f"{value['parameters']:,} {'n-grams, counted' if counted else 'parameters'}"
    steps = "" if counted else f", {value['steps']:,} steps"
    lines = [f"{size}{steps} in {value['seconds']:.1f} seconds"]
    for part, words in (("validation", "validation"), ("test", "test (picked nothing)")):
        if value[part] is not None:
            found = value[part]
            numbers = f"{found['nats_per_token']:.4f} nats per token, perplexity {found['perplexity']:.4g}"
            lines.append(f"{words}: {numbers}, {bits_in_words(found)} bits per byte")
            if found["unknown"]:
                lines.append(f"  {found['unknown']:.2%} of its tokens are unknown, and not spelt out")
    lines.append(f"the run is in {value['run']}; let it write: attnlab sample {value['run']}")
    return lines + ([f"the curves are in {plot}"] if plot else [])


def bits_in_words(found: Mapping[str, Any]) -> str:
    """Bits per byte; where the raw text cannot be told from the tokens, it would cost more."""
    return f"{'' if found['lossless'] else '>'}{found['bits_per_byte']:.4f}"


def _tested(model: Model, ready: Prepared) -> dict[str, Any] | None:
    if ready.test is None:
        return None
    return _plain(score(model, ready.test).as_json() | ready.lost(ready.test))


def _plain(found: Mapping[str, Any]) -> dict[str, Any]:
    return {name: found[name] for name in ("nats_per_token", "perplexity", "bits_per_byte", "unknown", "lossless")}
