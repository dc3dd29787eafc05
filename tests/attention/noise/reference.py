"""The averaging question by independent means: closed forms under scipy's quadrature."""

import itertools

import numpy as np
from scipy.integrate import quad
from scipy.special import expit, ndtr

SD = np.sqrt(0.5)  # of γ in k_a = (1 + γ) μ_a


def one_head(gamma: float, keys: int, scale: float) -> tuple[float, float, float]:
    """The weights on a, b and one of the others, of the query C(μ_a + μ_b) when k_a = (1 + γ) μ_a."""
    logits = np.array([scale * (1 + gamma), scale, 0.0])
    return _weights(logits, keys)


def two_heads(gamma: float, keys: int, scale: float) -> tuple[float, float, float]:
    """The mean of the weights of Cμ_a and of Cμ_b."""
    a1, b1, o1 = _weights(np.array([scale * (1 + gamma), 0.0, 0.0]), keys)
    a2, b2, o2 = _weights(np.array([0.0, scale, 0.0]), keys)
    return (a1 + a2) / 2, (b1 + b2) / 2, (o1 + o2) / 2


def _weights(logits: np.ndarray, keys: int) -> tuple[float, float, float]:
    powers = np.exp(logits - logits.max())
    a, b, other = powers / (powers @ np.array([1.0, 1.0, keys - 2]))
    return float(a), float(b), float(other)


def moments(heads: int, keys: int, scale: float) -> dict[str, float]:
    """E[α_a], sd[α_a] and E‖c − ½(v_a + v_b)‖², to about 1e-12."""
    weights = one_head if heads == 1 else two_heads

    def integrate(f) -> float:
        def density(z: float) -> float:
            return f(*weights(SD * z, keys, scale)) * np.exp(-z * z / 2) / np.sqrt(2 * np.pi)

        # The softmax turns where two logits meet: γ = 0 and γ = −1, over a width of about 1/C.
        turns = [place + side * width / scale for place in (0.0, -1.0) for side in (-1, 1) for width in (0, 1, 4, 30)]
        edges = sorted({-10.0, -4.0, 4.0, 10.0, *(t / SD for t in turns if abs(t / SD) < 10)})
        pieces = itertools.pairwise(edges)
        return sum(quad(density, low, high, epsabs=1e-14, epsrel=1e-13, limit=200)[0] for low, high in pieces)

    mean = integrate(lambda a, b, o: a)
    square = integrate(lambda a, b, o: a * a)
    error = integrate(lambda a, b, o: (a - 0.5) ** 2 + (b - 0.5) ** 2 + (keys - 2) * o * o)
    return {"mean": mean, "sd": float(np.sqrt(square - mean**2)), "error": error}


def one_head_cdf(gamma: float) -> float:
    """P(α_a ≤ the weight at γ): one head's weight on a rises with γ."""
    return float(ndtr(gamma / SD))


def sigmoid_moment(power: int, slope: float, offset: float) -> float:
    """E σ(slope·z + offset)^power."""
    edges = [-10.0, *sorted(np.clip([(x - offset) / slope for x in (-40, -8, 0, 8, 40)], -10, 10)), 10.0]

    def density(z: float) -> float:
        return expit(slope * z + offset) ** power * np.exp(-z * z / 2) / np.sqrt(2 * np.pi)

    pieces = itertools.pairwise(edges)
    return sum(quad(density, low, high, epsabs=1e-14, limit=200)[0] for low, high in pieces)
