"""The schemas of answers, which /api/docs lists.

A route names the record that it returns, and the schema is made of what the record's class tells of its JSON. A class
is named "module:class" and looked up when somebody asks for the schemas, since the benches are imported after the page
is up. No answer is checked when it is sent, which would take time: a test checks the answers of all routes.
"""

from collections.abc import Iterator
from functools import reduce
from operator import or_
from typing import Any

from fastapi import FastAPI
from pydantic import TypeAdapter

from attnlab.contents import content_of, type_of
from attnlab.studio.errors import error_object

REFERENCE = "#/components/schemas/"
ERROR = "error_object"
ERRORS: dict[int | str, dict[str, Any]] = {
    "default": {
        "description": "What is wrong",
        "content": {"application/json": {"schema": {"$ref": f"{REFERENCE}{ERROR}"}}},
    }
}
"""What every route answers if something is wrong."""


class ContentOf:
    """Metadata of JSON in an answer: the record or the function that makes it, or its content with a title."""

    def __init__(self, told: Any, title: str = ""):
        self.told, self.title = told, title

    def type(self) -> Any:
        """The type of the JSON."""
        return type_of(self.told, type(self), self.title)

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> Any:
        """Its schema."""
        return handler(TypeAdapter(self.type()).core_schema)


class ResultOf(ContentOf):
    """Metadata of the result of a job of one of these kinds; of any kind, if none is named."""

    def __init__(self, *works: str):
        self.works = works

    def type(self) -> Any:
        """The type of the result."""
        from attnlab.studio.work import WORK

        return reduce(or_, (content_of(WORK[each]) for each in self.works or WORK))


def published(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI document of the application. An object in an answer has no other values than those that are listed,
    and all of them, unless they are marked as optional."""
    if app.openapi_schema is None:
        made = app.openapi()
        schemas = made["components"]["schemas"]
        schemas[ERROR] = TypeAdapter(content_of(error_object)).json_schema()
        operations = [each for methods in made["paths"].values() for each in methods.values()]
        asked = set(_within([each.get("requestBody") for each in operations], schemas))
        told = [each["responses"] for each in operations]
        close([told, *(schemas[name] for name in _within(told, schemas) if name not in asked)])
    return app.openapi_schema or {}


def _within(value: Any, schemas: dict[str, Any]) -> Iterator[str]:
    """The names of the schemas that a value refers to, and those that they refer to."""
    seen: set[str] = set()
    left = [value]
    while left:
        for each in _objects(left.pop()):
            name = str(each.get("$ref", "")).removeprefix(REFERENCE)
            if name and name not in seen:
                seen.add(name)
                left.append(schemas[name])
                yield name


def close(value: Any) -> None:
    """Forbid all values that are not listed. A value with a default is always sent."""
    for each in _objects(value):
        if isinstance(each.get("properties"), dict):
            each["additionalProperties"] = False
            sent = [name for name, about in each["properties"].items() if "default" in about]
            each["required"] = [*dict.fromkeys([*each.get("required", []), *sent])]


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    """The JSON objects in a value, at any depth."""
    if isinstance(value, dict):
        yield value
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _objects(each)
