"""Gaussian keys, and exactly how they change attention.

keys → logits (as functions of the fewest Gaussian numbers) → readout (weights, output, distance to a target)
→ distribution, by quadrature for few directions of noise, by montecarlo for many.
"""

from attnlab.attention.noise.distribution import Distribution, distribution
from attnlab.attention.noise.keys import NoisyKeys, noisy_keys
from attnlab.attention.noise.sampled import Bounded

__all__ = ["Bounded", "Distribution", "NoisyKeys", "distribution", "noisy_keys"]
