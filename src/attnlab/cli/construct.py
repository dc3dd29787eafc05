"""attnlab construct: Q, K and V that do what is wanted, or what given ones do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from tyro.conf import arg

from attnlab.cli.outcome import Outcome

if TYPE_CHECKING:
    from torch import Tensor

    from attnlab.attention.constructions import Inputs


@dataclass(frozen=True)
class Construct:
    """Q, K and V for self-attention on inputs that are sums of orthogonal parts; or what given ones do.

    With --wants it finds matrices that give these outputs as the parts' norm β grows, or says why there are none (exit
    code 1); a given --V or --K is kept. Without, it evaluates the given matrices (I where none is given).

    Example: attnlab construct --inputs "x1 = d + b; x2 = a; x3 = c + b" --wants "c2 = b; c1 = b - c"
    """

    inputs: str
    """The inputs as sums of parts: "x1 = d + b; x2 = a; x3 = c + b"."""
    wants: Annotated[str, arg(help_behavior_hint="")] = ""
    """The outputs wanted: "c2 = b; c1 = b - c"."""
    Q: Annotated[str | None, arg(metavar="STR", help_behavior_hint="")] = None
    """A matrix: "(u_d u_a^T + u_c u_d^T)/β²", "I" or "0"."""
    K: Annotated[str | None, arg(metavar="STR", help_behavior_hint="")] = None
    """A matrix, as --Q."""
    V: Annotated[str | None, arg(metavar="STR", help_behavior_hint="")] = None
    """A matrix, as --Q."""
    beta: float = 10.0
    """The norm of the parts at which the error is given."""
    json: bool = False
    """Print one JSON value instead of text."""

    def run(self) -> Outcome:
        """The construction, why there is none, or the outputs of the given matrices."""
        from attnlab.attention.constructions import parse_inputs, parse_matrix
        from attnlab.errors import ArgumentError

        inputs = parse_inputs(self.inputs)
        given = {name: getattr(self, name) for name in ("Q", "K", "V")}
        matrices = {n: None if text is None else parse_matrix(text, inputs.parts, name=n) for n, text in given.items()}
        if not self.wants:
            return self._evaluate(inputs, matrices)
        if self.Q is not None:
            raise ArgumentError("Q", "expected none beside --wants: Q is what is sought")
        return self._solve(inputs, matrices)

    def _solve(self, inputs: Inputs, matrices: dict[str, Tensor | None]) -> Outcome:
        from attnlab.attention import Impossible
        from attnlab.attention.constructions import format_matrix, format_sum, parse_wants, solve

        wants = parse_wants(self.wants, inputs)
        found = solve(inputs, wants, V=matrices["V"], K=matrices["K"], beta=self.beta)
        if isinstance(found, Impossible):
            value = {"possible": False, "reason": found.reason, "kind": type(found.certificate).__name__}
            return Outcome(value, [f"no Q, K, V do this: {found.reason}"], holds=False)
        written = {name: format_matrix(getattr(found, name), inputs.parts) for name in ("Q", "K", "V")}
        attends = {f"c{row + 1}": [f"x{i + 1}" for i in found.attends[row]] for row in sorted(found.attends)}
        value: dict[str, Any] = {"possible": True, **written, "parts": list(inputs.parts)}
        value |= {"matrices": {name: getattr(found, name).tolist() for name in ("Q", "K", "V")}, "attends": attends}
        value |= {"beta": self.beta, "error": found.error, "error_bound": found.error_bound}
        words = [f"{name} = {text}" for name, text in written.items()]
        for row, (name, read) in zip(sorted(found.attends), attends.items(), strict=True):
            words.append(
                f"{name} = {format_sum(found.limit.outputs[row], inputs.parts)}, read off {' and '.join(read)}"
            )
        words.append(f"at β = {self.beta:g} the outputs are within {found.error_bound:.2g} of that (in units of β)")
        return Outcome(value, words)

    def _evaluate(self, inputs: Inputs, matrices: dict[str, Tensor | None]) -> Outcome:
        import torch

        from attnlab.attention.constructions import error_bounds, evaluate, format_sum, limit

        identity = torch.eye(len(inputs.parts), dtype=torch.float64)
        Q, K, V = (identity if matrix is None else matrix for matrix in matrices.values())
        end, near = limit(inputs, Q, K, V), evaluate(inputs, Q, K, V, beta=self.beta)
        bound = float(error_bounds(inputs, Q, K, V, beta=self.beta).max())
        names = [f"c{row + 1}" for row in range(len(end.outputs))]
        outputs = {name: format_sum(row, inputs.parts) for name, row in zip(names, end.outputs, strict=True)}
        value = {
            "parts": list(inputs.parts),
            "limit": outputs,
            "beta": self.beta,
            "weights": near.weights.tolist(),
            "outputs": near.outputs.tolist(),
            "error_bound": bound,
        }
        words = ["as β grows:", *(f"  {name} = {text}" for name, text in outputs.items())]
        return Outcome(
            value, [*words, f"at β = {self.beta:g} the outputs are within {bound:.2g} of that (in units of β)"]
        )
