"""The averaging question: among n orthonormal keys, some noisy, attention should output ½(v_a + v_b).

Key 0 is a, key 1 is b, all the rest are "other". The coursework asks it, and the lab tests the coursework's answers on
it. It is small enough that every number about it can be exact.
"""

from dataclasses import dataclass
from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor

from attnlab.attention.argument_checks import check_at_least
from attnlab.attention.noise import NoisyKeys, noisy_keys
from attnlab.errors import ArgumentError

NAMES = {"a": 0, "b": 1, "other": 2}
MOST_KEYS = 5_000


@dataclass(frozen=True)
class AveragingQuestion:
    """n orthonormal keys k_i = (1 + γ_i) μ_i + ε_i, where γ_i ~ N(0, norm_variance) for the noisy keys, and
    ε_i ~ N(0, isotropic · I) for all keys.
    """

    keys: int = 10
    noisy: tuple[Literal["a", "b"], ...] = ("a",)
    norm_variance: float = 0.5
    isotropic: float = 0.0

    def __post_init__(self):
        if not 2 <= self.keys <= MOST_KEYS:
            raise ArgumentError("keys", f"expected 2 to {MOST_KEYS} keys, of which a and b are two, got {self.keys}")
        for name in ("norm_variance", "isotropic"):
            check_at_least(name, getattr(self, name), 0)
        strangers = sorted(set(self.noisy) - {"a", "b"})
        if strangers:
            raise ArgumentError("noisy", f"expected a, b or a,b, got {','.join(strangers)}")

    def noisy_keys(self) -> NoisyKeys:
        """The noisy keys of the question."""
        variance = torch.zeros(self.keys, dtype=torch.float64)
        variance[[NAMES[name] for name in self.noisy]] = self.norm_variance
        means = torch.eye(self.keys, dtype=torch.float64)
        return noisy_keys(means, norm_variance=variance, isotropic=self.isotropic)

    def target(self) -> Float[Tensor, "keys"]:
        """½(v_a + v_b); the values are orthonormal too."""
        target = torch.zeros(self.keys, dtype=torch.float64)
        target[:2] = 0.5
        return target

    def directions(self, heads: int) -> Float[Tensor, "heads keys"]:
        """The heads' queries without the scale C: μ_a + μ_b for one head; for more, μ_a and μ_b in turn."""
        check_at_least("heads", heads, 1)
        a, b = torch.eye(2, self.keys, dtype=torch.float64)
        if heads == 1:
            return (a + b)[None]
        return torch.stack([a if head % 2 == 0 else b for head in range(heads)])

    def head_weights(self, heads: int) -> Float[Tensor, "heads"]:
        """The heads' shares of the output: half for the heads that look for a, half for those that look for b."""
        check_at_least("heads", heads, 1)
        if heads == 1:
            return torch.ones(1, dtype=torch.float64)
        turns = torch.arange(heads) % 2
        return 0.5 / torch.bincount(turns).double()[turns]
