"""The shapes of formulas, in names of sizes: k_a is d×1, A is d×m, so Aᵀ is m×d for all d and m."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from attnlab.answers.parsing.complaints import FormulaError, UnknownSymbolError
from attnlab.answers.parsing.nodes import Node

Shape = tuple[str, str]
SCALAR: Shape = ("1", "1")
MOST_POWER = 20


class NoValueError(Exception):
    """A formula without a value, such as a product of shapes that do not fit. The verdict is then `fails`."""


@dataclass(frozen=True)
class Symbols:
    """The symbols a formula may use: their shapes, and the names of the columns of each size.

    A symbol of shape d×n is n vectors side by side; k_a is the vector named a. If the columns have no names, a_1 is the
    first column of a. In an elementwise problem, 1 − h subtracts every entry of h from 1, and ⊙, diag and functions of
    vectors such as σ and ln have values. Elsewhere they have none: the result would depend on the coordinates.
    """

    shapes: Mapping[str, Shape]
    members: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    aliases: Mapping[str, str] = field(default_factory=dict)
    elementwise: bool = False

    def find(self, name: str, bound: Mapping[str, str]) -> tuple[str, str | None]:
        """The symbol of a name, and the name of its column, or None for the whole symbol."""
        name = self.aliases.get(name, name)
        if name in self.shapes:
            return name, None
        base, _, below = name.partition("_")
        base = self.aliases.get(base, base)
        if base in self.shapes and below:
            size = self.shapes[base][1]
            members = self.members.get(size, ())
            numbered = size != "1" and not members and below.isdecimal() and not below.startswith("0")
            if below in bound or below in members or numbered:
                return base, below
        raise UnknownSymbolError(name, self._stranger(name, base, below))

    def place(self, symbol: str, column: str, bound: Mapping[str, int]) -> int:
        """The place of a column that `find` found, from 0; `bound` has the places of the indices of sums."""
        members = self.members.get(self.shapes[symbol][1], ())
        if column in bound:
            return bound[column]
        return members.index(column) if column in members else int(column) - 1

    def is_one(self, name: str) -> bool:
        """Whether a name is the number 1: \\mathbf{1} in an elementwise problem without an identity."""
        return name == "I" and self.elementwise and name not in self.shapes

    def _stranger(self, name: str, base: str, below: str) -> str:
        """The error message for a name that is not a symbol."""
        if base in self.shapes and self.members.get(self.shapes[base][1]) and not below:
            return f"{name} has an index: write {base}_{self.members[self.shapes[base][1]][0]}"
        constant = f"; if {name} is a large constant, write {name} ≫ 0" if len(name) == 1 and name.isupper() else ""
        return f"{name} is not a symbol of this problem; its symbols are {', '.join(self.names())}{constant}"

    def names(self) -> list[str]:
        """The symbols as answers write them."""
        found: list[str] = []
        for symbol, (_, columns) in self.shapes.items():
            below = self.members.get(columns)
            found += [f"{symbol}_{each}" for each in below] if below else [symbol]
        return found


def shape_of(node: Node, table: Symbols, bound: Mapping[str, str] | None = None) -> Shape:
    """The shape of a formula's value; raises if the formula has no value."""
    bound = bound or {}
    if node.op == "number":
        return SCALAR
    if node.op == "name" and table.is_one(node.leaf):
        return SCALAR
    if node.op == "name":
        symbol, column = table.find(node.leaf, bound)
        rows, columns = table.shapes[symbol]
        return (rows, columns) if column is None else (rows, "1")
    if node.op == "same":
        if not bound.keys() >= {*node.leaf}:
            raise FormulaError(f"{node}: expected δ only in a formula for one entry, such as ∂ŷ_i/∂θ_j")
        return SCALAR
    if node.op == "entries":
        return _entries(node, table, bound)
    if node.op in ("each", "product"):
        return _each(node, table, bound)
    return _combined(node, [shape_of(arg, table, bound) for arg in node.args], table)


def _each(node: Node, table: Symbols, bound: Mapping[str, str]) -> Shape:
    """The shape of a sum or a product over the members of a family."""
    index, left_out = node.leaf
    size = indexed_size(node, table)
    members = table.members.get(size, ())
    for each in left_out:
        if each not in members:
            raise FormulaError(f"{node}: {each} is not one of {', '.join(members) or 'the members'}")
    shape = shape_of(node.args[0], table, {**bound, index: size})
    if node.op == "product" and shape != SCALAR:
        raise NoValueError(f"{node}: {node.args[0]} is {written(shape)}, expected a number")
    return shape


def _entries(node: Node, table: Symbols, bound: Mapping[str, str]) -> Shape:
    """The shape of a matrix that is given by its entry."""
    for each in sorted(node.args[0].names()):
        base, _, below = each.partition("_")
        shape = table.shapes.get(table.aliases.get(base, base), SCALAR)
        for index, size in node.leaf:
            if below == index and shape[1] != size:
                raise NoValueError(f"{each}: the index {index} counts {size}, but {base} is {written(shape)}")
    (_, rows), (_, columns) = node.leaf
    entry = shape_of(node.args[0], table, {**bound, **{index: size for index, size in node.leaf if index}})
    if entry != SCALAR:
        raise NoValueError(f"{node} is {written(entry)}, but an entry is a number")
    return rows, columns


def indexed_size(node: Node, table: Symbols) -> str:
    """The size that a sum's index runs over: the number of columns of the symbols with that index."""
    (index, _), last = node.leaf, getattr(node.leaf, "last", "")
    below = [each.partition("_") for each in node.args[0].names()]
    bases = [table.aliases.get(base, base) for base, _, under in below if under == index]
    sizes = {table.shapes[base][1] for base in bases if base in table.shapes}
    if not bases:  # Σ_{i≠a,b} 1 is n − 2, if only one size has members
        sizes = {size for size, members in table.members.items() if members}
    if len(sizes) != 1:
        what = "sum" if node.op == "each" else "product"
        raise FormulaError(f"{node}: expected a {what} of symbols with the index {index}")
    size = sizes.pop()
    if last.isdigit() or (last in table.shapes and last != size):
        raise NoValueError(f"{node}: it ends at {last}, but there are {size} of these vectors")
    return size


def _combined(node: Node, shapes: list[Shape], table: Symbols) -> Shape:
    match node.op:
        case "add":
            return _sum(node, shapes, table)
        case "times":
            return _product(node, shapes)
        case "hadamard":
            return _elementwise_product(node, shapes, table)
        case "transpose":
            return shapes[0][1], shapes[0][0]
        case "power":
            return _power(node, shapes, table)
        case "over" if table.elementwise and SCALAR != shapes[1] in (shapes[0], *_outer(shapes)):
            return shapes[1]
        case "over" if shapes[1] != SCALAR:
            raise NoValueError(f"{node.args[1]} is {written(shapes[1])}: only division by a number is possible")
        case "call":
            return _call(node, shapes[0], table)
    return shapes[0]


def _call(node: Node, shape: Shape, table: Symbols) -> Shape:
    rows, columns = shape
    match node.leaf:
        case "norm":
            return SCALAR
        case "pinv":
            return columns, rows
        case "diag":
            if "1" not in shape:
                raise NoValueError(f"{node}: {node.args[0]} is {written(shape)}, expected a vector")
            _check_elementwise(node, table)
            return (rows, rows) if columns == "1" else (columns, columns)
        case "softmax":
            return shape
    if shape != SCALAR and not table.elementwise:
        raise NoValueError(f"{node}: {node.args[0]} is {written(shape)}, expected a number")
    return shape


def _check_elementwise(node: Node, table: Symbols) -> None:
    """Raise where vectors have no coordinates of their own, so that nothing can be done entry by entry."""
    if not table.elementwise:
        raise NoValueError(
            f"{node}: this problem does not fix the coordinates of its vectors, so ⊙ and diag have no value"
        )


def _sum(node: Node, shapes: list[Shape], table: Symbols) -> Shape:
    """The shape of a sum; in an elementwise problem, a number written in digits may be added to a vector."""
    kept = [
        (shape, term)
        for shape, term in zip(shapes, node.args, strict=True)
        if not (table.elementwise and _is_literal(term, table))
    ]
    for shape, term in kept[1:]:
        if shape != kept[0][0]:
            first, other = written(kept[0][0]), written(shape)
            raise NoValueError(f"{_bare(kept[0][1])} is {first} and {_bare(term)} is {other}: they cannot be added")
    return kept[0][0] if kept else SCALAR


def _is_literal(node: Node, table: Symbols) -> bool:
    """Whether a node is a number written in digits: 1, −1, ½ or \\mathbf{1}."""
    if node.op in ("negate", "over"):
        return all(_is_literal(arg, table) for arg in node.args)
    return node.op == "number" or (node.op == "name" and table.is_one(node.leaf))


def _elementwise_product(node: Node, shapes: list[Shape], table: Symbols) -> Shape:
    if shapes[0] != SCALAR:
        _check_elementwise(node, table)
    for shape, factor in zip(shapes[1:], node.args[1:], strict=True):
        if shape != shapes[0]:
            first, other = f"{node.args[0]} is {written(shapes[0])}", f"{factor} is {written(shape)}"
            raise NoValueError(f"{first} and {other}: ⊙ needs the same shape on both sides")
    return shapes[0]


def _product(node: Node, shapes: list[Shape]) -> Shape:
    shape, before, multiplied = shapes[0], str(node.args[0]), [node.args[0]]
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
        multiplied.append(factor)
        before = str(Node("times", tuple(multiplied)))
    return shape


def _outer(shapes: list[Shape]) -> list[Shape]:
    """The shape of a number over a vector, entry by entry."""
    return [shapes[1]] if shapes[0] == SCALAR and "1" in shapes[1] else []


def _power(node: Node, shapes: list[Shape], table: Symbols) -> Shape:
    base, exponent = shapes
    if table.elementwise and base == SCALAR:
        return exponent  # e^θ, entry by entry
    if table.elementwise and "1" in base and exponent == SCALAR:
        return base
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
