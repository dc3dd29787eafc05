"""The text forms: what is read is what was written, and what cannot be read is pointed at."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attnlab.attention.constructions import (
    Inputs,
    format_matrix,
    format_rows,
    format_sum,
    parse_inputs,
    parse_matrix,
    parse_wants,
)
from attnlab.errors import ArgumentError

names = st.from_regex(r"[A-Za-z][A-Za-z0-9_]{0,5}", fullmatch=True)
numbers = st.one_of(st.integers(-5, 5).map(float), st.floats(-1e12, 1e12).filter(lambda x: x == 0 or abs(x) > 1e-12))


@st.composite
def matrices(draw, square: bool = False) -> tuple[tuple[str, ...], torch.Tensor]:
    parts = tuple(sorted(draw(st.lists(names, min_size=1, max_size=5, unique=True))))
    rows = len(parts) if square else draw(st.integers(1, 5))
    row = st.lists(numbers, min_size=len(parts), max_size=len(parts))
    return parts, torch.tensor(draw(st.lists(row, min_size=rows, max_size=rows)), dtype=torch.float64)


@settings(deadline=None)
@given(matrices())
def test_inputs_come_back(given_inputs):
    parts, coefficients = given_inputs
    text = format_rows("x", dict(enumerate(coefficients)), parts, digits=17)
    everything = " + ".join(f"0 u_{part}" for part in parts)  # so that a part no input holds is named too
    back = parse_inputs(f"{text} + {everything}")
    assert back.parts == parts
    assert torch.equal(back.coefficients, coefficients)
    wants = parse_wants(format_rows("c", {len(coefficients) - 1: coefficients[0]}, parts, digits=17), back)
    assert torch.equal(wants[len(coefficients) - 1], coefficients[0])


@settings(deadline=None)
@given(matrices(square=True), st.sampled_from(["as it is", "ascii", "bare"]))
def test_matrices_come_back(given_matrix, style):
    parts, matrix = given_matrix
    text = format_matrix(matrix, parts, digits=17)
    if style != "as it is":
        text = text.replace("ᵀ", "^T").replace("−", "-").replace("β²", "beta^2")
    if style == "bare":
        text = text.removesuffix("/beta^2").removeprefix("(").removesuffix(")")
    assert torch.equal(parse_matrix(text, parts), matrix)


@given(st.floats(-10, 10).filter(lambda x: abs(x) > 1e-6), st.integers(1, 4))
def test_multiples_of_the_identity(size, count):
    parts, matrix = tuple("abcd"[:count]), size * torch.eye(count, dtype=torch.float64)
    text = format_matrix(matrix, parts, digits=17)
    assert text.endswith("I")
    assert torch.equal(parse_matrix(text, parts), matrix)


def test_as_people_write():
    inputs = parse_inputs("x1 = d + b; x_2 = u_a\nx3 = c+u_b + b;")
    assert inputs.parts == ("a", "b", "c", "d")
    assert inputs.coefficients.tolist() == [[0, 1, 0, 1], [1, 0, 0, 0], [0, 2, 1, 0]]
    assert str(inputs) == "x1 = u_b + u_d; x2 = u_a; x3 = 2 u_b + u_c"
    assert parse_inputs("x1 = 2a - 0.5b; x2 = -.5 * a − 3.b; x3 = 0").coefficients.tolist() == [
        [2, -0.5],
        [-0.5, -3],
        [0, 0],
    ]
    wants = parse_wants("c2 = b; c1 = b - c", inputs)
    assert {i: want.tolist() for i, want in wants.items()} == {1: [0, 1, 0, 0], 0: [0, 1, -1, 0]}
    assert parse_inputs("x1 = 2 * e3 + 2 e").parts == ("e", "e3")


def test_shown_as_people_write():
    parts = ("a", "b", "c", "d")
    Q = torch.zeros(4, 4)
    assert format_matrix(Q, parts) == "0"
    Q[3, 0] = 1
    assert format_matrix(Q, parts) == "u_d u_aᵀ/β²"
    Q[2, 3] = -1
    assert format_matrix(Q, parts) == "(u_d u_aᵀ − u_c u_dᵀ)/β²"
    assert format_matrix(torch.eye(4), parts) == "I"
    assert format_matrix(-2 * torch.eye(4), parts) == "−2 I"
    assert format_sum(torch.tensor([1 / 3, 0, -1, 1e-5]), parts) == "0.333333 u_a − u_c + 0.00001 u_d"
    assert format_sum(torch.tensor([-0.25, 0, 0, 0]), parts) == "−0.25 u_a"


EXPECTED = "expected, for example, 2a - 0.5b or 0"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x1 = d + $b", f"cannot read '+ $b' in 'd + $b'; {EXPECTED}"),
        ("x1 = d b", f"cannot read 'b' in 'd b'; {EXPECTED}"),
        ("x1 = a + + b", f"cannot read '+ + b' in 'a + + b'; {EXPECTED}"),
        ("x1 = a - 3", f"cannot read '- 3' in 'a - 3'; {EXPECTED}"),
        ("x1 = *a", f"cannot read '*a' in '*a'; {EXPECTED}"),
        ("x1 = a = b", f"cannot read '= b' in 'a = b'; {EXPECTED}"),
        ("x1 = ", f"a sum is missing or ends too early; {EXPECTED}"),
        ("y = a", "cannot read 'y = a'; expected a sum such as x1 = 2a - 0.5b"),
        ("x0 = a", "cannot read 'x0 = a'; expected a sum such as x1 = 2a - 0.5b"),
        ("x1 a", "cannot read 'x1 a'; expected a sum such as x1 = 2a - 0.5b"),
        ("x" * 50, f"cannot read '{'x' * 39}…'; expected a sum such as x1 = 2a - 0.5b"),
        ("", "expected sums such as x1 = 2a - 0.5b, got nothing"),
        ("x2 = a", "expected x1, x2, … in order, got x2"),
        ("x1 = a; x1 = b", "x1 is given twice; expected once"),
        ("x1 = 0", "expected at least one part, got 'x1 = 0'"),
        ("x1 = u_1", "'u_1' is not a part; expected a letter after u_"),
        ("x1 = 2e-3a",
         "'2e-3' could be one number or a number times a part; write a plain decimal, or * between them"),
        ("x1 = " + "9" * 400 + "a", "expected finite numbers, got inf at [0, 0]"),
        ("x1 = a" + " " * 20_000, "expected at most 20000 characters, got 20006"),
        ("x1 = " + " + ".join(f"a{i}" for i in range(65)),
         "expected at most 64 inputs of 64 parts, got shape (1, 65)"),
    ],
)  # fmt: skip
def test_unreadable_inputs_are_pointed_at(text, message):
    with pytest.raises(ArgumentError) as error:
        parse_inputs(text)
    assert str(error.value) == f"inputs: {message}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("c3 = a", "wants: c3: expected c1 to c2, one per input"),
        ("c1 = e", "wants: c1: no input names the part 'e'; expected a or b"),
        ("x1 = a", "wants: cannot read 'x1 = a'; expected a sum such as c1 = 2a - 0.5b"),
    ],
)
def test_unreadable_wants_are_pointed_at(text, message):
    with pytest.raises(ArgumentError) as error:
        parse_wants(text, parse_inputs("x1 = a; x2 = b"))
    assert str(error.value) == message


MATRIX = "expected, for example, (u_d u_aᵀ − 2 u_c u_dᵀ)/β², I or 0"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a b", f"Q: cannot read 'a b' in 'a b'; {MATRIX}"),
        ("abᵀ", f"Q: cannot read 'abᵀ' in 'abᵀ'; {MATRIX}"),
        ("(a b^T", f"Q: cannot read '(a b^T' in '(a b^T'; {MATRIX}"),
        ("I + a b^T", f"Q: cannot read 'I + a b^T' in 'I + a b^T'; {MATRIX}"),
        ("a e^T", "Q: 'e' is not a part of the inputs; expected a or b"),
    ],
)
def test_unreadable_matrices_are_pointed_at(text, message):
    with pytest.raises(ArgumentError) as error:
        parse_matrix(text, ("a", "b"), name="Q")
    assert str(error.value) == message


@pytest.mark.usefixtures("as_installed")
@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Inputs(("a", "a"), torch.ones(1, 2)),
         "parts: expected 2 different names of letters, digits and underscores that begin with a letter, got 'a', 'a'"),
        (lambda: Inputs(("a", "1"), torch.ones(1, 2)),
         "parts: expected 2 different names of letters, digits and underscores that begin with a letter, got 'a', '1'"),
        (lambda: Inputs(("a",), torch.ones(1, 2)),
         "parts: expected 2 different names of letters, digits and underscores that begin with a letter, got 'a'"),
        (lambda: Inputs((), torch.ones(1, 0)),
         "inputs: expected at least one of inputs and of parts, got shape (1, 0)"),
        (lambda: format_sum(torch.ones(2), ("a",)), "coefficients: expected 1 numbers, got 2"),
        (lambda: format_matrix(torch.ones(2, 3), ("a", "b")),
         "matrix: expected 2 × 2, one per part, got shape (2, 3)"),
    ],
)  # fmt: skip
def test_bad_input_is_named(call, message):
    with pytest.raises(ArgumentError) as error:
        call()
    assert str(error.value) == message
