"""Read and write inputs, wanted outputs and matrices in part coordinates: as text, as numbers, or from a file."""

from collections.abc import Mapping
from pathlib import Path
from string import ascii_lowercase
from typing import Any

import numpy as np
import torch
from torch import Tensor

from attnlab.attention.argument_checks import exact_matrix, shape_of
from attnlab.attention.constructions import Inputs, format_rows, parse_inputs, parse_matrix, parse_wants
from attnlab.benches.attention.matrices import MatrixLike, read_matrix
from attnlab.data.matrices import ENDINGS
from attnlab.errors import ArgumentError

EVERY_DIGIT = 17
"""This many digits determine a float exactly."""


def read_inputs(given: str | Inputs | MatrixLike) -> Inputs:
    """The inputs. Inputs given as numbers have a row for each input; their parts are called a, b, c and so on.

    >>> print(read_inputs([[0, 1, 1], [2, 0, 0]]))
    x1 = u_b + u_c; x2 = 2 u_a
    """
    if isinstance(given, Inputs):
        return given
    if _is_text(given):
        return parse_inputs(str(given))
    matrix = exact_matrix("inputs", read_matrix("inputs", given), "inputs", "parts")
    count = matrix.shape[1]
    names = ascii_lowercase if count <= len(ascii_lowercase) else [f"p{number:03d}" for number in range(count)]
    return Inputs(tuple(names[:count]), matrix)


def read_wants(given: str | Mapping[int, Any], inputs: Inputs) -> dict[int, Tensor]:
    """The wanted outputs, by the number of their input from 0."""
    if isinstance(given, str):
        return parse_wants(given, inputs)
    try:
        return {row: torch.from_numpy(np.array(each, dtype=np.float64)) for row, each in given.items()}
    except (TypeError, ValueError):
        raise ArgumentError("wants", "expected for each wanted output a list of numbers, one for each part") from None


def read_square(name: str, given: str | MatrixLike, inputs: Inputs) -> Tensor:
    """A matrix in part coordinates."""
    if _is_text(given):
        return parse_matrix(str(given), inputs.parts, name=name)
    matrix, size = read_matrix(name, given), len(inputs.parts)
    if matrix.shape != (size, size):
        got = shape_of(matrix)
        raise ArgumentError(name, f"expected {size} × {size}, a row and a column for each part, got shape {got}")
    return exact_matrix(name, matrix, "parts", "parts")


def write_inputs(given: str | Inputs | MatrixLike, inputs: Inputs) -> str:
    """The inputs as they are typed, with every digit."""
    if _is_text(given):
        return str(given)
    unheld = [part for part, held in zip(inputs.parts, inputs.coefficients.any(0).tolist(), strict=True) if not held]
    text = format_rows("x", dict(enumerate(inputs.coefficients)), inputs.parts, digits=EVERY_DIGIT)
    return text + "".join(f" + 0 u_{part}" for part in unheld)


def write_wants(given: str | Mapping[int, Any], wants: Mapping[int, Tensor], inputs: Inputs) -> str:
    """The wanted outputs as they are typed, with every digit."""
    return given if isinstance(given, str) else format_rows("c", wants, inputs.parts, digits=EVERY_DIGIT)


def _is_text(given: object) -> bool:
    """Whether a text is a formula, not the path of a file."""
    return isinstance(given, str) and Path(given).suffix.lower() not in ENDINGS
