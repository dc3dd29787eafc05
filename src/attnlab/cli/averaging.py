"""The averaging question on the command line: the options that its commands share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from attnlab.errors import ArgumentError

if TYPE_CHECKING:
    from attnlab.attention import AveragingQuestion


MOST_SCALE = 1e100
MOST_HEADS = 100
MOST_SAMPLES = 10**12
MOST_SEED = 2**63 - 1  # the largest that torch takes


@dataclass(frozen=True)
class AveragingOptions:
    """How many keys there are and how they are noisy."""

    keys: int = 10
    """How many keys there are, a and b among them."""
    norm_variance: float = 0.5
    """The variance of γ in k = (1 + γ)μ."""
    noisy: str = "a"
    """Which keys are noisy in that way: a, b or a,b."""
    isotropic: float = 0.0
    """The variance of noise in every coordinate of every key."""

    def setting(self) -> AveragingQuestion:
        """The question that the options describe."""
        from attnlab.attention import AveragingQuestion

        noisy: Any = tuple(name.strip() for name in self.noisy.split(",") if name.strip())
        if not noisy:
            raise ArgumentError("noisy", f"expected a, b or a,b, got {self.noisy!r}")
        return AveragingQuestion(self.keys, noisy, self.norm_variance, self.isotropic)

    def words(self) -> str:
        """The noise in words."""
        noise = [f"norm variance {self.norm_variance:g} on {self.noisy}"] if self.norm_variance else []
        noise += [f"isotropic variance {self.isotropic:g}"] if self.isotropic else []
        return " and ".join(noise) or "no noise"


def check_scale(scale: float) -> None:
    """Raise unless the scale is a number that can be computed with: beyond 1e100 the squares of logits overflow."""
    if not abs(scale) <= MOST_SCALE:
        raise ArgumentError("scale", f"expected a number from -{MOST_SCALE:g} to {MOST_SCALE:g}, got {scale:g}")


def check_heads(heads: int) -> None:
    """Raise unless there can be so many heads."""
    _check_whole("heads", heads, 1, MOST_HEADS)


def check_samples(samples: int) -> None:
    """Raise unless there can be so many draws, whether or not this time any are made."""
    _check_whole("samples", samples, 2, MOST_SAMPLES)


def check_seed(seed: int) -> None:
    """Raise unless draws can start from such a seed, whether or not this time any are made."""
    _check_whole("seed", seed, 0, MOST_SEED)


def _check_whole(option: str, number: int, least: int, most: int) -> None:
    if not least <= number <= most:
        raise ArgumentError(option, f"expected a whole number from {least} to {most}, got {number}")


def heads_in_words(count: int) -> str:
    """`one head`, `two heads`, `3 heads`."""
    return {1: "one head", 2: "two heads"}.get(count, f"{count} heads")
