"""The models to measure: opened here by their names, or already open."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from attnlab.benches.language import LanguageModel, open_model
from attnlab.errors import ArgumentError
from attnlab.evaluation.scoring.subjects import Subject
from attnlab.models.devices import find_device
from attnlab.settings import Device

AnyModel = str | Path | LanguageModel
"""The folder of a run, an ARPA file, a Hugging Face model (hf:FOLDER or hf:NAME), or an opened model."""


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
    found = model if isinstance(model, LanguageModel) else open_model(str(model), find_device(device))
    return replace(found.subject, name=found.name)
