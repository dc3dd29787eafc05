"""What the JSON of a record contains, told by the function that makes it. The studio publishes it as a schema, and a
test holds every answer against that schema.

>>> @Content(error=float, weights=[Content(key=int, mean=float)])
... def told(found) -> dict[str, Any]: ...
>>> content_of(told).__annotations__["error"]
<class 'float'>
"""

from dataclasses import dataclass, fields
from functools import cache, reduce
from operator import or_
from pkgutil import resolve_name
from typing import Any, TypeVar, get_type_hints

Function = TypeVar("Function")
MAKERS = ("to_dict", "as_json")
"""The methods of a class that make JSON."""


class Told:
    """The JSON that a function makes, as its decorator tells it."""

    def __call__(self, function: Function) -> Function:
        """The function, which tells it."""
        vars(function)["content"] = self
        return function


class Content(Told):
    """A JSON object. `own` are fields and properties that have the types that the class of the record says, such as
    "settings.scale", which becomes scale; a class or a function among them adds its whole content. The `others` have
    types.

    A type is one of Python's, a `Content`, or a class or function that makes JSON; "module:class" is looked up when the
    type is asked for. A class that tells no content stands for what `asdict` makes of it. [T] is a list of T, and
    {str: T} has a T for each name.
    """

    def __init__(self, *own: Any, **others: Any):
        self.own, self.others = own, others


class OneOf(Told):
    """JSON of one of several types."""

    def __init__(self, *kinds: Any):
        self.kinds = kinds


@dataclass(frozen=True)
class Sometimes:
    """The type of a value that may be left out."""

    kind: Any


@cache
def content_of(maker: Any) -> Any:
    """The type of the JSON that a function or a class makes, as pydantic reads types; other types stand for
    themselves."""
    told = _told(maker)
    return maker if told is None else type_of(told, maker, maker.__name__.strip("_"))


def type_of(told: Any, owner: Any, title: str) -> Any:
    """The type that is told, as pydantic reads types. `owner` has the fields and properties, and `title` is the name of
    an object."""
    match told:
        case Content():
            return _object(_types(told, owner, title), owner, title)
        case OneOf():
            kinds = enumerate(told.kinds)
            return reduce(or_, (type_of(each, owner, f"{title}{place or ''}") for place, each in kinds))
        case list():
            return list[type_of(told[0], owner, title)]
        case dict():
            ((key, each),) = told.items()
            return dict[key, type_of(each, owner, title)]
        case Sometimes():
            from typing import NotRequired  # here, because the import takes time

            return NotRequired[type_of(told.kind, owner, title)]
    return content_of(resolve_name(f"attnlab.{told}") if isinstance(told, str) else told)


def _told(maker: Any) -> Any:
    """What a function, or the method of a class, tells; None if it tells nothing."""
    if isinstance(maker, type):
        maker = next((vars(each)[name] for each in maker.__mro__ for name in MAKERS if name in vars(each)), None)
    return getattr(maker, "content", None)


def _types(content: Content, owner: Any, title: str) -> dict[str, Any]:
    """The type of each value, by its name."""
    found: dict[str, Any] = {}
    for each in content.own:
        if isinstance(each, str):
            found[each.rpartition(".")[2]] = _type_at(owner, each)
        else:
            found |= _fields(each) if _told(each) is None else content_of(each).__annotations__
    return found | {name: type_of(each, owner, f"{title}_{name}") for name, each in content.others.items()}


def _type_at(owner: Any, path: str) -> Any:
    """The type of a field or a property; with dots, of one of its own."""
    first, _, rest = path.partition(".")
    found = getattr(owner, first, None)
    maker = getattr(found, "fget", None) or getattr(found, "func", None)
    kind = get_type_hints(maker)["return"] if maker else get_type_hints(owner)[first]
    return _type_at(kind, rest) if rest else kind


def _fields(owner: Any) -> dict[str, Any]:
    hints = get_type_hints(owner)
    return {each.name: hints[each.name] for each in fields(owner)}


def _object(types: dict[str, Any], owner: Any, title: str) -> Any:
    from typing_extensions import TypedDict  # here, because the import takes time

    made: Any = TypedDict(title, types)  # pyright: ignore[reportArgumentType] (its fields are not written out)
    made.__module__, made.__doc__ = owner.__module__, owner.__doc__ if title == owner.__name__ else None
    return made
