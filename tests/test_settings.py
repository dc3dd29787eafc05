"""Settings: checked when they are made, and read alike from JSON and from words."""

import json
import subprocess
import sys
from dataclasses import FrozenInstanceError, field
from typing import Annotated, Any, Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnlab.calls import Call
from attnlab.errors import ArgumentError
from attnlab.settings import (
    ByKind,
    Fraction,
    Range,
    Word,
    changed,
    changed_values,
    changes,
    options,
    read,
    settings,
    tag,
    with_words,
    write,
)

pytestmark = pytest.mark.usefixtures("as_installed")


@settings
class Round:
    """A round thing."""

    kind: Literal["round"] = tag(default="round")
    radius: Annotated[int, Range(1, 64)] = 8
    """How far the rim is."""
    share: Annotated[float, Range(0, 1, below=True)] = 0.5

    def __post_init__(self):
        if self.radius == 13:
            raise ArgumentError("radius", "expected a number that is not 13")


@settings
class Square:
    """A square thing."""

    kind: Literal["square"] = tag(default="square")
    colour: Literal["red", "blue"] = "red"
    is_open: bool = False


@settings
class Shop:
    """A shop of things."""

    name: str
    thing: Annotated[Round | Square, ByKind()] = field(default_factory=Round)
    prices: dict[str, float] = field(default_factory=dict)
    sizes: tuple[float, ...] = ()
    most: Annotated[int, Range(1, 5)] | None = None
    chance: Fraction = 0.0


@pytest.mark.parametrize(
    ("cls", "values", "message"),
    [
        (Round, {"radius": 0}, "radius: expected a whole number from 1 to 64, got 0; try 1"),
        (Round, {"radius": "3"}, "radius: expected a whole number, got '3'"),
        (Round, {"radius": True}, "radius: expected a whole number, got True"),
        (Round, {"radius": 2.0}, "radius: expected a whole number, got 2.0"),
        (Round, {"share": 1}, "share: expected a number of at least 0 and less than 1, got 1"),
        (Round, {"share": float("nan")}, "share: expected a finite number of at least 0 and less than 1, got nan"),
        (Round, {"radius": 13}, "radius: expected a number that is not 13"),
        (Square, {"colour": "green"}, "colour: expected red or blue; got 'green'"),
        (Square, {"is_open": "yes"}, "is_open: expected true or false, got 'yes'"),
        (Shop, {"name": 3}, "name: expected a text, got 3"),
        (Shop, {"name": "a", "most": 6}, "most: expected a whole number from 1 to 5, got 6; try 5"),
    ],
)
def test_values_are_checked_when_settings_are_made(cls, values, message):
    with pytest.raises(ArgumentError) as refused:
        cls(**values)
    assert str(refused.value) == message


def test_settings_are_frozen_and_compare():
    assert Round(3) == Round(3) != Round(4)
    with pytest.raises(FrozenInstanceError):
        Round().radius = 3  # pyright: ignore[reportAttributeAccessIssue]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"name": "a", "thing": {"kind": "round", "radius": 99}},
         "thing.radius: expected a whole number from 1 to 64, got 99; try 64"),
        ({"name": "a", "thing": {"kind": "round", "radius": "3"}}, "thing.radius: expected a whole number, got '3'"),
        ({"name": "a", "thing": {"kind": "round", "more": 1}}, "thing.more: there is no such setting"),
        ({"name": "a", "thing": {"kind": "oval"}}, "thing: expected round or square; got 'oval'"),
        ({"name": "a", "thing": {}}, "thing: expected settings with a kind, got {}"),
        ({"name": "a", "thing": 3}, "thing: expected settings by name, got 3"),
        ({"thing": {"kind": "square"}}, "name: the value is missing"),
        ({"name": "a", "prices": {"b": "c"}}, "prices.b: expected a number, got 'c'"),
        ({"name": "a", "sizes": 3}, "sizes: expected a list, got 3"),
        ({"name": "a", "colour": 3},
         "colour: there is no such setting; expected name, thing, prices, sizes, most, chance"),
        ([1], "settings: expected settings by name, got [1]"),
        (None, "settings: expected settings by name, got None"),
    ],
)  # fmt: skip
def test_json_that_is_wrong(value, message):
    with pytest.raises(ArgumentError) as refused:
        read(Shop, value)
    assert str(refused.value) == message


shops = st.builds(
    Shop,
    name=st.text(max_size=5),
    thing=st.one_of(
        st.builds(Round, radius=st.integers(14, 64), share=st.floats(0, 0.99)),
        st.builds(Square, colour=st.sampled_from(["red", "blue"]), is_open=st.booleans()),
    ),
    prices=st.dictionaries(st.text(max_size=3), st.floats(allow_nan=False, allow_infinity=False), max_size=3),
    sizes=st.lists(st.floats(-1e6, 1e6), max_size=3).map(tuple),
    most=st.none() | st.integers(1, 5),
    chance=st.floats(0, 1),
)


@given(shops)
def test_settings_survive_json(shop):
    assert read(Shop, json.loads(json.dumps(write(shop)))) == shop


def test_what_is_not_given_has_its_default():
    assert read(Shop, {"name": "a"}) == Shop("a")


def test_words():
    assert with_words(Round(), {"radius": "3", "share": "0.25"}) == Round(3, 0.25)
    assert with_words(Square(), {"is_open": "", "colour": "blue"}) == Square("blue", True)
    assert with_words(Square(is_open=True), {"is_open": "no"}) == Square()
    assert with_words(Shop("a"), {"sizes": "1, 2.5", "most": "3"}) == Shop("a", sizes=(1.0, 2.5), most=3)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"radius": "x"}, "thing.radius: expected a whole number, got 'x'"),
        ({"radius": "99"}, "thing.radius: expected a whole number from 1 to 64, got 99; try 64"),
        ({"radius": "13"}, "thing.radius: expected a number that is not 13"),
        ({"diameter": "1"}, "thing.diameter: there is no such setting; expected radius, share"),
    ],
)
def test_words_that_are_wrong(words, message):
    with pytest.raises(ArgumentError) as refused:
        with_words(Round(), words, "thing")
    assert str(refused.value) == message


def test_options_tell_what_a_setting_takes_does_and_is():
    first, second = options(Round(radius=3))
    assert (first.name, first.takes, first.about, first.default) == (
        "radius", "a whole number from 1 to 64", "How far the rim is.", 3
    )  # fmt: skip
    assert second.takes == "a number of at least 0 and less than 1"
    assert [each.takes for each in options(Square())] == ["red or blue", "yes or no"]


@given(shops.filter(lambda shop: isinstance(shop.thing, Square)))
def test_changes_that_are_typed_give_the_same_settings_again(shop):
    words = Call("", options={"thing": changes(shop.thing, Square())}).words
    typed: dict[str, Any] = {}
    for word in words:
        if word.startswith("--thing."):
            typed[last := word.removeprefix("--thing.").replace("-", "_")] = ""
        else:
            typed[last] = word  # pyright: ignore[reportPossiblyUnboundVariable]
    assert with_words(Square(), typed) == shop.thing


def test_pydantic_is_imported_with_the_first_settings_that_are_made():
    code = "import sys; from attnlab.training.settings import Training; print('pydantic' in sys.modules)"
    code += "; Training(); print('pydantic' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["False", "True"]


def test_typed_words_and_values_change_settings_together():
    assert changed(Square(), {"is_open": Word("yes"), "colour": "blue"}) == Square("blue", True)
    assert changed_values(Round(), {"radius": Word("3"), "share": 0.25}) == {"radius": 3, "share": 0.25}
    with pytest.raises(ArgumentError, match=r"thing\.radius: expected a whole number, got 'x'"):
        changed(Round(), {"radius": Word("x")}, "thing")


def test_a_list_without_a_value_is_refused():
    with pytest.raises(ArgumentError, match="sizes: expected a number, or several with commas between them; got ' , '"):
        with_words(Shop("a"), {"sizes": " , "})


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"radius": np.ones((2, 2, 2))}, "shape.radius: expected numbers, texts and lists of them, got array([[["),
        ({"inner": {"radius": object()}}, "shape.inner.radius: expected numbers, texts and lists of them, got <object"),
        ({"radius": [8] * 1000}, "shape.radius: expected a whole number, got [8, 8, 8, "),
    ],
)
def test_a_value_that_is_no_setting_is_named_and_shortened(given, message):
    with pytest.raises(ArgumentError) as refused:
        read(Round, {"kind": "round", "radius": 3} | given, "shape")
    assert str(refused.value).startswith(message)
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 200
