"""Matrices from files: saved keys, values or queries."""

import csv
import io
import math
import warnings
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float
from safetensors import SafetensorError, safe_open
from torch import Tensor

from attnlab.errors import ArgumentError, FileError
from attnlab.files import content_of, open_file

ENDINGS = (".npy", ".csv", ".safetensors")


def load_matrix(path: Path | str, name: str | None = None) -> Float[Tensor, "rows columns"]:
    """The matrix in a .npy, .csv or .safetensors file, in float64.

    A .csv file holds rows of numbers separated by commas, in UTF-8; a first line without numbers is a header. If a
    .safetensors file has several tensors, `name` picks one (default: "keys").
    """
    path = Path(path)
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise FileError(path, "expected a file that ends in .npy, .csv or .safetensors")
    if name is not None and ending != ".safetensors":
        raise ArgumentError("name", f"works only with .safetensors files; a {ending} file holds one matrix")
    _check_readable(path)
    if ending == ".csv":
        return _read_csv(path)
    matrix = _read_npy(path) if ending == ".npy" else _read_safetensors(path, name)
    _check_matrix(path, matrix)
    return matrix


def _check_readable(path: Path) -> None:
    """Raise unless `path` is a file that can be read and is not empty."""
    try:
        with open_file(path) as file:
            first = file.read(1)
    except OSError as error:
        raise FileError.unreadable(path, error) from error
    if not first:
        raise FileError(path, "the file is empty")


def _check_matrix(path: Path, matrix: Tensor) -> None:
    """Raise unless the tensor is a matrix of finite numbers."""
    if matrix.ndim != 2:
        raise FileError(path, f"expected two axes (rows, columns), got shape {tuple(matrix.shape)}")
    if 0 in matrix.shape:
        raise FileError(path, f"expected at least one row and one column, got shape {tuple(matrix.shape)}")
    for row, column in torch.nonzero(~torch.isfinite(matrix))[:1].tolist():
        number = matrix[row, column].item()
        raise FileError(path, f"expected finite numbers, got {number} at row {row}, column {column}, counted from 0")


def _read_npy(path: Path) -> Tensor:
    """The array that numpy saved, in float64. Pickled arrays are an error."""
    try:
        with open_file(path) as file, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python's own warnings about an odd header
            array = np.lib.format.read_array(file, allow_pickle=False)
    # A header is a Python expression, and numpy passes on any error of its tokenizer and allocator.
    except Exception as error:
        if "Object arrays" in str(error):
            raise FileError(path, "expected numbers, got Python objects") from None
        raise FileError(path, "not a .npy file, or the file is cut short") from error
    if array.dtype.kind not in "fiu":
        kind = {"b": "booleans", "c": "complex numbers", "U": "text", "S": "text"}.get(array.dtype.kind, "other data")
        raise FileError(path, f"expected numbers, got {kind} ({array.dtype})")
    # A copy in C order and the machine's own byte order, which torch asks for. Numbers too large for float64 become
    # infinite, which is an error later. So is a NaN, about which numpy may warn.
    with np.errstate(over="ignore", invalid="ignore"):
        return torch.from_numpy(array.astype(np.float64, order="C"))


def _read_safetensors(path: Path, name: str | None) -> Tensor:
    """The tensor called `name`, or the only one, in float64."""
    try:
        with safe_open(path, framework="pt") as file:
            names = sorted(file.keys())
            wanted = name if name is not None else names[0] if len(names) == 1 else "keys"
            if wanted not in names:
                held = f"the file holds {', '.join(names)}" if names else "the file holds no tensors"
                raise FileError(path, f"expected a tensor called {wanted!r}; {held}")
            tensor = file.get_tensor(wanted)
        numbers = tensor if tensor.is_complex() else tensor.double()
    except (SafetensorError, OSError) as error:
        raise FileError(path, "not a .safetensors file, or the file is cut short") from error
    except (NotImplementedError, RuntimeError) as error:
        raise FileError(path, "its number type cannot be converted to float64") from error
    if tensor.dtype == torch.bool or tensor.is_complex():
        kind = "booleans" if tensor.dtype == torch.bool else "complex numbers"
        raise FileError(path, f"expected numbers, got {kind} ({tensor.dtype})".replace("torch.", ""))
    return numbers


def _read_csv(path: Path) -> Float[Tensor, "rows columns"]:
    """The rows of numbers of a .csv file."""
    lines = csv.reader(io.StringIO(_text(path), newline=""))
    rows, width = [], None
    try:
        for fields in lines:
            if not any(field.strip() for field in fields):
                continue
            if width is not None and len(fields) != width:
                raise FileError(path, f"expected {width} fields as above, got {len(fields)}", line=lines.line_num)
            if width is not None or any(_number(field) is not None for field in fields):
                rows.append([_finite(path, lines.line_num, field) for field in fields])
            width = len(fields)
    except csv.Error as error:
        raise FileError(path, f"not comma-separated text: {error}", line=lines.line_num) from error
    if not rows:
        raise FileError(path, "expected at least one row of numbers, got no rows")
    return torch.tensor(rows, dtype=torch.float64)


def _text(path: Path) -> str:
    """The file's text, without the byte order mark that spreadsheets write."""
    data = content_of(path)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise FileError(path, f"expected UTF-8 text, got the byte 0x{data[error.start]:02x}", line=line) from None


def _finite(path: Path, line: int, field: str) -> float:
    """The finite number that a field holds."""
    number = _number(field)
    if number is None:
        raise FileError(path, f"expected a number, got {field!r}", line=line)
    if not math.isfinite(number):
        raise FileError(path, f"expected a finite number, got {field!r}", line=line)
    return number


def _number(field: str) -> float | None:
    """The number in a field, or None. Python accepts 1_000, but other programs do not."""
    try:
        return None if "_" in field else float(field)
    except ValueError:
        return None
