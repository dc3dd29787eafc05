"""attnlab design: the query that copies a key, averages two or mixes several, or the proof that there is none."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from tyro.conf import arg

from attnlab.cli.outcome import Outcome
from attnlab.cli.usage import UsageError
from attnlab.errors import ArgumentError

if TYPE_CHECKING:
    from torch import Tensor

    from attnlab.attention import Containment, Dependency, Impossible
    from attnlab.attention import Design as Found

MOST_ROWS = 20


@dataclass(frozen=True)
class Design:
    """The query that copies a key, averages two or mixes several; or the proof that no query does.

    Keys are rows of a .npy, .csv or .safetensors file, numbered from 0. Exit code 1 says that no query does it.

    Example: attnlab design --keys keys.csv --mix 0=0.5,2=0.5
    """

    keys: Annotated[Path, arg(metavar="FILE")]
    """The file of keys, one a row."""
    copy: Annotated[int | None, arg(metavar="KEY", help_behavior_hint="")] = None
    """The key to copy."""
    mix: Annotated[str, arg(metavar="KEY=WEIGHT,…", help_behavior_hint="")] = ""
    """The weights wanted, such as 0=0.5,2=0.5; keys not named get none."""
    tolerance: Annotated[float | None, arg(metavar="FLOAT", help_behavior_hint="")] = None
    """How far a weight may be from the one wanted (0.001 if neither this nor a norm is given)."""
    norm: Annotated[float | None, arg(metavar="FLOAT", help_behavior_hint="")] = None
    """The length of the query, instead of a tolerance: the largest margin at that length."""
    tensor: Annotated[str | None, arg(metavar="NAME", help_behavior_hint="")] = None
    """The name of the tensor in a .safetensors file of several."""
    json: bool = False
    """Print one JSON value instead of text."""

    def run(self) -> Outcome:
        """The design, or why there is none."""
        from attnlab.attention import Impossible, mix_query
        from attnlab.data.matrices import load_matrix

        target = self._target()
        try:
            keys = load_matrix(self.keys, self.tensor)
            found = mix_query(keys, target, tolerance=self.tolerance, norm=self.norm)
        except ArgumentError as error:
            option = {"target": "mix" if self.mix else "copy", "name": "tensor"}.get(error.argument, error.argument)
            raise ArgumentError(option, error.message) from error
        return _impossible(found) if isinstance(found, Impossible) else _possible(found)

    def _target(self) -> dict[int, float]:
        if (self.copy is None) == (self.mix == ""):
            raise UsageError(
                f"expected --copy KEY or --mix KEY=WEIGHT,…, got {'neither' if self.mix == '' else 'both'}"
            )
        return {self.copy: 1.0} if self.copy is not None else parse_mix(self.mix)


def parse_mix(text: str) -> dict[int, float]:
    """The weights in `0=0.5,2=0.5`, by key.

    >>> parse_mix("0=0.5, 2=0.5")
    {0: 0.5, 2: 0.5}
    """
    target: dict[int, float] = {}
    for piece in text.split(","):
        key, _, weight = piece.partition("=")
        try:
            number, share = int(key), float(weight)
        except ValueError:
            raise ArgumentError("mix", f"expected KEY=WEIGHT such as 0=0.5, got {piece.strip()!r}") from None
        if number in target:
            raise ArgumentError("mix", f"key {number} is given twice")
        target[number] = share
    return target


def _possible(found: Found) -> Outcome:
    value = {
        "possible": True,
        "query": found.query.tolist(),
        "weights": found.weights.tolist(),
        "error": found.error,
        "error_bound": found.bound,
        "leak": found.leak,
        "norm": float(found.query.norm()),
        "scale": found.scale,
        "margin": found.margin if found.margin < float("inf") else None,
    }
    words = [
        f"query, of norm {value['norm']:.6g}: {_numbers(found.query)}",
        f"error {found.error:.3g}, proven to be at most {found.bound:.3g}: {_where(found)}",
    ]
    return Outcome(value, [*words, _weights_table(found.weights, found.target)])


def _impossible(found: Impossible[Containment | Dependency]) -> Outcome:
    from attnlab.attention import Containment

    proof = found.certificate
    value: dict[str, Any] = {"possible": False, "reason": found.reason}
    if isinstance(proof, Containment):
        value["certificate"] = {
            "kind": "containment",
            "coefficients": proof.coefficients.tolist(),
            "span": proof.span.tolist(),
            "leak": proof.leak,
            "best_query": proof.query.tolist(),
            "best_weights": proof.weights.tolist(),
        }
    else:
        value["certificate"] = {
            "kind": "dependency",
            "coefficients": proof.coefficients.tolist(),
            "wanted_log_ratio": proof.wanted_log_ratio,
        }
    return Outcome(value, [f"no query does this: {found.reason}"], holds=False)


def _where(found: Found) -> str:
    """Which weight is off by the error."""
    return f"the weight of key {int((found.weights - found.target).abs().argmax())} is that far from the one wanted"


def _weights_table(weights: Tensor, target: Tensor) -> Any:
    from rich.table import Table

    table = Table("key", "wanted", "reached")
    order = weights.sort(descending=True, stable=True).indices[:MOST_ROWS]
    for key in sorted(order.tolist()):
        table.add_row(str(key), f"{target[key]:g}", f"{weights[key]:.6g}")
    if len(weights) > MOST_ROWS:
        table.caption = f"the {MOST_ROWS} largest of {len(weights)}"
    return table


def _numbers(vector: Tensor) -> str:
    # What is a rounding of the largest coordinate is shown as 0.
    clean = vector.where(vector.abs() > 1e-12 * vector.abs().max(), 0.0)
    shown = ", ".join(f"{x:.6g}" for x in clean[:MOST_ROWS].tolist())
    return f"({shown}{', …' if len(vector) > MOST_ROWS else ''})"
