"""attnlab robustness and attnlab remedies: what noise in the keys does to an average of two values, and what helps."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tyro.conf import arg

from attnlab.cli.parsing import WithSettings, with_typed
from attnlab.observers import TerminalObserver

if TYPE_CHECKING:
    from attnlab.benches.attention.remedies import Remedies as RemediesRecord
    from attnlab.benches.attention.robustness import Robustness as RobustnessRecord


@dataclass(frozen=True)
class Robustness(WithSettings):
    """What noise in the keys does to an average of two values.

    Attention should average the values of two among n orthonormal keys: c = ½(v_a + v_b). One head uses the query
    C(μ_a + μ_b), two heads use Cμ_a and Cμ_b. Noisy keys are k = (1 + γ)μ. The command prints the weights on a, b and
    the other keys, and the error E‖c − ½(v_a + v_b)‖². It is exact if the noise has at most three directions. The table
    shows the usual scales C and marks the given one.

    Example: attnlab robustness --keys 10 --scale 5 --heads 2 --plot spread.html
    """

    plot: Annotated[Path | None, arg(metavar="FILE", help_behavior_hint="")] = None
    """Draw the distribution of the weight on a, and the error against the scale: a .png, .svg or .html file."""
    json: bool = False
    """Print one JSON value for the given scale instead of a table over scales."""

    @classmethod
    def plain(cls) -> type:
        """No setting has a dot."""
        from attnlab.benches.attention.settings import RobustnessSettings

        return RobustnessSettings

    def run(self) -> RobustnessRecord:
        """The weights and the error at the given scale."""
        from attnlab.benches.attention.robustness import robustness

        return robustness(with_typed("", self.plain()(), self.words), TerminalObserver())


@dataclass(frozen=True)
class Remedies(WithSettings):
    """What helps against noisy keys, and by how much.

    The task is that of `attnlab robustness`: average two values although some keys are noisy. Each row is one remedy:
    the best scale, two heads, normalised keys, 1 added to the softmax's denominator, or queries that minimise the exact
    error. The row shows the error that remains, and how many times smaller it is than with a large scale, the usual
    advice.

    Example: attnlab remedies --keys 10 --norm-variance 0.5
    """

    plot: Annotated[Path | None, arg(metavar="FILE", help_behavior_hint="")] = None
    """Draw the errors as bars: a .png, .svg or .html file."""
    json: bool = False
    """Print one JSON value instead of a table."""

    @classmethod
    def plain(cls) -> type:
        """No setting has a dot."""
        from attnlab.benches.attention.settings import RemediesSettings

        return RemediesSettings

    def run(self) -> RemediesRecord:
        """The remedies and their errors."""
        from attnlab.benches.attention.remedies import remedies

        return remedies(with_typed("", self.plain()(), self.words), TerminalObserver())
