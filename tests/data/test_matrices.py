"""Matrices survive their files, and bad files are named in one line."""

import csv
import pickle
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from safetensors.torch import save, save_file

from attnlab.data.matrices import load_matrix
from attnlab.errors import ArgumentError, FileError

quick = settings(max_examples=50, deadline=None)
MATRIX = torch.tensor([[1.5, -2.0, 1e-300], [0.0, 3.0, 1e300]], dtype=torch.float64)


def npy(path: Path, array: np.ndarray) -> Path:
    np.save(path / "keys.npy", array)
    return path / "keys.npy"


def written(path: Path, content: str | bytes, name: str = "keys.csv") -> Path:
    (path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return path / name


def message(path: Path, *arguments: str) -> str:
    """What the error says after the path."""
    with pytest.raises(FileError) as error:
        load_matrix(path, *arguments)
    assert error.value.path == path
    assert "\n" not in str(error.value)
    return str(error.value).removeprefix(str(path))


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", ">f8", "<f4", "longdouble", "int8", "uint64"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_npy_of_any_real_type(tmp_path, dtype, order):
    array = np.array([[1, 2, 3], [4, 5, 6]], dtype=dtype, order=order)
    loaded = load_matrix(npy(tmp_path, array))
    assert loaded.dtype == torch.float64
    assert loaded.tolist() == [[1, 2, 3], [4, 5, 6]]


@pytest.mark.parametrize(
    "dtype", [torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.uint8]
)
def test_safetensors_of_any_real_type(tmp_path, dtype):
    save_file({"weights": torch.tensor([[1, 2, 3], [4, 5, 6]], dtype=dtype)}, tmp_path / "k.safetensors")
    loaded = load_matrix(str(tmp_path / "k.safetensors"))
    assert loaded.dtype == torch.float64
    assert loaded.tolist() == [[1, 2, 3], [4, 5, 6]]


@quick
@given(
    arrays(np.float64, array_shapes(min_dims=2, max_dims=2), elements=st.floats(allow_nan=False, allow_infinity=False))
)
def test_every_matrix_survives_every_format(tmp_path_factory, array):
    folder = tmp_path_factory.mktemp("matrices")
    with (folder / "keys.csv").open("w", newline="") as file:
        csv.writer(file).writerows(array.tolist())
    save_file({"keys": torch.from_numpy(array)}, folder / "keys.safetensors")
    for path in (npy(folder, array), folder / "keys.csv", folder / "keys.safetensors"):
        assert load_matrix(path).equal(torch.from_numpy(array))


@pytest.mark.parametrize(
    "text",
    [
        "1.5,-2,1e-300\n0,3,1e300\n",
        "1.5,-2,1e-300\r\n0,3,1e300",
        "\ufeff1.5,-2,1e-300\n0,3,1e300\n",
        "\n 1.5 , -2 ,1e-300\n\n  \n0,3,1e300\n\n",
        "x,y,z\n1.5,-2,1e-300\n0,3,1e300\n",
        '\ufeff"first, really","größe",""\n"1.5","-2",1e-300\n0,3,1e300\n',
    ],
    ids=["plain", "windows", "byte order mark", "blanks", "heading", "quotes"],
)
def test_csv(tmp_path, text):
    assert load_matrix(written(tmp_path, text)).equal(MATRIX)


def test_an_ending_in_capitals(tmp_path):
    assert load_matrix(written(tmp_path, "1,2\n", "KEYS.CSV")).tolist() == [[1, 2]]


def test_one_tensor_of_several(tmp_path):
    path = tmp_path / "k.safetensors"
    save_file({"keys": MATRIX, "values": 2 * MATRIX}, path)
    assert load_matrix(path).equal(MATRIX)
    assert load_matrix(path, "values").equal(2 * MATRIX)
    assert message(path, "queries") == ": expected a tensor called 'queries'; the file holds keys, values"
    save_file({"a": MATRIX, "b": MATRIX.clone()}, path)
    assert message(path) == ": expected a tensor called 'keys'; the file holds a, b"
    save_file({"a": MATRIX}, path)
    assert message(path, "keys") == ": expected a tensor called 'keys'; the file holds a"
    save_file({}, path)
    assert message(path) == ": expected a tensor called 'keys'; the file holds no tensors"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1,2\n3\n", ", line 2: expected 2 fields as above, got 1"),
        ("x,y,z\n1,2\n", ", line 2: expected 3 fields as above, got 2"),
        ("1,2\n\n3,four\n", ", line 3: expected a number, got 'four'"),
        ("1,x\n", ", line 1: expected a number, got 'x'"),
        ("1,2\n3,\n", ", line 2: expected a number, got ''"),
        ("1,2\n1_000,2\n", ", line 2: expected a number, got '1_000'"),
        ("1,2\n\0,2\n", ", line 2: expected a number, got '\\x00'"),
        ("1,2\n3,nan\n", ", line 2: expected a finite number, got 'nan'"),
        ("-inf,2\n", ", line 1: expected a finite number, got '-inf'"),
        ("1,1e999\n", ", line 1: expected a finite number, got '1e999'"),
        ("x,y\n", ": expected at least one row of numbers, got no rows"),
        ("\n\n", ": expected at least one row of numbers, got no rows"),
        ("\ufeff", ": expected at least one row of numbers, got no rows"),
        (b"1,2\n3,\xff\n", ", line 2: expected UTF-8 text, got the byte 0xff"),
        ("1,2\n" + "9" * 200_000, ", line 2: not comma-separated text: field larger than field limit (131072)"),
    ],
)
def test_a_bad_csv_is_named(tmp_path, text, expected):
    assert message(written(tmp_path, text)) == expected


@pytest.mark.parametrize(
    ("array", "expected"),
    [
        (np.ones(3), "expected two axes (rows, columns), got shape (3,)"),
        (np.float64(1), "expected two axes (rows, columns), got shape ()"),
        (np.ones((1, 2, 3)), "expected two axes (rows, columns), got shape (1, 2, 3)"),
        (np.ones((0, 3)), "expected at least one row and one column, got shape (0, 3)"),
        (np.array([[1, np.nan]]), "expected finite numbers, got nan at row 0, column 1, counted from 0"),
        (np.array([[1.0], [-np.inf]]), "expected finite numbers, got -inf at row 1, column 0, counted from 0"),
        # A signalling NaN, about which numpy warns when it is cast.
        (
            np.frombuffer(bytes.fromhex("0000803f968580ff"), "<f4")[None],
            "expected finite numbers, got nan at row 0, column 1, counted from 0",
        ),
        (np.ones((1, 1), dtype=bool), "expected numbers, got booleans (bool)"),
        (np.ones((1, 1), dtype=complex), "expected numbers, got complex numbers (complex128)"),
        (np.array([["one"]]), "expected numbers, got text (<U3)"),
        (np.array([["2020-01-01"]], dtype="datetime64[D]"), "expected numbers, got other data (datetime64[D])"),
    ],
)
def test_a_bad_array_is_named(tmp_path, array, expected):
    assert message(npy(tmp_path, array)) == f": {expected}"


@pytest.mark.parametrize(
    ("tensor", "expected"),
    [
        (torch.ones(3), "expected two axes (rows, columns), got shape (3,)"),
        (torch.tensor([[torch.nan]]), "expected finite numbers, got nan at row 0, column 0, counted from 0"),
        (torch.ones(1, 1, dtype=torch.bool), "expected numbers, got booleans (bool)"),
        (torch.ones(1, 1, dtype=torch.complex64), "expected numbers, got complex numbers (complex64)"),
    ],
)
def test_a_bad_tensor_is_named(tmp_path, tensor, expected):
    assert message(written(tmp_path, save({"keys": tensor}), "k.safetensors")) == f": {expected}"


class Trap:
    """An object that does something when it is unpickled."""

    def __reduce__(self):
        return (pytest.fail, ("unpickled",))


def test_nothing_is_unpickled(tmp_path):
    np.save(tmp_path / "keys.npy", np.array([Trap()], dtype=object), allow_pickle=True)
    assert message(tmp_path / "keys.npy") == ": expected numbers, got Python objects"
    path = written(tmp_path, pickle.dumps(Trap()), "keys.npy")
    assert message(path) == ": not a .npy file, or the file is cut short"


def test_files_cut_short(tmp_path):
    whole = npy(tmp_path, np.ones((3, 4))).read_bytes()
    for length in (1, 5, 9, 60, len(whole) - 1):
        path = written(tmp_path, whole[:length], "cut.npy")
        assert message(path) == ": not a .npy file, or the file is cut short"
    whole = save({"keys": MATRIX})
    for length in (1, 7, 8, 30, len(whole) - 1):
        path = written(tmp_path, whole[:length], "cut.safetensors")
        assert message(path) == ": not a .safetensors file, or the file is cut short"


@quick
@given(st.binary(min_size=1, max_size=60), st.sampled_from(["", "\x93NUMPY\x01\x00v\x00"]))
def test_garbage_is_a_file_error(tmp_path_factory, garbage, start):
    folder = tmp_path_factory.mktemp("garbage")
    for name in ("g.npy", "g.safetensors"):
        assert "cut short" in message(written(folder, start.encode("latin-1") + garbage, name))


@pytest.mark.parametrize("shape", ["(9999999999, 9999999999)", "(99999, 9999999)", "(-1, 2)", "'x'", "(2,"])
def test_headers_that_lie(tmp_path, shape):
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}".ljust(117).encode() + b"\n"
    path = written(tmp_path, b"\x93NUMPY\x01\x00v\x00" + header + bytes(16), "lie.npy")
    assert message(path) == ": not a .npy file, or the file is cut short"


def test_no_such_file_a_folder_an_ending(tmp_path):
    assert message(tmp_path / "none.npy") == ": there is no such file"
    (tmp_path / "folder.csv").mkdir()
    assert message(tmp_path / "folder.csv") == ": expected a file, got a folder"
    for ending in ("csv", "npy", "safetensors"):
        assert message(written(tmp_path, "", f"empty.{ending}")) == ": the file is empty"
    for name in ("keys.txt", "keys", "keys.npz"):
        assert message(tmp_path / name) == ": expected a file that ends in .npy, .csv or .safetensors"
    with pytest.raises(ArgumentError) as error:
        load_matrix(tmp_path / "keys.csv", "keys")
    assert str(error.value) == "name: works only with .safetensors files; a .csv file holds one matrix"


def test_permission(tmp_path, monkeypatch):
    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    path = written(tmp_path, "1,2\n")
    monkeypatch.setattr(Path, "open", refuse)
    assert message(path) == ": cannot be read: permission denied"
