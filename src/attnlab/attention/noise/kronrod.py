"""The 15-point Kronrod rule, its 7-point Gauss rule, and a check of the ends of a panel.

On a panel, Kronrod's rule gives the integral, and its distance from Gauss's rule the error. That distance cannot see
the gap between a panel's end and its outermost node. So the ends are evaluated too: where f is resolved, its value at
an end agrees with the extrapolation from the nodes.
"""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# QUADPACK's 15-point Kronrod nodes on [-1, 1] (Piessens et al., 1983), plus both ends with weight 0, so that one
# evaluation gives the rule and the check of the ends.
_HALF_NODES = [0.991455371120812639206854697526329, 0.949107912342758524526189684047851,
               0.864864423359769072789712788640926, 0.741531185599394439863864773280788,
               0.586087235467691130294144691693013, 0.405845151377397166906606412076961,
               0.207784955007898467600689403773245]  # fmt: skip
_HALF_KRONROD = [0.022935322010529224963732008058970, 0.063092092629978553290700663189204,
                 0.104790010322250183839876322541518, 0.140653259715525918745189590510238,
                 0.169004726639267902826583426598550, 0.190350578064785409913256402421014,
                 0.204432940075298892414161999234649]  # fmt: skip
_HALF_GAUSS = [0.0, 0.129484966168869693270611432679082, 0.0, 0.279705391489276667901467771423780,
               0.0, 0.381830050505118944950369775488975, 0.0]  # fmt: skip


def _mirror(half: list[float], middle: float, end: float, sign: float = 1.0) -> Array:
    """A symmetric rule from its left half: end, half, middle, the half mirrored, end."""
    return np.array([sign * end, *[sign * x for x in half], middle, *half[::-1], end])


NODES = _mirror(_HALF_NODES, 0.0, 1.0, sign=-1.0)
_KRONROD = _mirror(_HALF_KRONROD, 0.209482141084727828012999174891714, 0.0)
_GAUSS = _mirror(_HALF_GAUSS, 0.417959183673469387755102040816327, 0.0)
_END_GAP = float(NODES[1] - NODES[0])


def _extrapolation(nodes: Array, at: float) -> Array:
    """The coefficients that extrapolate values at `nodes` to `at`, by their interpolating polynomial."""
    others = [np.delete(nodes, i) for i in range(len(nodes))]
    return np.array([np.prod((at - rest) / (node - rest)) for node, rest in zip(nodes, others, strict=True)])


_TO_RIGHT_END = np.concatenate([[0.0], _extrapolation(NODES[1:-1], 1.0), [0.0]])
_LAST = len(NODES) - 1
_RIGHT_END = np.eye(len(NODES))[_LAST]
_MISSED = _END_GAP * (_RIGHT_END - _TO_RIGHT_END)

RULES = np.stack([_KRONROD, _KRONROD - _GAUSS, _MISSED[::-1], _MISSED])
"""Linear functions of the values at the nodes: the integral, its distance from Gauss's, and what each end may hide."""


def apply_rules(values: Array, mass: Array) -> tuple[Array, Array]:
    """The integrals over panels and their errors, (panels, outputs) each, of values (panels, nodes, outputs).

    `mass` (panels, nodes) is the weight of each node: half the panel's width times the density there.
    """
    coefficients = np.empty((len(mass), *RULES.shape))
    coefficients[:, :2] = RULES[:2] * mass[:, None]
    coefficients[:, 2:] = RULES[2:] * mass[:, ::_LAST, None]
    found = np.matmul(coefficients, values)
    distances = np.abs(found[:, 1:])
    return found[:, 0], distances[:, 0] + np.maximum(distances[:, 1], distances[:, 2])
