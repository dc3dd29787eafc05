"""attnlab design: find the query that copies or mixes keys, or prove that there is no such query."""

from pathlib import Path
from typing import Annotated

from tyro.conf import arg

from attnlab.cli.command import Command, OutFile, command, shown
from attnlab.errors import UsageError
from attnlab.records import Record


@command
class Design(Command):
    """Find the query that copies a key, or mixes several keys; or prove that there is no such query.

    Keys are the rows of a .npy, .csv or .safetensors file, numbered from 0. If there is no such query, the exit code
    is 1.

    Example: attnlab design --keys keys.csv --mix 0=0.5,2=0.5
    """

    keys: Annotated[Path, arg(metavar="FILE")]
    """The file of keys, one key in each row."""
    copy: Annotated[int | None, shown("KEY")] = None
    """The number of the key to copy."""
    mix: Annotated[str, shown("KEY=WEIGHT,…")] = ""
    """The wanted weights, such as 0=0.5,2=0.5; all other keys get weight 0."""
    tolerance: Annotated[float | None, shown("FLOAT")] = None
    """How far a weight may be from the wanted weight (default: 0.001, unless --norm is given)."""
    norm: Annotated[float | None, shown("FLOAT")] = None
    """The length of the query, instead of a tolerance: find the query of this length with the largest margin."""
    tensor: Annotated[str | None, shown("NAME")] = None
    """The name of the tensor, if the .safetensors file has several."""
    plot: OutFile = None
    """Draw the wanted and the reached weights as bars: a .png, .svg or .html file."""

    def run(self) -> Record:
        """The query, or the proof that there is none."""
        from attnlab.benches.attention.design import design
        from attnlab.benches.attention.written import read_weights

        if (self.copy is None) != bool(self.mix):
            got = "both" if self.mix else "neither"
            raise UsageError(f"expected either --copy KEY or --mix KEY=WEIGHT,…; got {got}")
        mix = read_weights("mix", self.mix) if self.mix else None
        return design(self.keys, self.copy, mix, self.tolerance, self.norm, self.tensor)
