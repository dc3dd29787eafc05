"""attnlab remedies: what helps against noisy keys, and by how much."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import tyro
from tyro.conf import arg

from attnlab.cli.parsing import WithSettings, Words, with_typed
from attnlab.progress import TerminalObserver

if TYPE_CHECKING:
    from attnlab.benches.attention.cures import Remedies as Record


@dataclass(frozen=True)
class Remedies(WithSettings):
    """What helps against noisy keys, and by how much.

    The question is that of `attnlab robustness`: average two of n orthonormal keys though some are noisy. Each row is
    one remedy (the best scale, two heads, normalised keys, a softmax with 1 added below, queries found by minimising
    the exact error) with the error it leaves, and how many times less that is than the usual advice, a large scale.

    Example: attnlab remedies --keys 10 --norm-variance 0.5
    """

    dotted: ClassVar[tuple[str, ...]] = ()

    plot: Annotated[Path | None, arg(metavar="FILE", help_behavior_hint="")] = None
    """Draw the errors as bars: a .png, .svg or .html file."""
    words: Annotated[Words, tyro.conf.Suppress] = field(default_factory=dict)
    json: bool = False
    """Print one JSON value instead of a table."""

    @classmethod
    def plain(cls) -> type:
        """All settings have no dot."""
        from attnlab.benches.attention.settings import RemediesSettings

        return RemediesSettings

    def defaults(self) -> dict[str, dict[str, Any]]:
        """The settings that hold where nothing else is typed."""
        return {"": {"the keys and the search": self.plain()()}}

    def run(self) -> Record:
        """The remedies and their errors."""
        from attnlab.benches.attention.cures import remedies
        from attnlab.benches.attention.settings import RemediesSettings

        return remedies(with_typed("", RemediesSettings(), self.words), TerminalObserver())
