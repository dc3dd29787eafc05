"""attnlab extract: the matrix that takes v_a back out of v_a + v_b."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tyro.conf import arg

if TYPE_CHECKING:
    from attnlab.benches.attention.projectors import Extracted


@dataclass(frozen=True)
class Extract:
    """The matrix M with M(v_a + v_b) = v_a for v_a and v_b in two known spans; or the direction they share.

    Each file (.npy, .csv or .safetensors) holds vectors that span, as columns. Exit code 1 says that no matrix does it.

    Example: attnlab extract --a a.csv --b b.csv
    """

    a: Path
    """The vectors whose span holds v_a, a column each."""
    b: Path
    """The vectors whose span holds v_b, a column each."""
    plot: Annotated[Path | None, arg(metavar="FILE", help_behavior_hint="")] = None
    """Draw the matrix as a heat map: a .png, .svg or .html file."""
    json: bool = False
    """Print one JSON value instead of text."""

    def run(self) -> Extracted:
        """The projector, or the shared direction."""
        from attnlab.benches.attention.projectors import extract

        return extract(self.a, self.b)
