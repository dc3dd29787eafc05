"""attnlab construct: find Q, K and V for wanted outputs, or evaluate given matrices."""

from typing import Annotated

from attnlab.cli.command import Command, OutFile, command, shown
from attnlab.records import Record


@command
class Construct(Command):
    """Find Q, K and V of a self-attention for wanted outputs, or evaluate given matrices.

    The inputs are sums of orthogonal parts of norm β. With --wants, the command finds matrices whose outputs approach
    the wanted ones as β grows, or shows why there are no such matrices (exit code 1). It keeps a given --V or --K.
    Without --wants, it evaluates the given matrices; a matrix that is not given is I.

    Example: attnlab construct --inputs "x1 = d + b; x2 = a; x3 = c + b" --wants "c2 = b; c1 = b - c"
    """

    inputs: Annotated[str, shown("SUMS")]
    """The inputs as sums of parts: "x1 = d + b; x2 = a; x3 = c + b"."""
    wants: Annotated[str, shown("SUMS")] = ""
    """The wanted outputs: "c2 = b; c1 = b - c"."""
    Q: Annotated[str | None, shown("MATRIX")] = None
    """A matrix: "(u_d u_a^T + u_c u_d^T)/β²", "I" or "0"."""
    K: Annotated[str | None, shown("MATRIX")] = None
    """A matrix, as --Q."""
    V: Annotated[str | None, shown("MATRIX")] = None
    """A matrix, as --Q."""
    beta: float = 10.0
    """The norm of the parts at which the error is computed."""
    plot: OutFile = None
    """Draw the attention weights as a heat map: a .png, .svg or .html file."""

    def run(self) -> Record:
        """The construction, the reason why it is impossible, or the outputs of the given matrices."""
        from attnlab.benches.attention.construct import construct

        return construct(self.inputs, self.wants or None, self.Q, self.K, self.V, self.beta)
