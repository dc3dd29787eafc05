"""A problem: given symbols, unknowns and wanted equations. docs/answers.md explains the file of a problem."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from attnlab.answers.parsing.nodes import Node
from attnlab.answers.parsing.shapes import SCALAR, NoValueError, Shape, Symbols, shape_of
from attnlab.calls import OptionWord

Kind = Literal[
    "orthonormal",
    "identity",
    "integers",
    "numbers",
    "positive",
    "distribution",
    "prime",
    "normal",
    "noise",
    "small",
]
KNOWN_TO_ALL: tuple[Kind, ...] = (
    "orthonormal",
    "identity",
    "numbers",
    "positive",
    "distribution",
    "prime",
    "small",
)
LARGE = ("C", "t", "β", "λ", "κ", "τ", "s")
"""Names of large constants, unless a problem uses the letter for something else."""
EULER = {"e": 2.718281828459045, "π": 3.141592653589793}


@dataclass(frozen=True)
class Symbol:
    """A given symbol. Its kind says how its numbers are made:

    orthonormal  orthogonal columns of length 1 (or `norm`), also orthogonal to those of `orthogonal_to`
    identity     the identity matrix
    integers     random whole numbers, never 0, that an answer cannot use
    numbers      random fractions, never 0
    positive     random fractions between 0 and ½
    distribution random fractions between 0 and 1 that sum to 1
    prime        a random prime number
    normal       a Gaussian number of mean 0 and the given variance, random in every draw
    noise        Gaussian entries of mean 0; `variance` names the symbol of their variance
    small        a variance that goes to 0; `shown` is its number where one is needed
    """

    kind: Kind
    shape: Shape
    says: str = ""
    norm: str = ""
    orthogonal_to: str = ""
    variance: float | str = 0.0
    shown: float = 0.0


@dataclass(frozen=True)
class Wanted:
    """A wanted equation: left = right exactly, or left ≈ right as the large constants grow."""

    left: Node
    right: Node
    exact: bool


@dataclass(frozen=True)
class Sample:
    """An answer whose verdict the problem's author knows."""

    answer: str
    verdict: str


@dataclass(frozen=True, eq=False)  # compared by identity, so that problems can be keys of a cache
class Problem:
    """A question, and all that is needed to test an answer to it."""

    name: str
    title: str
    question: str
    sizes: tuple[Mapping[str, int], ...]
    members: Mapping[str, tuple[str, ...]]
    aliases: Mapping[str, str]
    symbols: Mapping[str, Symbol]
    unknowns: Mapping[str, Shape]
    defaults: Mapping[str, Node]
    definitions: Mapping[str, tuple[Node, ...]]
    wanted: tuple[Wanted, ...]
    unit: Node
    shown_in: str
    given: Mapping[str, Node]
    predictions: tuple[str, ...]
    samples: tuple[Sample, ...]
    otherwise: tuple[tuple[Wanted, ...], ...] = ()
    """Other sets of wanted equations: an answer that makes one of them true is right, too."""
    condition: Node | None = None
    """The difference that must be large, for an answer such as k_jᵀq ≫ k_iᵀq."""
    known: tuple[str, ...] = ()
    """Definitions that an answer may use: they do not depend on the unknowns."""
    elementwise: bool = False
    """Whether 1 − h is 1 minus every entry of h."""
    exact: bool = False
    """Whether a prediction must be an equality: a limit is not enough."""
    columns_too: tuple[str, ...] = ()
    """Predictions that an answer may also write with columns instead of rows: the result is the same, since it is
    symmetric."""
    file: str = ""
    """The problem's file; empty for the lab's own problems."""

    @property
    def argument(self) -> str | OptionWord:
        """The problem as an argument of a call: its name, or its file."""
        return OptionWord("problem", self.file) if self.file else self.name

    def large(self, declared: frozenset[str] = frozenset()) -> tuple[str, ...]:
        """The large constants: the usual letters, constants that an answer declares large, and large norms."""
        norms = [symbol.norm for symbol in self.symbols.values() if symbol.norm]
        free = [each for each in (*LARGE, *sorted(declared)) if each not in self.symbols and each not in self.unknowns]
        return tuple(dict.fromkeys([*norms, *free]))

    def table(self, declared: frozenset[str] = frozenset(), *, random: bool = False) -> Symbols:
        """The symbols that an answer may use: those known in advance, and for a prediction the random ones too."""
        known = {name: symbol.shape for name, symbol in self.symbols.items() if random or symbol.kind in KNOWN_TO_ALL}
        if self.known:
            shapes = self.defined(declared).shapes
            known |= {name: shapes[name] for name in self.known}
        return Symbols({**known, **self._numbers(declared)}, self.members, self.aliases, self.elementwise)

    def whole_table(self, declared: frozenset[str] = frozenset()) -> Symbols:
        """All symbols and unknowns, without the problem's definitions."""
        shapes = {name: symbol.shape for name, symbol in self.symbols.items()}
        shapes |= {**self._numbers(declared), **self.unknowns}
        return Symbols(shapes, self.members, self.aliases, self.elementwise)

    @lru_cache(maxsize=256)  # noqa: B019 (problems are few, and live as long as the program)
    def defined(self, declared: frozenset[str] = frozenset()) -> Symbols:
        """All symbols, unknowns and definitions; raises `NoValueError` if a definition has no shape."""
        table = self.whole_table(declared)
        shapes = dict(table.shapes)
        for name, formulas in self.definitions.items():
            here = replace(table, shapes=shapes)
            found = {shape_of(formula, here) for formula in formulas}
            if len(found) > 1:
                raise NoValueError(f"the parts of {name} have different shapes")
            ((rows, columns),) = found
            if self.replaces(name, here) is None:
                side_by_side = [size for size, each in self.members.items() if len(each) == len(formulas)]
                if len(formulas) > 1 and not side_by_side:
                    raise NoValueError(f"{name} has {len(formulas)} parts, but no size has {len(formulas)} members")
                shapes[name] = (rows, columns if len(formulas) == 1 else side_by_side[0])
        return replace(table, shapes=shapes)

    def replaces(self, name: str, table: Symbols) -> tuple[str, int] | None:
        """The family and the index of the vector that a definition replaces, such as k_a; None for a new symbol."""
        base, _, below = name.partition("_")
        members = self.members.get(table.shapes[base][1], ()) if base in table.shapes else ()
        return (base, members.index(below)) if below in members else None

    def _numbers(self, declared: frozenset[str]) -> dict[str, Shape]:
        names = [*self.large(declared), *self.sizes[0], *EULER]
        return dict.fromkeys(names, SCALAR)

    def draws(self) -> dict[str, Symbol]:
        """The symbols that are random in every draw."""
        return {name: symbol for name, symbol in self.symbols.items() if symbol.kind in ("normal", "noise")}

    def drawn(self) -> frozenset[str]:
        """The symbols that are numbers drawn at random, once for each instance."""
        kinds = ("integers", "numbers", "positive", "distribution", "prime")
        return frozenset(name for name, symbol in self.symbols.items() if symbol.kind in kinds)

    def families(self) -> dict[str, str]:
        """For each symbol of orthonormal vectors, the first symbol of its family: only `orthogonal_to` says how two of
        them lie to each other."""
        found: dict[str, str] = {}
        for name, symbol in self.symbols.items():
            if symbol.kind == "orthonormal":
                found[name] = found.get(symbol.orthogonal_to, name)
        return found

    def independent(self) -> int:
        """The number of families of vectors of which the problem does not say how they lie to each other."""
        return len({*self.families().values()})

    def small(self) -> dict[str, float]:
        """The variances that go to 0, with their numbers where one is needed."""
        return {name: symbol.shown for name, symbol in self.symbols.items() if symbol.kind == "small"}
