"""Answers about gradients, perplexity and scales, written by hand, each beside its meaning.

SymPy differentiates the loss itself and compares with the meaning of the answer at rational numbers, to 30 digits.
"""

from collections.abc import Callable, Iterator
from functools import cache
from types import SimpleNamespace
from typing import Any

import sympy as sp

from cases import Case
from meanings import Expr

DIGITS = 30
Meaning = Callable[[SimpleNamespace], Expr]


def matrix(*entries: Any) -> Expr:
    """A matrix of SymPy."""
    return sp.Matrix(*entries)


def each(left: Expr, *rest: Expr) -> Expr:
    """The elementwise product."""
    for right in rest:
        left = left.multiply_elementwise(right)
    return left


def back(v: SimpleNamespace) -> Expr:
    """The gradient before the activation of the hidden layer."""
    return each((v.yhat - v.y) * v.W2.T, v.h, v.one - v.h)


NETWORK: list[tuple[str, Meaning, list[str]]] = [
    (
        "x",
        lambda v: back(v) * v.W1.T,
        [
            "∂J/∂x = [((ŷ − y)W₂ᵀ) ⊙ h ⊙ (1 − h)] W₁ᵀ",
            r"\frac{\partial J}{\partial x} = \left((\hat{y} - y) W_2^\top \odot h \odot (1 - h)\right) W_1^\top",
            r"\frac{\partial J}{\partial x} = [(\hat y - y)W^{(2)\top} \circ h \circ (\mathbf{1} - h)] W^{(1)\top}",
            "∂J/∂x = ((yhat - y) W2^T .* h .* (1 - h)) W1^T",
            r"\nabla_x J = \left((\hat{y}-y)W_2^T \odot \sigma'(xW_1+b_1)\right)W_1^T",
            "dJ/dx = (((y_hat - y) W_2') ⊙ h ⊙ (1 - h)) W_1'",
            "∂J/∂x = ((ŷ − y)W₂ᵀ ⊙ (h − h ⊙ h)) W₁ᵀ",
            "∂J/∂x = (ŷ − y) W₂ᵀ diag(h ⊙ (1 − h)) W₁ᵀ",
            r"\frac{\partial J}{\partial x} = (\hat{y}-y) W_2^T \operatorname{diag}(h) \operatorname{diag}(1-h) W_1^T",
            "∂J/∂x = -(((y − ŷ)W₂ᵀ) ⊙ h ⊙ (1 − h)) W₁ᵀ",
        ],
    ),
    ("x", lambda v: (v.yhat - v.y) * v.W2.T * v.W1.T, ["∂J/∂x = (ŷ - y) W_2ᵀ W_1ᵀ"]),
    (
        "x",
        lambda v: -back(v) * v.W1.T,
        [r"\frac{\partial J}{\partial x} = ((y - \hat{y})W_2^T \odot h \odot (1-h))W_1^T"],
    ),
    ("x", lambda v: each((v.yhat - v.y) * v.W2.T, v.h, v.one + v.h) * v.W1.T, ["∂J/∂x = ((ŷ-y)W₂ᵀ ⊙ h ⊙ (1 + h))W₁ᵀ"]),
    ("x", lambda v: each((v.yhat - v.y) * v.W2.T, v.h) * v.W1.T, ["∂J/∂x = ((ŷ-y)W₂ᵀ ⊙ h) W₁ᵀ"]),
    ("x", lambda v: each((v.yhat - v.y) * v.W2.T, v.one - v.h) * v.W1.T, ["∇_x J = ((ŷ-y)W₂ᵀ ⊙ (1 - h)) W₁ᵀ"]),
    ("x", lambda v: back(v) * v.W1, ["∂J/∂x = ((ŷ − y)W₂ᵀ ⊙ h ⊙ (1 − h)) W₁"]),
    ("x", lambda v: 2 * back(v) * v.W1.T, ["∂J/∂x = 2((ŷ − y)W₂ᵀ ⊙ h ⊙ (1 − h)) W₁ᵀ"]),
    (
        "W1",
        lambda v: v.x.T * back(v),
        [
            "∂J/∂W_1 = xᵀ (((ŷ - y) W_2ᵀ) ⊙ h ⊙ (1 - h))",
            r"\frac{\partial J}{\partial W_1} = x^\top \left((\hat y - y)W_2^\top \odot h \odot (1-h)\right)",
            r"\frac{\partial J}{\partial W^{(1)}} = x^T ((\hat{y}-y) W_2^T \odot \sigma'(x W_1 + b_1))",
        ],
    ),
    ("W1", lambda v: back(v).T * v.x, ["∂J/∂W_1 = (((ŷ - y) W_2ᵀ) ⊙ h ⊙ (1 - h))ᵀ x"]),
    ("W1", lambda v: v.x.T * (v.yhat - v.y) * v.W2.T, ["∂J/∂W_1 = xᵀ (ŷ - y) W_2ᵀ"]),
    (
        "b1",
        back,
        [
            "∂J/∂b_1 = ((ŷ - y) W_2ᵀ) ⊙ h ⊙ (1 - h)",
            r"\frac{\partial J}{\partial b_1} = (\hat{y}-y)W_2^T \odot h \odot (1-h)",
            "∂J/∂b₁ = h ⊙ (1 − h) ⊙ (ŷ − y)W₂ᵀ",
        ],
    ),
    ("b1", lambda v: (v.yhat - v.y) * v.W2.T, ["∂J/∂b_1 = (ŷ - y) W_2ᵀ"]),
    (
        "h",
        lambda v: (v.yhat - v.y) * v.W2.T,
        ["∂J/∂h = (ŷ - y) W_2ᵀ", r"\partial J/\partial h = (\hat{y} - y)\,W_2^{\top}"],
    ),
    ("h", lambda v: (v.y - v.yhat) * v.W2.T, ["∂J/∂h = (y - ŷ) W_2ᵀ"]),
    (
        "W2",
        lambda v: v.h.T * (v.yhat - v.y),
        [
            "∂J/∂W_2 = hᵀ(ŷ - y)",
            r"\nabla_{W_2} J = h^\top(\hat{y} - y)",
            r"\frac{\partial J}{\partial W_2} = \sigma(x W_1 + b_1)^T (\hat{y} - y)",
        ],
    ),
    ("W2", lambda v: (v.yhat - v.y).T * v.h, ["∂J/∂W_2 = (ŷ - y)ᵀ h"]),
    ("W2", lambda v: v.h.T * v.yhat, ["∂J/∂W_2 = hᵀ ŷ"]),
    (
        "b2",
        lambda v: v.yhat - v.y,
        ["∂J/∂b_2 = ŷ - y", r"\frac{\partial J}{\partial b_2} = \hat{y} - y", "dJ/db_2 = yhat - y"],
    ),
    ("b2", lambda v: v.y - v.yhat, ["∂J/∂b_2 = y - ŷ"]),
    ("b2", lambda v: v.yhat, ["∂J/∂b_2 = ŷ"]),
]
SOFTMAX: list[tuple[str, Meaning, list[str]]] = [
    (
        "CE",
        lambda v: v.yhat - v.y,
        [
            "∂CE/∂θ = ŷ - y",
            r"\partial CE / \partial θ = \hat{y} - y",
            "∇_θ CE(y, ŷ) = yhat - y",
            r"\frac{\partial CE}{\partial \theta} = -(y - \hat y)",
            "∂CE/∂θ = softmax(θ) - y",
        ],
    ),
    ("CE", lambda v: v.y - v.yhat, ["∂CE/∂θ = y - ŷ"]),
    ("CE", lambda v: -v.y, ["∂CE/∂θ = -y"]),
    ("CE", lambda v: each(v.yhat - v.y, v.yhat), ["∂CE/∂θ = (ŷ - y) ⊙ ŷ"]),
    ("CE", lambda v: (v.yhat - v.y) / 2, ["∂CE/∂θ = ½(ŷ - y)"]),
    (
        "yhat",
        lambda v: sp.diag(*v.yhat) - v.yhat.T * v.yhat,
        [
            "∂ŷ/∂θ = diag(ŷ) - ŷᵀ ŷ",
            r"\frac{\partial \hat{y}}{\partial \theta} = \operatorname{diag}(\hat{y}) - \hat{y}^\top \hat{y}",
            "∂ŷ/∂θ = diag(ŷ)(I - diag(ŷ)^0 ) + diag(ŷ) - ŷᵀŷ",
        ],
    ),
    ("yhat", lambda v: sp.diag(*v.yhat) + v.yhat.T * v.yhat, ["∂ŷ/∂θ = diag(ŷ) + ŷᵀ ŷ"]),
    ("yhat", lambda v: sp.diag(*v.yhat), ["∂ŷ/∂θ = diag(ŷ)"]),
    ("yhat", lambda v: sp.eye(3) - v.yhat.T * v.yhat, ["∂ŷ/∂θ = I - ŷᵀ ŷ"]),
]
NUMBERS: list[tuple[str, str, Meaning, list[str]]] = [
    (
        "perplexity-base",
        "P",
        lambda v: v.b**v.J,
        ["P = b^J", "P = b^{J}", "P = e^{J ln b}", r"P = \exp(J \log b)", r"P = e^{J \ln(b)}"],
    ),
    ("perplexity-base", "P", lambda v: 2**v.J, ["P = 2^J", "P = 2^{J}"]),
    ("perplexity-base", "P", lambda v: sp.exp(v.J), ["P = e^J", r"P = \exp(J)"]),
    ("perplexity-base", "P", lambda v: v.b**-v.J, ["P = b^{-J}"]),
    ("perplexity-base", "P", lambda v: v.J**v.b, ["P = J^b"]),
    (
        "copy-margin",
        "Δ",
        lambda v: sp.log((v.n - 1) * (1 - v.eps) / v.eps),
        [
            "Δ = ln((n-1)(1-ε)/ε)",
            r"\Delta = \ln\frac{(n-1)(1-\varepsilon)}{\varepsilon}",
            "Δ = ln(n - 1) - ln(ε/(1 - ε))",
            "Delta = log(n-1) + log(1/ε - 1)",
        ],
    ),
    (
        "copy-margin",
        "Δ",
        lambda v: sp.log((v.n - 1) / v.eps),
        ["Δ = ln((n-1)/ε)", r"\Delta = \log\frac{n-1}{\epsilon}"],
    ),
    ("copy-margin", "Δ", lambda v: sp.log(v.n * (1 - v.eps) / v.eps), ["Δ = ln(n(1-ε)/ε)"]),
    (
        "average-scale",
        "C",
        lambda v: sp.log((v.n - 2) * (1 - 2 * v.eps) / (4 * v.eps)),
        [
            r"C = \ln\frac{(n-2)(1-2ε)}{4ε}",
            "C = ln((n-2)(1-2ε)/(4ε))",
            r"C = \log(n-2) + \log\left(\frac{1-2\varepsilon}{4\varepsilon}\right)",
        ],
    ),
    ("average-scale", "C", lambda v: sp.log((v.n - 2) * (1 - 2 * v.eps) / (2 * v.eps)), ["C = ln((n-2)(1-2ε)/(2ε))"]),
    ("average-scale", "C", lambda v: sp.log((v.n - 2) / (4 * v.eps)), ["C = ln((n-2)/(4ε))"]),
]


@cache
def network() -> tuple[SimpleNamespace, dict[str, Expr]]:
    """Numbers for a network with one hidden layer, and the gradients of its loss by differentiation."""
    shapes = {"x": (1, 2), "W1": (2, 2), "b1": (1, 2), "W2": (2, 3), "b2": (1, 3)}
    symbols = {
        name: matrix(*shape, lambda i, j, name=name: sp.Symbol(f"{name}_{i}{j}")) for name, shape in shapes.items()
    }
    y = matrix([[sp.Rational(1, 2), sp.Rational(1, 3), sp.Rational(1, 6)]])
    hidden = (symbols["x"] * symbols["W1"] + symbols["b1"]).applyfunc(lambda each: 1 / (1 + sp.exp(-each)))
    raised = (hidden * symbols["W2"] + symbols["b2"]).applyfunc(sp.exp)
    guess = raised / sum(raised)
    loss = -sum(wanted * sp.log(got) for wanted, got in zip(y, guess, strict=True))
    entries = [entry for each in symbols.values() for entry in each]
    at = {entry: sp.Rational((7 * place) % 11 - 5, 4) for place, entry in enumerate(entries)}
    found = {"h": hidden, "yhat": guess, **symbols}
    values = SimpleNamespace(y=y, one=sp.ones(1, 2), **{name: _number(each, at) for name, each in found.items()})
    truth = {name: _number(each.applyfunc(lambda entry: sp.diff(loss, entry)), at) for name, each in symbols.items()}
    h = matrix(1, 2, sp.symbols("h_0 h_1"))
    above = (h * values.W2 + values.b2).applyfunc(sp.exp)
    of_h = -sum(wanted * sp.log(got / sum(above)) for wanted, got in zip(y, above, strict=True))
    truth["h"] = _number(h.applyfunc(lambda entry: sp.diff(of_h, entry)), dict(zip(h, values.h, strict=True)))
    return values, truth


@cache
def softmax() -> tuple[SimpleNamespace, dict[str, Expr]]:
    """Numbers for a softmax of three logits, the gradient of its cross entropy, and its Jacobian."""
    theta = matrix(1, 3, sp.symbols("t_0 t_1 t_2"))
    raised = theta.applyfunc(sp.exp)
    guess = raised / sum(raised)
    y = matrix([[sp.Rational(1, 2), sp.Rational(1, 3), sp.Rational(1, 6)]])
    loss = -sum(wanted * sp.log(got) for wanted, got in zip(y, guess, strict=True))
    at = dict(zip(theta, (sp.Rational(1, 3), -sp.Rational(5, 4), sp.Rational(7, 5)), strict=True))
    truth = {"CE": theta.applyfunc(lambda entry: sp.diff(loss, entry)), "yhat": guess.T.jacobian(theta)}
    return SimpleNamespace(y=y, yhat=_number(guess, at)), {name: _number(each, at) for name, each in truth.items()}


def _number(value: Expr, at: dict[Expr, Expr]) -> Expr:
    return value.subs(at).evalf(DIGITS)


def _equal(got: Expr, wanted: Expr) -> bool:
    if got.shape != wanted.shape:
        return False
    return bool(max(abs(entry) for entry in got - wanted) < sp.Float(10) ** (8 - DIGITS))


def gradient_cases() -> Iterator[Case]:
    """All answers of this file."""
    for problem, (values, truth), answers in (
        ("network-gradients", network(), NETWORK),
        ("softmax-gradient", softmax(), SOFTMAX),
    ):
        for of, meant, texts in answers:
            reference = next(texts[0] for name, _, texts in answers if name == of)
            yield from (Case(problem, text, _equal(meant(values), truth[of]), reference) for text in texts)
    for problem, _, meant, texts in NUMBERS:
        reference = next(each[3][0] for each in NUMBERS if each[0] == problem)
        yield from (Case(problem, text, _solves(problem, meant), reference) for text in texts)


def _solves(problem: str, meant: Meaning) -> bool:
    """Whether the equation of the problem holds, at some numbers."""
    p, b, size, eps = (
        [sp.Rational(1, 7), sp.Rational(2, 5), sp.Rational(3, 4)],
        sp.Rational(5, 2),
        6,
        sp.Rational(1, 50),
    )
    J = -sum(sp.log(each, b) for each in p) / 3
    value = meant(SimpleNamespace(b=b, J=J, n=size, eps=eps))
    wrong = {
        "perplexity-base": value - sp.root(1 / sp.prod(p), 3),
        "copy-margin": 1 / (1 + (size - 1) * sp.exp(-value)) - (1 - eps),
        "average-scale": sp.exp(value) / (2 * sp.exp(value) + size - 2) - (sp.Rational(1, 2) - eps),
    }[problem]
    return bool(abs(wrong.evalf(DIGITS)) < sp.Float(10) ** (8 - DIGITS))
