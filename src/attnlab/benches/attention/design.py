"""The query that copies or mixes keys, or the proof that there is no such query."""

import math
from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from torch import Tensor

from attnlab.arguments import checked
from attnlab.attention import Containment, Dependency, Design, Impossible, mix_query
from attnlab.benches.attention.matrices import MatrixLike, matrix_input, read_matrix
from attnlab.calls import Call, Weights
from attnlab.contents import Content, OneOf
from attnlab.errors import ArgumentError
from attnlab.records import Called, record

FOUND = Content(
    possible=Literal[True],
    query=list[float],
    weights=list[float],
    error=float,
    error_bound=float,
    leak=float,
    norm=float | None,
    scale=float | None,
    margin=float | None,
)
DEPENDENCY = Content(
    kind=Literal["dependency"], coefficients=list[float], wanted_log_ratio=float, shorter_than=float | None
)
CONTAINMENT = Content(
    kind=Literal["containment"],
    coefficients=list[float],
    span=list[float],
    leak=float,
    shorter_than=float | None,
    best_query=list[float],
    best_weights=list[float],
)
NONE = Content(possible=Literal[False], reason=str, certificate=OneOf(DEPENDENCY, CONTAINMENT))


@record
class Designed(Called):
    """A query and its weights on the keys; or the reason why there is none, with a certificate that can be checked."""

    shown_by: ClassVar[str] = "attention.noise_and_designs.designed"

    found: Design | Impossible[Containment | Dependency]
    wanted: tuple[float, ...]
    """The weight wanted for each key."""

    @property
    def holds(self) -> bool:
        """Whether there is such a query."""
        return isinstance(self.found, Design)

    @property
    def query(self) -> Tensor | None:
        """The query. If there is no such query, the closest one, if the proof has it."""
        if isinstance(self.found, Design):
            return self.found.query
        proof = self.found.certificate
        return proof.query if isinstance(proof, Containment) else None

    @property
    def weights(self) -> tuple[float, ...] | None:
        """The weight that the query gives to each key."""
        if isinstance(self.found, Design):
            return tuple(self.found.weights.tolist())
        proof = self.found.certificate
        return tuple(proof.weights.tolist()) if isinstance(proof, Containment) else None

    @OneOf(FOUND, NONE)
    def to_dict(self) -> dict[str, Any]:
        """The query and its weights; or the reason and the certificate."""
        found = self.found
        if isinstance(found, Impossible):
            return {"possible": False, "reason": found.reason, "certificate": _certificate(found.certificate)}
        return {
            "possible": True,
            "query": found.query.tolist(),
            "weights": found.weights.tolist(),
            "error": found.error,
            "error_bound": found.bound,
            "leak": found.leak,
            "norm": _finite(math.hypot(*found.query.tolist())),
            "scale": found.scale,
            "margin": _finite(found.margin),
        }


@checked
def design(
    keys: MatrixLike,
    copy: int | None = None,
    mix: Mapping[int, float] | None = None,
    tolerance: float | None = None,
    norm: float | None = None,
    tensor: str | None = None,
) -> Designed:
    """The query that copies one key, or gives keys the weights in `mix` and the others none. Keys are rows, numbered
    from 0, in a matrix or a file. Its length is the least that keeps every weight within the tolerance, or `norm`.

    >>> design([[1, 0], [0, 1], [-1, -1]], mix={0: 0.5, 1: 0.5}, tolerance=0.01).holds
    True
    >>> design([[0.0], [1.0], [2.0]], copy=1).holds
    False
    """
    if (copy is None) == (mix is None):
        got = "neither" if mix is None else "both"
        raise ArgumentError("copy", f"expected either copy=KEY or mix={{KEY: WEIGHT, …}}, got {got}")
    matrix = read_matrix("keys", keys, tensor)
    target = {copy: 1.0} if copy is not None else dict(mix or {})
    try:
        found = mix_query(matrix, target, tolerance=tolerance, norm=norm)
    except ArgumentError as error:
        asked = "mix" if copy is None else "copy"
        raise ArgumentError(asked if error.argument == "target" else error.argument, error.message) from error
    wanted = tuple(float(target.get(key, 0.0)) for key in range(len(matrix)))
    weights = None if mix is None else Weights({key: float(weight) for key, weight in mix.items()})
    asked = {"keys": matrix_input("keys", keys, matrix), "copy": copy, "mix": weights}
    how = asked | {"tolerance": tolerance, "norm": norm, "tensor": tensor}
    call = Call("design", options={name: each for name, each in how.items() if each is not None})
    return Designed(found, wanted, made_by=call)


def _certificate(proof: Containment | Dependency) -> dict[str, Any]:
    if isinstance(proof, Dependency):
        return {
            "kind": "dependency",
            "coefficients": proof.coefficients.tolist(),
            "wanted_log_ratio": proof.wanted_log_ratio,
            "shorter_than": _finite(proof.shorter_than),
        }
    return {
        "kind": "containment",
        "coefficients": proof.coefficients.tolist(),
        "span": proof.span.tolist(),
        "leak": proof.leak,
        "shorter_than": _finite(proof.shorter_than),
        "best_query": proof.query.tolist(),
        "best_weights": proof.weights.tolist(),
    }


def _finite(number: float) -> float | None:
    """None for infinity, which JSON does not have."""
    return number if number < math.inf else None
