"""Claims 10 and 11: the gradients of softmax, with cross entropy, and of one sigmoid layer below it."""

from collections.abc import Callable

import torch
from torch import Tensor

from attnlab.claims.claim import Family, Finding, Quantity

FAMILY = Family(
    10,
    "gradients",
    "Gradients by hand",
    bench="language",
    question="ŷ = softmax(θ), CE(y, ŷ) = −Σ y_i ln ŷ_i. What is ∂CE/∂θ?",
)
STEP = 1e-5


def _normal(generator: torch.Generator, *shape: int) -> Tensor:
    return torch.randn(*shape, generator=generator, dtype=torch.float64)


def _cross_entropy(theta: Tensor, y: Tensor) -> Tensor:
    return -(y * torch.log_softmax(theta, -1)).sum()


def _gradients(loss: Callable[[Tensor], Tensor], at: Tensor) -> tuple[Tensor, Tensor]:
    """The gradient of a loss by autograd, and by central differences."""
    point = at.clone().requires_grad_()
    (automatic,) = torch.autograd.grad(loss(point), point)
    moves = STEP * torch.eye(at.numel(), dtype=at.dtype).reshape(-1, *at.shape)
    finite = torch.stack([(loss(at + move) - loss(at - move)) / (2 * STEP) for move in moves])
    return automatic, finite.reshape(at.shape)


def _targets(generator: torch.Generator, kind: str) -> Tensor:
    if kind == "one-hot":
        return torch.eye(8, dtype=torch.float64)[int(torch.randint(8, (1,), generator=generator))]
    return torch.softmax(2 * _normal(generator, 8), -1)


@FAMILY.claim("logits", "∂CE/∂θ = ŷ − y.", said_by="E")
def _logits(seed: int) -> Finding:
    generator = torch.Generator().manual_seed(seed)
    off: dict[str, list[float]] = {"one-hot": [0.0, 0.0], "soft": [0.0, 0.0]}
    for kind, worst in off.items():
        for _ in range(30):
            theta, y = 3 * _normal(generator, 8), _targets(generator, kind)
            formula = torch.softmax(theta, -1) - y
            for i, found in enumerate(_gradients(lambda x, y=y: _cross_entropy(x, y), theta)):
                worst[i] = max(worst[i], float((found - formula).abs().max()))
    automatic, finite = (max(worst[i] for worst in off.values()) for i in (0, 1))
    return Finding(
        "holds" if automatic < 1e-12 and finite < 1e-8 else "fails",
        "ln ŷ_i = θ_i − ln Σe^θ, so the loss is −Σ y_iθ_i + (Σy) ln Σe^θ. The gradient of ln Σe^θ is ŷ, and Σy = 1. "
        f"On 30 one-hot and 30 soft targets autograd agrees to {automatic:.1g}. Finite differences of the loss, which "
        f"use no calculus, agree to {finite:.1g}, as closely as they can. The gradient is easy to remember: the "
        "prediction minus the truth.",
        tuple(
            Quantity(f"largest difference from {name}, {kind} targets", off[kind][i], how="observed")
            for kind in off
            for i, name in enumerate(("autograd", "finite differences"))
        ),
    )


@FAMILY.claim(
    "any-targets", "∂CE/∂θ = ŷ − y for every y, even if y does not sum to 1.", said_by="the lab, as a warning"
)
def _any_targets(seed: int) -> Finding:
    generator = torch.Generator().manual_seed(seed)
    off, mended, finite = 0.0, 0.0, 0.0
    for _ in range(30):
        theta, y = 3 * _normal(generator, 8), torch.rand(8, generator=generator, dtype=torch.float64)
        automatic, differences = _gradients(lambda x, y=y: _cross_entropy(x, y), theta)
        right = y.sum() * torch.softmax(theta, -1) - y
        off = max(off, float((automatic - (torch.softmax(theta, -1) - y)).abs().max()))
        mended = max(mended, float((automatic - right).abs().max()))
        finite = max(finite, float((differences - right).abs().max()))
    return Finding(
        "holds" if off < 1e-12 else "fails",
        "The derivation uses Σy = 1. Without that, Σy stays in the formula: the gradient is (Σy)ŷ − y. With 30 "
        f"random y that do not sum to 1, the short formula was wrong by up to {off:.2f}; the long one was wrong by "
        f"{mended:.1g} against autograd and by {finite:.1g} against finite differences. This matters if an example "
        "has several labels at once, or if classes are weighted.",
        (
            Quantity("largest difference of ŷ − y from autograd", off, how="observed"),
            Quantity("largest difference of (Σy)ŷ − y from autograd", mended, how="observed"),
            Quantity("largest difference of (Σy)ŷ − y from finite differences", finite, how="observed"),
        ),
    )


@FAMILY.claim(
    "jacobian",
    "∂ŷ_i/∂θ_j = ŷ_i(1 − ŷ_i) if i = j, and −ŷ_iŷ_j otherwise.",
    said_by="the lab",
    question="ŷ = softmax(θ). What is the Jacobian of ŷ?",
)
def _jacobian(seed: int) -> Finding:
    generator = torch.Generator().manual_seed(seed)
    off, symmetric = [0.0, 0.0], 0.0
    for _ in range(30):
        theta = 3 * _normal(generator, 8)
        y = torch.softmax(theta, -1)
        formula = torch.diag(y) - torch.outer(y, y)
        for i in range(8):
            for method, found in enumerate(_gradients(lambda x, i=i: torch.softmax(x, -1)[i], theta)):
                off[method] = max(off[method], float((found - formula[i]).abs().max()))
        symmetric = max(symmetric, float(formula.sum(0).abs().max()))
    return Finding(
        "holds" if off[0] < 1e-12 and off[1] < 1e-8 else "fails",
        "The Jacobian is diag(ŷ) − ŷŷᵀ. A larger θ_j raises ŷ_j and lowers all others, and the columns sum to 0 (to "
        f"within {symmetric:.1g}), since the shares always sum to 1. On 30 random θ it agrees with autograd to "
        f"{off[0]:.1g} and with finite differences to {off[1]:.1g}. Multiplied with −y/ŷ it gives the gradient of the "
        "cross entropy, ŷ − y.",
        (
            Quantity("largest difference from autograd", off[0], how="observed"),
            Quantity("largest difference from finite differences", off[1], how="observed"),
            Quantity("largest sum of a column", symmetric, how="observed"),
        ),
    )


LAYER = "h = σ(xW₁ + b₁), ŷ = softmax(hW₂ + b₂), J = CE(y, ŷ)."
Parts = tuple[Tensor, Tensor, Tensor, Tensor, Tensor]
"""x, W₁, b₁, W₂, b₂."""


def _network(generator: torch.Generator, kind: str) -> tuple[Parts, Tensor]:
    """A random network with an input of three rows, and the targets of the rows."""
    x, W1, b1, W2, b2 = (_normal(generator, *shape) for shape in ((3, 5), (5, 7), (7,), (7, 8), (8,)))
    return (x, W1, b1, W2, b2), torch.stack([_targets(generator, kind) for _ in range(3)])


def _loss(parts: Parts, y: Tensor) -> Tensor:
    x, W1, b1, W2, b2 = parts
    return _cross_entropy(torch.sigmoid(x @ W1 + b1) @ W2 + b2, y)


def _by_hand(parts: Parts, y: Tensor) -> Parts:
    """The gradients of the loss by the formulas, summed over the rows."""
    x, W1, b1, W2, b2 = parts
    h = torch.sigmoid(x @ W1 + b1)
    above = torch.softmax(h @ W2 + b2, -1) - y
    below = (above @ W2.mT) * h * (1 - h)
    return below @ W1.mT, x.mT @ below, below.sum(0), h.mT @ above, above.sum(0)


def _off(seed: int, checked: range) -> list[float]:
    """The largest difference of the formulas from autograd and from finite differences, on ten random networks."""
    generator, off = torch.Generator().manual_seed(seed), [0.0, 0.0]
    for trial in range(10):
        parts, y = _network(generator, ("one-hot", "soft")[trial % 2])
        formulas = _by_hand(parts, y)
        for place in checked:

            def loss(point: Tensor, place=place, parts=parts, y=y) -> Tensor:
                x, W1, b1, W2, b2 = (*parts[:place], point, *parts[place + 1 :])
                return _loss((x, W1, b1, W2, b2), y)

            for method, found in enumerate(_gradients(loss, parts[place])):
                off[method] = max(off[method], float((found - formulas[place]).abs().max()))
    return off


@FAMILY.claim(
    "inputs",
    "∂J/∂x = [((ŷ − y)W₂ᵀ) ⊙ h ⊙ (1 − h)]W₁ᵀ.",
    said_by="E",
    question=f"{LAYER} What is ∂J/∂x?",
)
def _inputs(seed: int) -> Finding:
    off = _off(seed, range(1))
    return Finding(
        "holds" if off[0] < 1e-12 and off[1] < 1e-8 else "fails",
        "Go backwards through the network: ŷ − y at the output, times W₂ᵀ to the hidden layer, times the slope of "
        "the sigmoid, h(1 − h), element by element, and times W₁ᵀ to the input. On 10 random networks, with vectors "
        f"as rows as in the formula, it agrees with autograd to {off[0]:.1g} and with finite differences to "
        f"{off[1]:.1g}.",
        (
            Quantity("largest difference from autograd", off[0], how="observed"),
            Quantity("largest difference from finite differences", off[1], how="observed"),
        ),
    )


@FAMILY.claim(
    "weights",
    "∂J/∂W₂ = hᵀ(ŷ − y), ∂J/∂b₂ = ŷ − y, ∂J/∂W₁ = xᵀδ, ∂J/∂b₁ = δ, with δ = ((ŷ − y)W₂ᵀ) ⊙ h ⊙ (1 − h).",
    said_by="the lab",
    question=f"{LAYER} What are the gradients of W₁, b₁, W₂ and b₂?",
)
def _weights(seed: int) -> Finding:
    off = _off(seed, range(1, 5))
    return Finding(
        "holds" if off[0] < 1e-12 and off[1] < 1e-8 else "fails",
        "The gradient of a matrix is the layer's input times the error that comes back to its output: h and ŷ − y for "
        "W₂, x and δ for W₁. A bias has the input 1. With several rows, the gradients of the rows add up, which the "
        "products with hᵀ and xᵀ do by themselves; for the biases sum ŷ − y and δ over the rows. On 10 random "
        f"networks with three rows each the formulas agree with autograd to {off[0]:.1g} and with finite differences "
        f"to {off[1]:.1g}.",
        (
            Quantity("largest difference from autograd", off[0], how="observed"),
            Quantity("largest difference from finite differences", off[1], how="observed"),
        ),
    )
