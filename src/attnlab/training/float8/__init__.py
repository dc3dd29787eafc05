"""Training in float8, for GPUs that multiply 8-bit numbers about twice as fast as bfloat16.

Weights and activations are bfloat16, and the products of linear layers float8 (products.py). The weights that the
optimiser updates, and that are saved, stay in float32. The read-out and the loss are one function (readout.py).
Micikevicius et al. 2022, "FP8 formats for deep learning".
"""

from collections.abc import Callable

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.func import functional_call

from attnlab.errors import ArgumentError
from attnlab.models.transformer import Transformer
from attnlab.training.float8.products import Float8Products, rounded
from attnlab.training.float8.readout import Rounding, readout_loss
from attnlab.training.processes import Process

CAPABILITY = (9, 0)
"""The first GPUs with these products: Hopper (H100, H200)."""


def check_float8(transformer: bool, process: Process) -> None:
    """Raise unless this process can train a model in float8."""
    if not transformer:
        raise ArgumentError("precision", "float8 is for Transformers; use bfloat16")
    if process.device.type != "cuda" or torch.cuda.get_device_capability(process.device) < CAPABILITY:
        raise ArgumentError("precision", "float8 needs an NVIDIA GPU of the Hopper generation or later; use bfloat16")
    if process.ranks > 1:
        raise ArgumentError("precision", "float8 trains in one process only; use bfloat16")


def float8_loss(model: Transformer, *, compiled: bool = False) -> Callable[[Tensor, Tensor], Tensor]:
    """The mean −ln p of a batch's targets, with products in float8."""

    def hidden(inputs: Int[Tensor, "batch positions"]) -> Float[Tensor, "batch positions width"]:
        weights = {f"model.{name}": each.bfloat16() for name, each in model.named_parameters()}
        with Float8Products():
            return functional_call(_Hidden(model), weights, (inputs,))

    call: Callable[[Tensor], Tensor] = torch.compile(hidden, options={"fallback_random": True}) if compiled else hidden
    rounding: Rounding = torch.compile(rounded) if compiled else rounded

    def loss(inputs: Int[Tensor, "batch positions"], targets: Int[Tensor, "batch positions"]) -> Float[Tensor, ""]:
        return readout_loss(call(inputs).flatten(0, 1), model.readout.weight.bfloat16(), targets.flatten(), rounding)

    return loss


class _Hidden(nn.Module):
    """The vectors before the read-out as a module, which torch can call with other weights."""

    def __init__(self, model: Transformer):
        super().__init__()
        self.model = model

    def forward(self, ids: Int[Tensor, "batch positions"]) -> Float[Tensor, "batch positions width"]:
        return self.model.hidden(ids)
