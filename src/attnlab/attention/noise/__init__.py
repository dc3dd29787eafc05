"""Keys that are Gaussian, and exactly what that does to attention.

keys → logits (the fewest Gaussian numbers that make them) → readout (weights, output, distance to a target)
→ distribution, by quadrature where the noise has few directions, by montecarlo where it has many.
"""

from attnlab.attention.noise.distribution import Distribution, distribution
from attnlab.attention.noise.keys import NoisyKeys, noisy_keys
from attnlab.attention.noise.sampled import Estimate

__all__ = ["Distribution", "Estimate", "NoisyKeys", "distribution", "noisy_keys"]
