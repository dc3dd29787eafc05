"""attnlab weigh: the weights that queries give to given keys, and what noise in the keys does to them."""

from pathlib import Path
from typing import Annotated, ClassVar

from tyro.conf import arg

from attnlab.cli.command import OutFile, WithSettings, command
from attnlab.records import Record


@command
class Weigh(WithSettings):
    """The weights that queries give to given keys, and what noise in the keys does to them.

    Keys are the rows of a .npy, .csv or .safetensors file, numbered from 0. Each head has one query, and all heads have
    the same share of the output. The command prints the mean and the standard deviation of each weight, and how far
    the output is from the wanted mix. It is exact if the noise has at most three directions.

    Example: attnlab weigh --keys keys.csv --queries=1,1 --mix 0=0.5,1=0.5 --scale 5 --norm-variance 0.5 --noisy 0
    """

    plain_class: ClassVar[str] = "benches.attention.settings:WeighSettings"

    keys: Annotated[Path, arg(metavar="FILE")]
    """The file of keys, one key in each row."""
    queries: Annotated[str, arg(metavar="X,Y;…")]
    """The query of each head, such as --queries=1,0 or, for two heads, --queries='1,0;0,1'."""
    mix: Annotated[str, arg(metavar="KEY=WEIGHT,…")]
    """The wanted weights, such as 0=0.5,2=0.5; all other keys get weight 0."""
    plot: OutFile = None
    """Draw the density of the weight of one key: a .png, .svg or .html file."""

    def run(self) -> Record:
        """The weights and the error."""
        from attnlab.benches.attention.weigh import weigh
        from attnlab.benches.attention.written import read_rows, read_weights

        queries, mix = read_rows("queries", self.queries), read_weights("mix", self.mix)
        return weigh(self.keys, queries, mix, self.settings())
