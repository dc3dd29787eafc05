"""Read a matrix from a tensor, an array, nested lists, or a file."""

from collections.abc import Sequence, Sized
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from attnlab.benches.attention.written import check_lengths
from attnlab.calls import GivenInput, given_matrix
from attnlab.data.matrices import load_matrix
from attnlab.errors import ArgumentError

MatrixLike = Tensor | np.ndarray | Sequence[Sequence[float]] | str | Path
"""A matrix, or the path of a .npy, .csv or .safetensors file that holds one."""


def read_matrix(argument: str, given: MatrixLike, tensor: str | None = None) -> Tensor:
    """The matrix as a tensor of floating-point numbers. `tensor` names one of several in a .safetensors file.

    >>> read_matrix("keys", [[1, 0], [0, 1]]).dtype
    torch.float64
    """
    if isinstance(given, str | Path):
        try:
            return load_matrix(given, tensor)
        except ArgumentError as error:
            raise ArgumentError("tensor", error.message) from error
    if tensor is not None:
        raise ArgumentError("tensor", f"needs a .safetensors file: other matrices have no names, got {tensor!r}")
    if isinstance(given, Tensor):
        return given if given.is_floating_point() else _from_array(argument, given.cpu().numpy())
    return _from_array(argument, given)


def matrix_input(argument: str, given: object, matrix: Tensor) -> str | GivenInput:
    """A matrix as an argument of a call: its file, or its numbers in float64."""
    return str(given) if isinstance(given, str | Path) else given_matrix(argument, matrix.tolist())


def _from_array(argument: str, given: object) -> Tensor:
    try:
        array = np.asarray(given)
    except ValueError:  # rows of different lengths
        if isinstance(given, Sequence):
            check_lengths(argument, [row for row in given if isinstance(row, Sized)])
        raise ArgumentError(argument, "expected rows of numbers, all of the same length") from None
    if array.dtype.kind not in "fiu":
        raise ArgumentError(argument, f"expected a matrix of numbers or the path of a file, got {_kind(given)}")
    # Keep float32: the precision tells how far two directions may differ by rounding alone.
    kept = array.dtype in (np.dtype(np.float16), np.dtype(np.float32))
    return torch.from_numpy(array.astype(array.dtype if kept else np.float64, order="C"))


def _kind(given: object) -> str:
    dtype = getattr(given, "dtype", None)
    return f"{type(given).__name__} of {dtype}" if dtype is not None else type(given).__name__
