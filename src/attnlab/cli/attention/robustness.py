"""attnlab robustness: what noise in the keys does to an average of two."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import tyro
from tyro.conf import arg

from attnlab.cli.parsing import WithSettings, Words, with_typed
from attnlab.progress import TerminalObserver

if TYPE_CHECKING:
    from attnlab.benches.attention.noise import Robustness as Record


@dataclass(frozen=True)
class Robustness(WithSettings):
    """What noise in the keys does to an average of two values.

    Of n orthonormal keys two, a and b, are to be averaged: c = ½(v_a + v_b). One head asks with C(μ_a + μ_b), two heads
    with Cμ_a and Cμ_b. Noisy keys are k = (1 + γ)μ. Prints the weights on a, b and the others, and the error
    E‖c − ½(v_a + v_b)‖², exact wherever the noise has at most three directions. The table has the usual scales C, with
    the given one marked.

    Example: attnlab robustness --keys 10 --scale 5 --heads 2 --plot spread.html
    """

    dotted: ClassVar[tuple[str, ...]] = ()

    plot: Annotated[Path | None, arg(metavar="FILE", help_behavior_hint="")] = None
    """Draw the spread of the weight on a and the error against the scale: a .png, .svg or .html file."""
    words: Annotated[Words, tyro.conf.Suppress] = field(default_factory=dict)
    json: bool = False
    """Print one JSON value for the given scale instead of a table over scales."""

    @classmethod
    def plain(cls) -> type:
        """All settings have no dot."""
        from attnlab.benches.attention.settings import RobustnessSettings

        return RobustnessSettings

    def defaults(self) -> dict[str, dict[str, Any]]:
        """The settings that hold where nothing else is typed."""
        return {"": {"the keys, the queries and the averaging": self.plain()()}}

    def run(self) -> Record:
        """The weights and the error at the given scale."""
        from attnlab.benches.attention.noise import robustness
        from attnlab.benches.attention.settings import RobustnessSettings

        return robustness(with_typed("", RobustnessSettings(), self.words), TerminalObserver())
