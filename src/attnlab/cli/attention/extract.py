"""attnlab extract: find the matrix that recovers v_a from v_a + v_b."""

from pathlib import Path
from typing import Annotated

from attnlab.cli.command import Command, OutFile, command, shown
from attnlab.records import Record


@command
class Extract(Command):
    """Find the matrix M with M(v_a + v_b) = v_a, for v_a and v_b in two known spans.

    Each file (.npy, .csv or .safetensors) holds, as columns, vectors that span the space. If there is no such matrix,
    the command shows a direction that both spans share, and the exit code is 1.

    Example: attnlab extract --a a.csv --b b.csv
    """

    a: Annotated[Path, shown("FILE")]
    """The file of vectors, one in each column, whose span holds v_a."""
    b: Annotated[Path, shown("FILE")]
    """The file of vectors, one in each column, whose span holds v_b."""
    plot: OutFile = None
    """Draw the matrix as a heat map: a .png, .svg or .html file."""

    def run(self) -> Record:
        """The projector, or the shared direction."""
        from attnlab.benches.attention.extract import extract

        return extract(self.a, self.b)
