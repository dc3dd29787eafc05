"""The models that are measured: opened by their name, or as somebody else has opened them."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import torch

from attnlab.benches.language import LanguageModel, open_model
from attnlab.benches.perplexity.settings import Device
from attnlab.errors import ArgumentError
from attnlab.evaluation.scoring.subjects import Subject

AnyModel = str | Path | LanguageModel
"""The folder of a run, hf:FOLDER for a model in a Hugging Face folder, or an opened model."""


def model_names(models: AnyModel | Sequence[AnyModel]) -> dict[str, AnyModel]:
    """Models by their names, each of them once."""
    some = [models] if isinstance(models, str | Path | LanguageModel) else models
    found: dict[str, AnyModel] = {}
    for each in some:
        name = each.name if isinstance(each, LanguageModel) else str(each)
        if found.setdefault(name, each) is not each and isinstance(each, LanguageModel):
            raise ArgumentError("models", f"expected models of different names, got two that are called {name!r}")
    if not found:
        raise ArgumentError("models", "expected at least one model")
    return found


def open_subject(model: AnyModel, device: Device = "auto") -> Subject:
    """A model as evaluation has it. One that is opened here goes to the device."""
    found = model if isinstance(model, LanguageModel) else open_model(str(model), _device(device))
    return replace(found.subject, name=found.name)


def _device(device: Device) -> str:
    if device == "cuda" and not torch.cuda.is_available():
        raise ArgumentError("device", "expected cpu, since torch sees no GPU here; got cuda")
    return "cuda" if device != "cpu" and torch.cuda.is_available() else "cpu"
