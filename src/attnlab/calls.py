"""A call makes a record. It is written as a command line and as Python, from the same arguments: so the two cannot
differ, and neither names an option that is gone.

>>> call = Call("train", ("notes.txt",), {"model": {"kind": "ngram", "order": 3}, "tokens": {"kind": "characters"}})
>>> call.command
'attnlab train notes.txt --model ngram --model.order 3 --tokens characters'
>>> print(call.python)
import attnlab as al
al.train("notes.txt", model={"kind": "ngram", "order": 3}, tokens="characters")
"""

import json
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from numbers import Integral
from typing import Any

from attnlab.settings import as_typed


class Weights(dict[Any, float]):
    """Numbers by name. The command line takes them as NAME=NUMBER,NAME=NUMBER."""


@dataclass(frozen=True)
class GivenInput:
    """An input that was given as a value. The command line, which takes a file, writes it into one first."""

    file: str
    content: str
    python: str
    """The value in Python."""


@dataclass(frozen=True)
class OptionWord:
    """An argument without a name in Python, which is an option of the command line."""

    option: str
    value: Any


@dataclass(frozen=True)
class Call:
    """A verb, its arguments, and the options that differ from the usual ones, by their names in Python."""

    verb: str
    """The words of the command: "heads look"."""
    given: tuple[Any, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    function: str = ""
    """The function of the front door, if it has another name than the verb. `open().sample` is a method of the model
    that the first argument names."""

    @property
    def command(self) -> str:
        """The command line, after commands that write the inputs that were given as values."""
        inputs = {each.file: each for each in _flat((*self.given, *self.options.values()))}
        lines = [f"printf %s {shlex.quote(each.content)} > {shlex.quote(each.file)}" for each in inputs.values()]
        return " && ".join([*lines, shlex.join(["attnlab", *self.words])])

    @property
    def words(self) -> list[str]:
        """The words of the command line after `attnlab`, without quotes."""
        named = {each.option: each.value for each in self.given if isinstance(each, OptionWord)} | dict(self.options)
        options = [word for name, value in named.items() for word in _option_words(name, value)]
        plain = [_word(each) for each in self.given if not isinstance(each, OptionWord)]
        if any(each.startswith("-") for each in plain):  # else they would be read as options
            return [*self.verb.split(), *options, "--", *plain]
        return [*self.verb.split(), *plain, *options]

    @property
    def python(self) -> str:
        """The Python that makes the record."""
        function, given = self.function or self.verb.replace(" ", "."), [literal(each) for each in self.given]
        if "()" in function:
            function = function.replace("()", f"({given.pop(0)})")
        named = [f"{name}={literal(_short(value))}" for name, value in self.options.items()]
        return f"import attnlab as al\nal.{function}({', '.join([*given, *named])})"


def given_matrix(name: str, rows: Sequence[Sequence[float]]) -> GivenInput:
    """A matrix that was given as numbers."""
    content = "".join(f"{','.join(map(repr, row))}\n" for row in rows)
    return GivenInput(_file(name, content, "csv"), content, literal(rows))


def given_text(name: str, content: str, python: str = "") -> GivenInput:
    """A text that was given as a string; `python` is its value if that is not the string itself."""
    file = re.sub(r"[^\w.-]+", "-", name.removesuffix(".txt"))[:60]
    return GivenInput(_file(file, content, "txt"), content, python or literal(content))


def _file(name: str, content: str, ending: str) -> str:
    """The name of a file for such an input. It has a hash of the content: the command then overwrites no other file."""
    return f"given-{name}-{sha256(content.encode(errors='surrogatepass')).hexdigest()[:8]}.{ending}"


def _flat(values: Sequence[Any]) -> Iterator[GivenInput]:
    for each in values:
        if isinstance(each, GivenInput):
            yield each
        elif isinstance(each, OptionWord):
            yield from _flat([each.value])
        elif isinstance(each, list):
            yield from _flat(each)


def _option_words(name: str, value: Any) -> list[str]:
    option = f"--{name.replace('_', '-')}"
    if value is True:
        return [option]
    if isinstance(value, Mapping) and not isinstance(value, Weights):
        kind = [option, value["kind"]] if "kind" in value else []
        parts = (_option_words(f"{name}.{part}", each) for part, each in value.items() if part != "kind")
        return [*kind, *(word for words in parts for word in words)]
    if isinstance(value, list) and not isinstance(value[0], list):
        return [option, *map(_word, value)]
    word = _word(value)
    return [f"{option}={word}"] if word.startswith("-") else [option, word]


def _word(value: Any) -> str:
    """A value as it is typed."""
    if isinstance(value, GivenInput):
        return value.file
    if isinstance(value, Weights):
        return ",".join(f"{name}={number!r}" for name, number in value.items())
    if isinstance(value, list):
        return ";".join(",".join(map(repr, row)) for row in value)
    return as_typed(value)


def _short(value: Any) -> Any:
    """A kind without settings is given by its name alone, and a single word of several by itself."""
    if isinstance(value, Mapping) and set(value) == {"kind"}:
        return value["kind"]
    return value[0] if isinstance(value, list) and len(value) == 1 and not isinstance(value[0], list) else value


def literal(value: Any) -> str:
    """A value as it is written in Python, with double quotes."""
    if isinstance(value, GivenInput):
        return value.python
    if isinstance(value, OptionWord):
        return literal(value.value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{literal(name)}: {literal(each)}" for name, each in value.items()) + "}"
    if isinstance(value, list):
        return f"[{', '.join(map(literal, value))}]"
    if isinstance(value, tuple):
        return f"({', '.join(map(literal, value))}{',' * (len(value) == 1)})"
    if value is None or isinstance(value, bool | float):
        return repr(value)
    return str(int(value)) if isinstance(value, Integral) else json.dumps(str(value), ensure_ascii=False)
