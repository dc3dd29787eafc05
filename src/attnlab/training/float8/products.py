"""Products in float8, with a scale for each row.

y = x Wᵀ        dx = g W        both factors rounded to float8; a row's scale is s = max |row| / 448
dW = gᵀ x       stays in bfloat16: it sums over all tokens, and rounding errors of one sign would add up
"""

from collections.abc import Callable, Mapping
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional
from torch.overrides import TorchFunctionMode

FLOAT8 = torch.float8_e4m3fn
LARGEST = torch.finfo(FLOAT8).max
SMALLEST = 1e-30
"""The least scale of a row: the quotient of a row of zeros is 0."""
MULTIPLE = 16
"""Both sides of a matrix must be multiples of this."""
LEAST = 2**21
"""The fewest entries of a matrix for which float8 pays: smaller products gain less than the rounding costs. In GPT-2's
shape, these are the feed-forward layers and the read-out, and not the queries, keys and values."""


def fits(weight: Float[Tensor, "outer inner"]) -> bool:
    """Whether products with a matrix are in float8; else they stay in bfloat16."""
    return weight.numel() >= LEAST and not any(side % MULTIPLE for side in weight.shape)


class Float8Products(TorchFunctionMode):
    """While this is entered, linear layers multiply in float8, as autocast lets them multiply in bfloat16."""

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: tuple[Any, ...] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        """The call, or a product in float8 in its place."""
        if func is functional.linear and fits(args[1]):
            return linear(*args, **(kwargs or {}))
        return func(*args, **(kwargs or {}))


def linear(
    x: Float[Tensor, "*rows inner"], weight: Float[Tensor, "outer inner"], bias: Float[Tensor, " outer"] | None = None
) -> Float[Tensor, "*rows outer"]:
    """x Wᵀ (+ b) in float8.

    >>> x, weight = torch.ones(2, 16, dtype=torch.bfloat16), torch.eye(16, dtype=torch.bfloat16)
    >>> bool((linear(x, weight) == 1).all())
    True
    """
    y = _Product.apply(x.flatten(0, -2), weight).unflatten(0, x.shape[:-1])
    return y if bias is None else y + bias


class _Product(torch.autograd.Function):
    """x Wᵀ, with the gradients at the top of this page."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor) -> Tensor:
        ctx.save_for_backward(x, weight)
        return product(x, weight)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor]:
        x, weight = ctx.saved_tensors
        gradient = gradients[0].contiguous()
        return product(gradient, weight.mT.contiguous()), gradient.mT @ x


def product(left: Float[Tensor, "rows inner"], right: Float[Tensor, "columns inner"]) -> Float[Tensor, "rows columns"]:
    """left rightᵀ, both rounded to float8, the result in bfloat16."""
    return multiplied(*rounded(left), *rounded(right))


def multiplied(left: Tensor, left_scales: Tensor, right: Tensor, right_scales: Tensor) -> Float[Tensor, "rows columns"]:
    """left rightᵀ of two matrices in float8, each with the scales of its rows."""
    multiply: Any = torch._scaled_mm  # pyright: ignore[reportPrivateImportUsage] (torch has no public name for it)
    return multiply(left, right.mT, left_scales, right_scales.mT, out_dtype=torch.bfloat16, use_fast_accum=True)


def rounded(matrix: Float[Tensor, "rows columns"]) -> tuple[Float[Tensor, "rows columns"], Float[Tensor, "rows 1"]]:
    """A matrix in float8, and the factor by which each row must be multiplied to get it back; a row may be all 0."""
    scales = (matrix.abs().amax(1, keepdim=True).float() / LARGEST).clamp(min=SMALLEST)
    return (matrix / scales).to(FLOAT8), scales
