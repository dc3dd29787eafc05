"""Claim 9: designing Q, K and V by hand."""

import math

import numpy as np
import torch
from torch import Tensor

from attnlab.attention import Impossible
from attnlab.attention.constructions import Inputs, evaluate, limit, parse_inputs, parse_matrix, parse_wants, solve
from attnlab.charts import Lines, Series
from attnlab.claims.claim import LAST_DIGITS, Family, Finding, Quantity

FAMILY = Family(
    9,
    "self-attention",
    "Designing Q, K and V",
    bench="attention",
    question="x₁ = u_d + u_b, x₂ = u_a, x₃ = u_c + u_b; the u are orthogonal, of norm β ≫ 0. What is c₂?",
)
WANTED = "Which Q, K and V give c₂ ≈ u_b and c₁ ≈ u_b − u_c?"
INPUTS = "x1 = d + b; x2 = a; x3 = c + b"
BETA = 5.0


def _identity(inputs: Inputs) -> Tensor:
    return torch.eye(len(inputs.parts), dtype=torch.float64)


def _part(inputs: Inputs, name: str) -> Tensor:
    return _identity(inputs)[inputs.parts.index(name)]


@FAMILY.claim("identity", "With K = Q = V = I, c₂ ≈ u_a.", said_by="D")
def _plain() -> Finding:
    inputs = parse_inputs(INPUTS)
    identity, u_a = _identity(inputs), _part(inputs, "a")
    end, near = limit(inputs, identity, identity, identity), evaluate(inputs, identity, identity, identity, beta=BETA)
    far, at_beta = (float((found.outputs[1] - u_a).norm()) for found in (end, near))
    return Finding(
        "holds" if far < 1e-12 and at_beta < 1e-6 else "fails",
        "x₂ = u_a is orthogonal to x₁ and x₃, so its score with itself is β² and the other scores are 0: x₂ attends "
        f"to itself and copies itself. In the limit of large β the output is u_a (difference {far:g}). Already at β = "
        f"{BETA:g} it is only {at_beta:.1g} of β away.",
        (
            Quantity("‖c₂ − u_a‖/β as β → ∞", far),
            Quantity(f"‖c₂ − u_a‖/β at β = {BETA:g}", at_beta, LAST_DIGITS, "bound"),
            Quantity("weight of x₂ on itself, β → ∞", float(end.weights[1, 1])),
        ),
    )


@FAMILY.claim("adding", "With K = Q = V = I, adding u_d or u_c to x₂ cannot make c₂ ≈ u_b.", said_by="D")
def _adding() -> Finding:
    nearest, impossible, tried = math.inf, 0, 0
    for added in ("+ d", "+ c", "+ 2d", "+ 2c", "+ 0.5d", "+ 0.5c", "+ d + c", "+ 3d - c", "- d", "- c"):
        inputs = parse_inputs(f"x1 = d + b; x2 = a {added}; x3 = c + b")
        identity, u_b = _identity(inputs), _part(inputs, "b")
        outputs = [
            limit(inputs, identity, identity, identity).outputs,
            *(evaluate(inputs, identity, identity, identity, beta=beta).outputs for beta in (0.5, 1, 2, 5)),
        ]
        nearest = min(nearest, *(float((output[1] - u_b).norm()) for output in outputs))
        impossible += isinstance(solve(inputs, parse_wants("c2 = b", inputs), V=identity), Impossible)
        tried += 1
    return Finding(
        "holds" if nearest > 0.5 and impossible == tried else "fails",
        "With V = I the output is a mixture of the inputs, and every input that contains u_b also contains u_d or "
        "u_c, which nothing cancels. Multiples of u_d and u_c were added to x₂ in ten ways; for small and large β, "
        f"c₂ stayed at least {nearest:.2f}β away from u_b. A better Q or K would not help: in {impossible} of {tried} "
        "cases the lab proves that with V = I no Q and K give u_b.",
        (
            Quantity("smallest ‖c₂ − u_b‖/β", nearest, how="observed"),
            Quantity("cases proven impossible for every Q and K", impossible),
            Quantity("cases tried", tried),
        ),
    )


def _outputs(sign: str, beta: float = math.inf) -> Tensor:
    """c₁ and c₂ with D's matrices, the sign in Q as given; in part coordinates a, b, c, d."""
    inputs = parse_inputs(INPUTS)
    Q = parse_matrix(f"(u_d u_aᵀ {sign} u_c u_dᵀ)/β²", inputs.parts)
    V = parse_matrix("(u_b u_bᵀ - u_c u_cᵀ)/β²", inputs.parts)
    matrices = Q, _identity(inputs), V
    found = limit(inputs, *matrices) if math.isinf(beta) else evaluate(inputs, *matrices, beta=beta)
    return found.outputs[:2]


def _wants() -> Tensor:
    inputs = parse_inputs(INPUTS)
    wants = parse_wants("c1 = b - c; c2 = b", inputs)
    return torch.stack([wants[0], wants[1]])


@FAMILY.claim(
    "minus",
    "V = (u_bu_bᵀ − u_cu_cᵀ)/β², K = I, Q = (u_du_aᵀ − u_cu_dᵀ)/β² give c₂ ≈ u_b and c₁ ≈ u_b − u_c.",
    said_by="D",
    question=WANTED,
)
def _minus() -> Finding:
    found, wants = _outputs("-"), _wants()
    first, second = (float(x) for x in (found - wants).norm(dim=1))
    b, c = found[0, 1:3].tolist()
    return Finding(
        "holds" if max(first, second) < 1e-9 else "fails",
        f"One half is right: c₂ is u_b (difference {second:g}). But q₁ = Qx₁ is −u_c, which gives x₃, the only input "
        "that contains u_c, a negative score. Then x₁ and x₂ share the weight, both with a score of 0. Of these two, "
        f"V keeps only the u_b of x₁, so c₁ = {b:g}u_b + {abs(c):g}u_c instead of u_b − u_c, which is {first:.2f}β "
        "away. The idea is right, and one sign is wrong.",
        (
            Quantity("coefficient of u_b in c₁ (wanted 1)", b),
            Quantity("coefficient of u_c in c₁ (wanted −1)", c),
            Quantity("‖c₁ − (u_b − u_c)‖/β", first),
            Quantity("‖c₂ − u_b‖/β", second),
        ),
    )


@FAMILY.claim(
    "plus",
    "With a plus, Q = (u_du_aᵀ + u_cu_dᵀ)/β², D's matrices give c₂ ≈ u_b and c₁ ≈ u_b − u_c.",
    said_by="the lab",
    question=WANTED,
)
def _plus() -> Finding:
    wants, betas = _wants(), np.linspace(0.2, 4, 39)
    far = float((_outputs("+") - wants).norm(dim=1).max())
    errors = {sign: [float((_outputs(sign, float(x)) - wants).norm(dim=1).max()) for x in betas] for sign in "-+"}
    inputs = parse_inputs(INPUTS)
    solved = solve(inputs, parse_wants("c1 = b - c; c2 = b", inputs))
    same = not isinstance(solved, Impossible) and torch.equal(
        solved.Q, parse_matrix("(u_d u_aᵀ + u_c u_dᵀ)/β²", inputs.parts)
    )
    chart = Lines(
        "Q with − and with +: the worse of the two outputs",
        "β",
        "distance from what is wanted, divided by β",
        tuple(
            Series(f"Q with {sign}", tuple(betas.tolist()), tuple(errors[s])) for s, sign in (("-", "−"), ("+", "+"))
        ),
        "With the minus sign the distance grows with β from 0.76 to 1.12 and stays there. With the plus sign it "
        "falls to 0, which it reaches at about β = 3.",
    )
    return Finding(
        "holds" if far < 1e-9 and errors["+"][-1] < 1e-5 else "fails",
        "Now x₁ asks for u_c and finds x₃ = u_c + u_b, which V turns into u_b − u_c. Likewise x₂ asks for u_d and "
        f"finds x₁ = u_d + u_b, which V turns into u_b. In the limit both outputs are exact (difference {far:g}), and "
        f"at β = {betas[-1]:g} they are within {errors['+'][-1]:.1g} of β. The lab's solver, which is given only the "
        f"wanted outputs, finds {'the same Q' if same else 'another Q'}.",
        (
            Quantity("largest distance from the wants, divided by β, β → ∞", far),
            Quantity(f"the same at β = {betas[-1]:g}", errors["+"][-1], LAST_DIGITS, "bound"),
            Quantity(f"the same at β = {betas[-1]:g}, Q with a minus", errors["-"][-1]),
        ),
        chart=chart,
    )
