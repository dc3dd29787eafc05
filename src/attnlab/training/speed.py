"""The speed of training: the precision that is fast on this machine, and the share of the GPU's peak."""

from dataclasses import replace
from typing import Any

import torch

from attnlab.models.bigram import Bigram
from attnlab.models.kinds import Network
from attnlab.models.transformer import Transformer
from attnlab.training.settings import Training

PEAKS = {
    "H200": 989e12,
    "H100 PCIe": 756e12,
    "H100": 989e12,
    "A100": 312e12,
    "A10": 125e12,
    "L40": 181e12,
    "L4": 121e12,
    "RTX 4090": 165e12,
    "RTX 3090": 71e12,
    "V100": 125e12,
    "T4": 65e12,
}
"""Dense half-precision operations per second with tensor cores, from NVIDIA's data sheets."""


def with_precision(training: Training, device: torch.device) -> Training:
    """The settings with `auto` replaced by the precision of this device, so that a run resumes with the same one."""
    if training.precision != "auto":
        return training
    return replace(training, precision="bfloat16" if in_half(training, device) else "float32")


def as_used(training: Training, device: torch.device) -> Training:
    """The settings with `auto` replaced by this device and its precision."""
    kind: Any = device.type
    return replace(with_precision(training, device), device=kind)


def in_half(training: Training, device: torch.device) -> bool:
    """Whether matrix products are in bfloat16 or less. A CPU without instructions for it is about 60 times slower."""
    if training.precision != "auto":
        return training.precision != "float32"
    return device.type == "cuda" or torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported()


def operations_per_token(model: Network) -> int:
    """The floating-point operations for training on one token: 6 for each weight of a matrix product, and in each layer
    12 for every coordinate of every position attended to (Chowdhery et al. 2022, appendix B)."""
    if isinstance(model, Bigram):
        return 6 * (model.W1.numel() + model.W2.numel())
    looked_up = ("position",) if model.readout.weight is model.embedding.weight else ("position", "embedding")
    weights = sum(p.numel() for name, p in model.named_parameters() if p.dim() == 2 and not name.startswith(looked_up))
    config = model.config
    attended = config.layers * config.width * config.context if isinstance(model, Transformer) else 0
    return 6 * weights + 12 * attended


def share_of_peak(model: Network, tokens_per_second: float, device: torch.device) -> float | None:
    """The share of the GPU's peak that training uses; None for a CPU, or for a GPU that `PEAKS` does not list."""
    if device.type != "cuda":
        return None
    name = torch.cuda.get_device_name(device)
    peak = next((peak for known, peak in PEAKS.items() if known in name), None)
    return operations_per_token(model) * tokens_per_second / peak if peak else None
