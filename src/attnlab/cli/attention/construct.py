"""attnlab construct: Q, K and V that do what is wanted, or what given ones do."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tyro.conf import arg

if TYPE_CHECKING:
    from attnlab.benches.attention.self_attention import Constructed, Evaluated


@dataclass(frozen=True)
class Construct:
    """Q, K and V for self-attention on inputs that are sums of orthogonal parts; or what given ones do.

    With --wants it finds matrices that give these outputs as the parts' norm β grows, or says why there are none (exit
    code 1); a given --V or --K is kept. Without, it evaluates the given matrices, each of them I unless given.

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
    plot: Annotated[Path | None, arg(metavar="FILE", help_behavior_hint="")] = None
    """Draw the attention weights as a heat map: a .png, .svg or .html file."""
    json: bool = False
    """Print one JSON value instead of text."""

    def run(self) -> Constructed | Evaluated:
        """The construction, why there is none, or the outputs of the given matrices."""
        from attnlab.benches.attention.self_attention import construct

        return construct(self.inputs, self.wants or None, self.Q, self.K, self.V, self.beta)
