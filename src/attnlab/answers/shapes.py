"""The shapes of formulas, in names of sizes: k_a is d×1, A is d×m, so Aᵀ is m×d for all d and m."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from attnlab.answers.formulas import FormulaError, UnknownSymbolError
from attnlab.answers.nodes import Node

Shape = tuple[str, str]
SCALAR: Shape = ("1", "1")
MOST_POWER = 20


class NoValueError(Exception):
    """A formula without a value, such as a product of shapes that do not fit. The verdict is then `fails`."""


@dataclass(frozen=True)
class Table:
    """The symbols a formula may use: their shapes, and the names of the columns of each size.

    A symbol of shape d×n is n vectors side by side; k_a is the vector named a.
    """

    shapes: Mapping[str, Shape]
    members: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    aliases: Mapping[str, str] = field(default_factory=dict)

    def find(self, name: str, bound: Mapping[str, str]) -> tuple[str, str | None]:
        """The symbol of a name, and the name of its column, or None for the whole symbol."""
        name = self.aliases.get(name, name)
        if name in self.shapes:
            return name, None
        base, _, below = name.partition("_")
        base = self.aliases.get(base, base)
        if base in self.shapes and below:
            size = self.shapes[base][1]
            if below in bound or below in self.members.get(size, ()):
                return base, below
        raise UnknownSymbolError(name, self._stranger(name, base, below))

    def _stranger(self, name: str, base: str, below: str) -> str:
        """The error message for a name that is not a symbol."""
        if base in self.shapes and self.members.get(self.shapes[base][1]) and not below:
            return f"{name} has an index: write {base}_{self.members[self.shapes[base][1]][0]}"
        return f"{name} is not a symbol of this problem; its symbols are {', '.join(self.names())}"

    def names(self) -> list[str]:
        """The symbols as answers write them."""
        found: list[str] = []
        for symbol, (_, columns) in self.shapes.items():
            below = self.members.get(columns)
            found += [f"{symbol}_{each}" for each in below] if below else [symbol]
        return found


def shape_of(node: Node, table: Table, bound: Mapping[str, str] | None = None) -> Shape:
    """The shape of a formula's value; raises if the formula has no value."""
    bound = bound or {}
    if node.op == "number":
        return SCALAR
    if node.op == "name":
        symbol, column = table.find(node.leaf, bound)
        rows, columns = table.shapes[symbol]
        return (rows, columns) if column is None else (rows, "1")
    if node.op == "each":
        index, left_out = node.leaf
        size = indexed_size(node, table)
        members = table.members.get(size, ())
        for each in left_out:
            if each not in members:
                raise FormulaError(f"{node}: {each} is not one of {', '.join(members) or 'the members'}")
        return shape_of(node.args[0], table, {**bound, index: size})
    return _combined(node, [shape_of(arg, table, bound) for arg in node.args])


def indexed_size(node: Node, table: Table) -> str:
    """The size that a sum's index runs over: the number of columns of the symbols with that index."""
    index, _ = node.leaf
    below = [each.partition("_") for each in node.args[0].names()]
    bases = [table.aliases.get(base, base) for base, _, under in below if under == index]
    sizes = {table.shapes[base][1] for base in bases if base in table.shapes}
    if len(sizes) != 1:
        raise FormulaError(f"{node}: expected a sum of symbols with the index {index}")
    return sizes.pop()


def _combined(node: Node, shapes: list[Shape]) -> Shape:
    match node.op:
        case "add":
            return _sum(node, shapes)
        case "times":
            return _product(node, shapes)
        case "transpose":
            return shapes[0][1], shapes[0][0]
        case "power":
            return _power(node, shapes)
        case "over" if shapes[1] != SCALAR:
            raise NoValueError(f"{node.args[1]} is {written(shapes[1])}: only division by a number is possible")
        case "call" if node.leaf == "norm":
            return SCALAR
        case "call" if node.leaf != "softmax" and shapes[0] != SCALAR:
            raise NoValueError(f"{node}: {node.args[0]} is {written(shapes[0])}, expected a number")
    return shapes[0]


def _sum(node: Node, shapes: list[Shape]) -> Shape:
    for shape, term in zip(shapes[1:], node.args[1:], strict=True):
        if shape != shapes[0]:
            first, other = written(shapes[0]), written(shape)
            raise NoValueError(f"{_bare(node.args[0])} is {first} and {_bare(term)} is {other}: they cannot be added")
    return shapes[0]


def _product(node: Node, shapes: list[Shape]) -> Shape:
    shape, before = shapes[0], str(node.args[0])
    for factor, right in zip(node.args[1:], shapes[1:], strict=True):
        if SCALAR in (shape, right):
            shape = right if shape == SCALAR else shape
        elif shape[1] == right[0]:
            shape = (shape[0], right[1])
        else:
            hint = f"; {before}ᵀ {factor} would be their dot product" if shape == right and shape[1] == "1" else ""
            raise NoValueError(
                f"{before} is {written(shape)} and {factor} is {written(right)}: they cannot be multiplied{hint}"
            )
        before = f"{before} {factor}"
    return shape


def _power(node: Node, shapes: list[Shape]) -> Shape:
    base, exponent = shapes
    if exponent != SCALAR:
        raise NoValueError(f"{node}: {node.args[1]} is {written(exponent)}, expected a number")
    if base == SCALAR:
        return SCALAR
    whole_power(node)
    if base[0] != base[1]:
        raise NoValueError(f"{node}: {node.args[0]} is {written(base)}; only a square matrix has powers and an inverse")
    return base


def whole_power(node: Node) -> int:
    """The exponent of a matrix: −1 for the inverse, or a small whole number."""
    exponent = node.args[1]
    sign, plain = (-1, exponent.args[0]) if exponent.op == "negate" else (1, exponent)
    if plain.op != "number" or plain.leaf.denominator != 1 or abs(plain.leaf) > MOST_POWER:
        raise FormulaError(f"{node}: expected a matrix to a whole power of at most {MOST_POWER}, such as A⁻¹ or A²")
    return sign * int(plain.leaf)


def written(shape: Shape) -> str:
    """A shape in words."""
    if shape == SCALAR:
        return "a number"
    return f"a vector of {shape[0]} numbers" if shape[1] == "1" else f"{shape[0]}×{shape[1]}"


def _bare(term: Node) -> Node:
    """A term without its sign."""
    return term.args[0] if term.op == "negate" else term
