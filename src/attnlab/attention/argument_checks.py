"""Checks of arguments.

Each check takes the argument's name, so that the message can say which argument was wrong and what was expected.
"""

import math
import operator
from typing import SupportsFloat

import torch
from torch import Tensor

from attnlab.errors import ArgumentError

LARGEST = 1e150


def shape_of(tensor: Tensor) -> str:
    """The shape as a tuple: `(3, 4)`."""
    return str(tuple(tensor.shape))


def check_tensor(name: str, tensor: Tensor) -> None:
    """Raise unless `tensor` is a tensor."""
    if not isinstance(tensor, Tensor):
        raise ArgumentError(name, f"expected a torch tensor, got {type(tensor).__name__}")


def check_floating(name: str, tensor: Tensor) -> None:
    """Raise unless `tensor` is a tensor of real floating-point numbers."""
    check_tensor(name, tensor)
    if not tensor.is_floating_point():
        raise ArgumentError(name, f"expected floating-point numbers, got {tensor.dtype}".replace("torch.", ""))


def check_finite(name: str, tensor: Tensor) -> None:
    """Raise if `tensor` holds NaN or an infinity; the error says where the first one is."""
    check_tensor(name, tensor)
    if bool(torch.isfinite(tensor).all()):
        return
    place = tuple(torch.nonzero(~torch.isfinite(tensor))[0].tolist())
    where = f" at {list(place)}" if place else ""
    raise ArgumentError(name, f"expected finite numbers, got {tensor[place].item()}{where}")


def check_size(name: str, tensor: Tensor, *, smallest: float = 0.0) -> None:
    """Raise if the largest number is so large, or below `smallest` so small, that its square leaves float64."""
    size = float(tensor.abs().max()) if tensor.numel() else 0.0
    if size > LARGEST or 0.0 < size < smallest:
        raise ArgumentError(name, f"expected numbers of size {smallest:g} to {LARGEST:g}, got {size:g}")


def exact_vector(name: str, tensor: Tensor, length: int | None = None) -> Tensor:
    """The checked `tensor` in float64: one axis, of the given length if there is one."""
    check_floating(name, tensor)
    if tensor.ndim != 1:
        raise ArgumentError(name, f"expected one axis, got shape {shape_of(tensor)}")
    if length is not None and tensor.shape[0] != length:
        raise ArgumentError(name, f"expected {length} numbers, got {tensor.shape[0]}")
    check_finite(name, tensor)
    check_size(name, tensor)
    return tensor.detach().double()


def exact_matrix(name: str, tensor: Tensor, rows: str = "rows", columns: str = "columns") -> Tensor:
    """The checked `tensor` in float64: two axes, at least one row and one column."""
    check_floating(name, tensor)
    if tensor.ndim != 2:
        raise ArgumentError(name, f"expected two axes ({rows}, {columns}), got shape {shape_of(tensor)}")
    if 0 in tensor.shape:
        raise ArgumentError(name, f"expected at least one of {rows} and of {columns}, got shape {shape_of(tensor)}")
    check_finite(name, tensor)
    check_size(name, tensor)
    return tensor.detach().double()


def exact_rows(name: str, tensor: Tensor, rows: str = "rows", columns: str = "columns") -> Tensor:
    """The checked `tensor` as a matrix in float64; a vector becomes its only row."""
    check_tensor(name, tensor)
    return exact_matrix(name, tensor[None] if tensor.ndim == 1 else tensor, rows, columns)


def check_index(name: str, index: int, size: int) -> None:
    """Raise unless `index` is one of 0 … size − 1."""
    check_whole(name, index)
    if not 0 <= index < size:
        raise ArgumentError(name, f"expected a key number from 0 to {size - 1}, got {index}")


def check_between(name: str, number: float, low: float, high: float) -> None:
    """Raise unless low < number < high."""
    if not low < as_number(name, number) < high:
        raise ArgumentError(name, f"expected a number above {low:g} and below {high:g}, got {number:g}")


def check_at_least(name: str, number: float, low: float) -> None:
    """Raise unless the number is finite and not below `low`."""
    if not low <= as_number(name, number) < math.inf:
        raise ArgumentError(name, f"expected a finite number, {low:g} or more, got {number:g}")


def check_whole(name: str, number: int, low: float = -math.inf) -> None:
    """Raise unless the number is an integer, also by type, and not below `low`."""
    try:
        operator.index(number)
    except TypeError:
        raise ArgumentError(name, f"expected a whole number, got {_written(number)}") from None
    if not low <= number:
        raise ArgumentError(name, f"expected a whole number, {low:g} or more, got {number}")


def as_number(name: str, number: SupportsFloat) -> float:
    """The number as a Python float; raises on anything else, also on text that spells a number."""
    try:
        if not isinstance(number, str | bytes):
            return float(number)
    except (TypeError, ValueError, OverflowError, RuntimeError):  # the last is torch's, for more than one number
        pass
    raise ArgumentError(name, f"expected a number, got {_written(number)}")


def _written(given: object) -> str:
    """The given value for a message: its short repr, or the name of its type."""
    text = repr(given)
    return text if len(text) <= 40 and isinstance(given, str | int | float | None) else type(given).__name__
