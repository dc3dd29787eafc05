"""attnlab design: the query that copies a key, averages two or mixes several, or the proof that there is none."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tyro.conf import arg

from attnlab.errors import ArgumentError

if TYPE_CHECKING:
    from attnlab.benches.attention.queries import Designed


@dataclass(frozen=True)
class Design:
    """The query that copies a key, averages two or mixes several; or the proof that no query does.

    Keys are rows of a .npy, .csv or .safetensors file, numbered from 0. Exit code 1 says that no query does it.

    Example: attnlab design --keys keys.csv --mix 0=0.5,2=0.5
    """

    keys: Annotated[Path, arg(metavar="FILE")]
    """The file of keys, one a row."""
    copy: Annotated[int | None, arg(metavar="KEY", help_behavior_hint="")] = None
    """The key to copy."""
    mix: Annotated[str, arg(metavar="KEY=WEIGHT,…", help_behavior_hint="")] = ""
    """The weights wanted, such as 0=0.5,2=0.5; keys that are not named get no weight."""
    tolerance: Annotated[float | None, arg(metavar="FLOAT", help_behavior_hint="")] = None
    """How far a weight may be from the one wanted (0.001 if neither this nor a norm is given)."""
    norm: Annotated[float | None, arg(metavar="FLOAT", help_behavior_hint="")] = None
    """The length of the query, instead of a tolerance: the largest margin at that length."""
    tensor: Annotated[str | None, arg(metavar="NAME", help_behavior_hint="")] = None
    """The name of the tensor in a .safetensors file of several."""
    plot: Annotated[Path | None, arg(metavar="FILE", help_behavior_hint="")] = None
    """Draw the weights wanted and reached as bars: a .png, .svg or .html file."""
    json: bool = False
    """Print one JSON value instead of text."""

    def run(self) -> Designed:
        """The design, or why there is none."""
        from attnlab.benches.attention.queries import design

        mix = parse_mix(self.mix) if self.mix else None
        return design(self.keys, self.copy, mix, self.tolerance, self.norm, self.tensor)


def parse_mix(text: str) -> dict[int, float]:
    """The weights in `0=0.5,2=0.5`, by key.

    >>> parse_mix("0=0.5, 2=0.5")
    {0: 0.5, 2: 0.5}
    """
    target: dict[int, float] = {}
    for piece in text.split(","):
        key, _, weight = piece.partition("=")
        try:
            number, share = int(key), float(weight)
        except ValueError:
            raise ArgumentError("mix", f"expected KEY=WEIGHT such as 0=0.5, got {piece.strip()!r}") from None
        if number in target:
            raise ArgumentError("mix", f"key {number} is given twice")
        target[number] = share
    return target
