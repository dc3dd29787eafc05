"""What the JSON of a record contains, as a type that pydantic reads."""

import json
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import pytest
from pydantic import TypeAdapter

from attnlab.contents import Content, OneOf, Sometimes, content_of
from attnlab.statistics import Share


@dataclass(frozen=True)
class Size:
    """How large something is."""

    width: int
    height: float | None = None

    @property
    def area(self) -> float:
        """Width times height."""
        return self.width * (self.height or 0)


@dataclass(frozen=True)
class Room:
    """A room."""

    name: str
    size: Size

    @cached_property
    def free(self) -> bool:
        """Whether nobody is in it."""
        return True

    @Content(
        "name",
        "free",
        "size.area",
        Size,
        share=OneOf(Share, None),
        sizes=[Size],
        named={str: Content(at=int)},
        note=Sometimes(str),
    )
    def to_dict(self) -> dict[str, Any]:
        """The room."""
        more = {"share": None, "sizes": [], "named": {"door": {"at": 1}}}
        return {"name": self.name, "free": self.free, "area": self.size.area} | asdict(self.size) | more


@Content(Room, first=Room, later="statistics:Share")
def told(room: Room) -> dict[str, Any]:
    """A room beside another one."""
    return room.to_dict() | {"first": room.to_dict(), "later": Share(1, 2).as_json()}


def test_types_come_from_the_fields_and_properties_of_the_class():
    found = content_of(Room).__annotations__
    assert (found["name"], found["free"], found["area"]) == (str, bool, float)
    assert (found["width"], found["height"]) == (int, float | None)
    assert found["sizes"] == list[Size]
    assert content_of(Room).__required_keys__ == set(Room("a", Size(1)).to_dict())
    assert content_of(Room).__optional_keys__ == {"note"}


def test_contents_are_made_of_other_contents():
    value = told(Room("a", Size(1, 2.0)))
    assert TypeAdapter(content_of(told)).validate_json(json.dumps(value), strict=True)["later"]["value"] == 0.5
    assert content_of(told).__annotations__["first"] is content_of(Room)


def test_a_class_that_tells_no_content_is_its_fields():
    assert content_of(Size) is Size
    assert content_of(float | None) == float | None


def test_a_field_that_is_not_there_is_found():
    @Content("breadth")
    def wrong(found: Size) -> dict[str, Any]: ...

    with pytest.raises(KeyError, match="breadth"):
        content_of(wrong)
