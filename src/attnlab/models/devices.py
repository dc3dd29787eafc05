"""The device of a model, by its name."""

import torch

from attnlab.errors import ArgumentError
from attnlab.settings import Device


def find_device(device: Device) -> Device:
    """cpu or cuda; auto is cuda if there is a GPU."""
    found = torch.cuda.is_available()
    if device == "cuda" and not found:
        raise ArgumentError("device", "cuda needs a GPU that torch can use; this machine has none; use cpu or auto")
    return ("cuda" if found else "cpu") if device == "auto" else device
