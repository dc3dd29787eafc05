"""The device of a model, by its name, and its random numbers."""

import torch

from attnlab.errors import ArgumentError
from attnlab.settings import Device


def find_device(device: Device) -> Device:
    """cpu or cuda; auto is cuda if there is a GPU."""
    found = torch.cuda.is_available()
    if device == "cuda" and not found:
        raise ArgumentError("device", "cuda needs a GPU that torch can use; this machine has none; use cpu or auto")
    return ("cuda" if found else "cpu") if device == "auto" else device


def seed_device(device: torch.device, seed: int) -> None:
    """Seed torch's random numbers on the CPU and, if the device is a GPU, on it.

    torch.manual_seed also seeds every kind of device that this machine does not have: for each it writes down the
    stack of calls, which takes longer than a small model.
    """
    torch.default_generator.manual_seed(seed)
    if device.type == "cuda":
        torch.cuda.manual_seed_all(seed)
