"""Shapes are checked wherever a signature names one, however it is written; other functions stay as they are."""

import sys
from dataclasses import dataclass

import jaxtyping
import pytest
import torch
from jaxtyping import Float
from tests.shape_checks import FIRST, begin_test, jaxtyped_if_shaped, names_a_shape
from torch import Tensor

from attnlab.attention.functional import attend
from attnlab.numbers import format_number

checked = jaxtyped_if_shaped(typechecker=sys.modules["attnlab_shape_checker"].check)  # pyright: ignore

Square = Float[Tensor, "n n"]


@checked
def plain(x: Square) -> None: ...


@checked
def nested(x: list[Square] | None) -> None: ...


@checked
def returned(x: object) -> Square:
    return x  # pyright: ignore[reportReturnType]


@checked
def as_text(x: "Float[Tensor, 'n n']") -> None: ...


@checked
def alias_as_text(x: "Square") -> None: ...


@checked
@dataclass
class Held:
    x: Square


@checked
@dataclass
class Inherits(Held):
    y: int = 0


FORMS = [plain, returned, as_text, alias_as_text, Held, Inherits]


@pytest.mark.parametrize("takes", FORMS, ids=lambda takes: takes.__name__)
def test_a_wrong_shape_is_found(takes):
    takes(torch.zeros(2, 2))
    with pytest.raises(jaxtyping.TypeCheckError):
        takes(torch.zeros(2, 3))


def test_a_wrong_shape_in_a_list_is_found():
    nested([torch.zeros(2, 2)])
    with pytest.raises(jaxtyping.TypeCheckError):
        nested([torch.zeros(2, 3)])


def test_the_first_calls_of_a_test_are_checked():
    for _ in range(FIRST):
        with pytest.raises(jaxtyping.TypeCheckError):
            plain(torch.zeros(2, 3))
    plain(torch.zeros(2, 3))
    begin_test()
    with pytest.raises(jaxtyping.TypeCheckError):
        plain(torch.zeros(2, 3))


def test_a_function_inside_another_is_checked_at_its_first_calls_however_often_it_is_made():
    def call_a_new_one():
        @checked
        def inner(x: Square) -> None: ...

        inner(torch.zeros(2, 3))

    for _ in range(FIRST):
        with pytest.raises(jaxtyping.TypeCheckError):
            call_a_new_one()
    call_a_new_one()


def test_attnlab_itself_is_checked():
    keys = torch.zeros(4, 3)
    with pytest.raises(jaxtyping.TypeCheckError):
        attend(torch.zeros(5), keys, keys)


def test_a_function_without_shapes_costs_nothing():
    assert not names_a_shape(format_number)
    assert not hasattr(format_number, "__wrapped__")
