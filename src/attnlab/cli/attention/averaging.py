"""attnlab robustness and attnlab remedies: what noise in the keys does to an average of two values, and what helps."""

from typing import ClassVar

from attnlab.cli.command import OutFile, WithSettings, command
from attnlab.observers import TerminalObserver
from attnlab.records import Record


@command
class Robustness(WithSettings):
    """What noise in the keys does to an average of two values.

    Attention should average the values of two among n orthonormal keys: c = ½(v_a + v_b). One head uses the query
    C(μ_a + μ_b), two heads use Cμ_a and Cμ_b. Noisy keys are k = (1 + γ)μ. The command prints the weights on a, b and
    the other keys, and the error E‖c − ½(v_a + v_b)‖². It is exact if the noise has at most three directions. The table
    shows the usual scales C and marks the given one.

    Example: attnlab robustness --keys 10 --scale 5 --heads 2 --plot spread.html
    """

    plain_class: ClassVar[str] = "benches.attention.settings:RobustnessSettings"

    plot: OutFile = None
    """Draw the distribution of the weight on a, and the error against the scale: a .png, .svg or .html file."""
    json: bool = False
    """Print one JSON value for the given scale instead of a table over scales."""

    def run(self) -> Record:
        """The weights and the error at the given scale."""
        from attnlab.benches.attention.robustness import robustness

        return robustness(self.settings(), TerminalObserver())


@command
class Remedies(WithSettings):
    """What helps against noisy keys, and by how much.

    The task is that of `attnlab robustness`: average two values although some keys are noisy. Each row is one remedy:
    the best scale, two heads, normalised keys, 1 added to the softmax's denominator, or queries that minimise the exact
    error. The row shows the error that remains, and how many times smaller it is than with a large scale, the usual
    advice.

    Example: attnlab remedies --keys 10 --norm-variance 0.5
    """

    plain_class: ClassVar[str] = "benches.attention.settings:RemediesSettings"

    plot: OutFile = None
    """Draw the errors as bars: a .png, .svg or .html file."""

    def run(self) -> Record:
        """The remedies and their errors."""
        from attnlab.benches.attention.remedies import remedies

        return remedies(self.settings(), TerminalObserver())
