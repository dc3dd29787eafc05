"""The models to measure: opened here by their names, or already open."""

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
    """The models by name, each model once."""
    some = [models] if isinstance(models, str | Path | LanguageModel) else models
    found: dict[str, AnyModel] = {}
    for each in some:
        name = each.name if isinstance(each, LanguageModel) else str(each)
        if found.setdefault(name, each) is not each and isinstance(each, LanguageModel):
            raise ArgumentError("models", f"expected models with different names, got two models called {name!r}")
    if not found:
        raise ArgumentError("models", "expected at least one model")
    return found


def open_subject(model: AnyModel, device: Device = "auto") -> Subject:
    """A model as the subject of an evaluation. A model that is opened here goes to the device."""
    found = model if isinstance(model, LanguageModel) else open_model(str(model), _device(device))
    return replace(found.subject, name=found.name)


def _device(device: Device) -> str:
    if device == "cuda" and not torch.cuda.is_available():
        raise ArgumentError("device", "expected cpu, because torch finds no GPU here; got cuda")
    return "cuda" if device != "cpu" and torch.cuda.is_available() else "cpu"
