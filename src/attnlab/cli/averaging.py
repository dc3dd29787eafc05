"""The averaging question on the command line: the options that its commands share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from attnlab.attention import Averaging


@dataclass(frozen=True)
class AveragingOptions:
    """How many keys there are and how they are noisy."""

    keys: int = 10
    """How many keys there are, a and b among them."""
    norm_variance: float = 0.5
    """The variance of γ in k = (1 + γ)μ."""
    noisy: str = "a"
    """Which keys are so: a, b or a,b."""
    isotropic: float = 0.0
    """The variance of noise in every coordinate of every key."""

    def setting(self) -> Averaging:
        """The question that the options describe."""
        from attnlab.attention import Averaging

        noisy: Any = tuple(name.strip() for name in self.noisy.split(",") if name.strip())
        return Averaging(self.keys, noisy, self.norm_variance, self.isotropic)

    def words(self) -> str:
        """The noise in words."""
        noise = [f"norm variance {self.norm_variance:g} on {self.noisy}"] if self.norm_variance else []
        noise += [f"isotropic variance {self.isotropic:g}"] if self.isotropic else []
        return " and ".join(noise) or "no noise"


def heads_in_words(count: int) -> str:
    """`one head`, `two heads`, `3 heads`."""
    return {1: "one head", 2: "two heads"}.get(count, f"{count} heads")
