"""Constructed self-attention: find Q, K and V for inputs that are sums of orthogonal parts, or evaluate matrices."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar

import torch
from torch import Tensor

from attnlab.arguments import checked
from attnlab.attention import Impossible
from attnlab.attention.constructions import (
    Construction,
    Inputs,
    Obstacle,
    SelfAttention,
    error_bounds,
    evaluate,
    format_matrix,
    format_sum,
    limit,
    solve,
)
from attnlab.benches.attention.matrices import MatrixLike
from attnlab.benches.attention.sums import (
    EVERY_DIGIT,
    read_inputs,
    read_square,
    read_wants,
    write_inputs,
    write_wants,
)
from attnlab.calls import Call
from attnlab.errors import ArgumentError
from attnlab.records import Called, record

BETA = 10.0


@record
class Constructed(Called):
    """Q, K and V that give the wanted outputs as the norm β of the parts grows; or the reason why there are none."""

    shown_by: ClassVar[str] = "attention.noise_and_designs.constructed"

    inputs: Inputs
    found: Construction | Impossible[Obstacle]
    beta: float

    @property
    def holds(self) -> bool:
        """Whether there are such matrices."""
        return isinstance(self.found, Construction)

    @property
    def written(self) -> dict[str, str]:
        """The matrices as people write them, by name; empty if there are none."""
        if isinstance(self.found, Impossible):
            return {}
        return {name: format_matrix(getattr(self.found, name), self.inputs.parts) for name in ("Q", "K", "V")}

    @property
    def outputs(self) -> dict[str, str]:
        """The wanted outputs as people write them, by name, c1 first."""
        if isinstance(self.found, Impossible):
            return {}
        rows = self.found.limit.outputs
        return {f"c{row + 1}": format_sum(rows[row], self.inputs.parts) for row in sorted(self.found.attends)}

    @property
    def attends(self) -> dict[str, list[str]]:
        """The inputs that each wanted output attends to."""
        if isinstance(self.found, Impossible):
            return {}
        attended = self.found.attends
        return {f"c{row + 1}": [f"x{place + 1}" for place in attended[row]] for row in sorted(attended)}

    @cached_property
    def weights(self) -> list[list[float]]:
        """The attention weights at β, a row for each input; empty if there are no matrices."""
        found = self.found
        if isinstance(found, Impossible):
            return []
        return evaluate(self.inputs, found.Q, found.K, found.V, beta=self.beta).weights.tolist()

    def to_dict(self) -> dict[str, Any]:
        """The matrices and their error; or the reason why there are none."""
        found = self.found
        if isinstance(found, Impossible):
            return {"possible": False, "reason": found.reason, "kind": type(found.certificate).__name__}
        return {
            "possible": True,
            **self.written,
            "parts": list(self.inputs.parts),
            "matrices": {name: getattr(found, name).tolist() for name in ("Q", "K", "V")},
            "attends": self.attends,
            "beta": self.beta,
            "error": found.error,
            "error_bound": found.error_bound,
        }


@record
class Evaluated(Called):
    """The effect of given matrices: the outputs as the norm β of the parts grows, and weights and outputs at one β."""

    shown_by: ClassVar[str] = "attention.noise_and_designs.evaluated"

    inputs: Inputs
    limit: SelfAttention
    found: SelfAttention
    error_bound: float
    """The largest possible distance of an output from its limit, in units of β."""

    @property
    def beta(self) -> float:
        """The norm of the parts."""
        return self.found.beta

    @property
    def outputs(self) -> dict[str, str]:
        """The outputs in the limit as people write them, by name."""
        return {f"c{row + 1}": format_sum(each, self.inputs.parts) for row, each in enumerate(self.limit.outputs)}

    @property
    def weights(self) -> list[list[float]]:
        """The attention weights at β, a row for each input."""
        return self.found.weights.tolist()

    def to_dict(self) -> dict[str, Any]:
        """The outputs in the limit, and weights and outputs at β."""
        return {
            "parts": list(self.inputs.parts),
            "limit": self.outputs,
            "beta": self.beta,
            "weights": self.weights,
            "outputs": self.found.outputs.tolist(),
            "error_bound": self.error_bound,
        }


@checked
def construct(
    inputs: str | Inputs | MatrixLike,
    wants: str | Mapping[int, Any] | None = None,
    Q: str | MatrixLike | None = None,
    K: str | MatrixLike | None = None,
    V: str | MatrixLike | None = None,
    beta: float = BETA,
) -> Constructed | Evaluated:
    """Find Q, K and V that give the wanted outputs; without wants, evaluate the given matrices (default: I).

    Inputs, wants and matrices are texts, or numbers in part coordinates: a row for each input, and each wanted output
    by the number of its input, from 0. A given K or V is kept.

    >>> construct("x1 = d + b; x2 = a; x3 = c + b", "c2 = b; c1 = b - c").attends
    {'c1': ['x3'], 'c2': ['x1']}
    """
    rows = read_inputs(inputs)
    given = {name: each for name, each in (("Q", Q), ("K", K), ("V", V)) if each is not None}
    matrices = {name: read_square(name, each, rows) for name, each in given.items()}
    if wants is None:
        return _evaluated(rows, matrices, beta, _call(write_inputs(inputs, rows), matrices, rows, beta))
    if Q is not None:
        raise ArgumentError("Q", "cannot be given together with wants: wants asks for a Q")
    wanted = read_wants(wants, rows)
    found = solve(rows, wanted, V=matrices.get("V"), K=matrices.get("K"), beta=beta)
    call = _call(write_inputs(inputs, rows), matrices, rows, beta, {"wants": write_wants(wants, wanted, rows)})
    return Constructed(rows, found, beta, made_by=call)


def _evaluated(inputs: Inputs, matrices: Mapping[str, Tensor], beta: float, call: Call) -> Evaluated:
    identity = torch.eye(len(inputs.parts), dtype=torch.float64)
    Q, K, V = (matrices.get(name, identity) for name in ("Q", "K", "V"))
    end, found = limit(inputs, Q, K, V), evaluate(inputs, Q, K, V, beta=beta)
    return Evaluated(inputs, end, found, float(error_bounds(inputs, Q, K, V, beta=beta).max()), made_by=call)


def _call(
    text: str, matrices: Mapping[str, Tensor], inputs: Inputs, beta: float, more: Mapping[str, str] | None = None
) -> Call:
    """The call with these inputs and matrices, written with every digit."""
    written = {name: format_matrix(each, inputs.parts, digits=EVERY_DIGIT) for name, each in matrices.items()}
    return Call(
        "construct", options={"inputs": text, **written, **({} if beta == BETA else {"beta": beta}), **(more or {})}
    )
