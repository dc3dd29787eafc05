"""Weights and rows as people write them: the command line and the studio take the same words."""

import pytest

from attnlab.benches.attention.written import read_rows, read_weights
from attnlab.errors import ArgumentError
from attnlab.studio.scenes import SceneRequest, given


@pytest.mark.parametrize("text", ["0 = 0.5, 1=0.5", "0=.5,1=5e-1", " 0=+0.5 ,1=0.5"])
def test_weights_are_read_with_spaces_and_in_any_notation(text):
    assert read_weights("mix", text) == {0: 0.5, 1: 0.5}
    assert given(SceneRequest("1,0;0,1", "1,1", text)).mix == {0: 0.5, 1: 0.5}


@pytest.mark.parametrize("text", ["1,0; 0,1", "1, 0;0,1e0", " 1.,0;-0,+1 "])
def test_rows_are_read_with_spaces_and_in_any_notation(text):
    assert read_rows("keys", text) == [[1.0, 0.0], [0.0, 1.0]]
    assert given(SceneRequest(text, "1,1", "0=1")).keys == [[1.0, 0.0], [0.0, 1.0]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0=0.5,0=0.5,1=0.5", "key 0 is given twice"),
        ("0=0.5,00=0.5", "key 0 is given twice"),
        ("0=0.5,", "expected KEY=WEIGHT such as 0=0.5, got ''"),
        ("0=1_0", "expected KEY=WEIGHT such as 0=0.5, got '0=1_0'"),
        ("0=٣", "expected KEY=WEIGHT such as 0=0.5, got '0=٣'"),
        ("0=nan", "expected weights above 0 that sum to 1, got nan for key 0"),
        ("0=-inf", "expected weights above 0 that sum to 1, got -inf for key 0"),
    ],
)
def test_wrong_weights_are_named(text, message):
    with pytest.raises(ArgumentError) as refused:
        given(SceneRequest("1,0;0,1", "1,1", text))
    assert str(refused.value) == f"mix: {message}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nan,1;1,1", "expected finite numbers, got nan"),
        ("1,-Infinity", "expected finite numbers, got -Infinity"),
        ("1,1e999", "expected finite numbers, got 1e999"),
        ("1,0;x,1", "expected rows of numbers such as 1,0;0,1, got 'x,1'"),
        ("1,0;", "expected rows of numbers such as 1,0;0,1, got ''"),
        ("1,0;1", "expected rows of the same length, got rows of 1 and 2 numbers"),
    ],
)
def test_wrong_rows_are_named(text, message):
    with pytest.raises(ArgumentError) as refused:
        read_rows("queries", text)
    assert str(refused.value) == f"queries: {message}"


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ("1;0", "expected points x,y, got rows of length 1"),
        (";".join(["1,0"] * 101), "expected at most 100 points, got 101"),
    ],
)
def test_the_plane_of_the_studio_has_limits_on_top(keys, message):
    with pytest.raises(ArgumentError) as refused:
        given(SceneRequest(keys, "1,1", "0=1"))
    assert str(refused.value) == f"keys: {message}"
