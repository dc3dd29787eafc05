"""Answers written by hand, each beside its meaning, from which SymPy decides whether it is right."""

from collections.abc import Callable, Iterator

import sympy as sp

from cases import Case
from meanings import Expr, Query, even, gives, only_a, query

C, n, gamma, beta = sp.symbols("C n gamma beta", positive=True)
LN, EXP, X = sp.log(C), sp.exp(C), sp.sqrt(C)

AVERAGES: dict[str, Query] = {
    "q = C(k_a + k_b)": query((C, "a + b")),
    "C times (k_a + k_b)": query((C, "a + b")),
    "q = ½C(k_a+k_b)": query((C / 2, "a + b")),
    "1/2 C (k_a + k_b)": query((C / 2, "a + b")),
    "0.5C k_a + 0.5C k_b": query((C / 2, "a + b")),
    r"q = \frac{t}{2}(u_a+u_b), t \gg 0": query((C / 2, "a + b")),
    r"\mathbf{q} = \lambda\left(\boldsymbol{\mu}_a + \boldsymbol{\mu}_b\right)": query((C, "a + b")),
    r"q = \beta k_a + \beta k_b \text{ for large } \beta": query((C, "a + b")),
    "q = (k_a + k_b)/s as s → 0": query((C, "a + b")),
    "q = 1e3 C k_a + 1000 C k_b": query((1000 * C, "a + b")),
    "Let q = C(k_a+k_b) with C → ∞.": query((C, "a + b")),
    "q = -C Σ_{i≠a,b} k_i": query((-C, "others")),
    r"-C \sum_{i \in [n] \setminus \{a,b\}} k_i": query((-C, "others")),
    "q = ln(ln C)(k_a+k_b)": query((sp.log(LN), "a + b")),
    "q = e^C(k_a + k_b)": query((EXP, "a + b")),
    r"q = \exp(C)\, k_a + e^{C} k_b": query((EXP, "a + b")),
    r"q = \sqrt[3]{C}\,(k_a + k_b)": query((C ** sp.Rational(1, 3), "a + b")),
    "q = C Σ_i k_i + C(k_a + k_b)": query((C, "all"), (C, "a + b")),
    "q = C k_a + (C + e^{-C}) k_b": query((C, "a"), (C + 1 / EXP, "b")),
    "q = C²(k_a+k_b) + k_a/C": query((C**2, "a + b"), (1 / C, "a")),
    "q = (C + 1)²(k_a+k_b) − C² (k_a + k_b)": query((2 * C + 1, "a + b")),
    "q = r(k_a + k_b), r >> 0": query((C, "a + b")),
    "q = k_a + k_b": query((1, "a + b")),
    "q = C k_a": query((C, "a")),
    "q = C(k_a - k_b)": query((C, "a - b")),
    "q = -C(k_a + k_b)": query((-C, "a + b")),
    "q = (k_a + k_b)/C": query((1 / C, "a + b")),
    "q = C k_a + 2C k_b": query((C, "a"), (2 * C, "b")),
    "q = C²(k_a+k_b) + k_a": query((C**2, "a + b"), (1, "a")),
    "q = 1000C²(k_a+k_b) + k_a": query((1000 * C**2, "a + b"), (1, "a")),
    "q = C³(k_a+k_b) + k_a": query((C**3, "a + b"), (1, "a")),
    "q = C³k_a + (C³+1)k_b": query((C**3, "a"), (C**3 + 1, "b")),
    "q = C⁴(k_a+k_b)+k_b": query((C**4, "a + b"), (1, "b")),
    "q = e^C(k_a+k_b)+k_a": query((EXP, "a + b"), (1, "a")),
    "q = e^C(k_a+k_b)+k_b": query((EXP, "a + b"), (1, "b")),
    "q = e^C(k_a+k_b)+C k_a": query((EXP, "a + b"), (C, "a")),
    "q = C(k_a+k_b) + ln(C)k_a": query((C, "a + b"), (LN, "a")),
    "q = C(k_a+k_b) + C^{1/10}k_a": query((C, "a + b"), (C ** sp.Rational(1, 10), "a")),
    "q = C k_a + (C−ln C)k_b": query((C, "a"), (C - LN, "b")),
    "q = 10^{20}(k_a+k_b)+k_a": query((10**20, "a + b"), (1, "a")),
    "q = C(n−5)²(k_a+k_b)": query((C * (n - 5) ** 2, "a + b")),
    "q = C(k_a+k_b) + 10^{-30} k_a": query((C, "a + b"), (sp.Rational(1, 10**30), "a")),
    "q = C(k_a+k_b) + ln(ln(C)) k_b": query((C, "a + b"), (sp.log(LN), "b")),
    "q = ln(1 + 1/C)(k_a+k_b)": query((sp.log(1 + 1 / C), "a + b")),
    "q = (sqrt(C+1) - sqrt(C))(k_a+k_b)": query((sp.sqrt(C + 1) - X, "a + b")),
    "q = C Σ_i k_i": query((C, "all")),
    "q = C Σ_{i≠a,b} k_i": query((C, "others")),
    "q = -C Σ_{i≠a} k_i": query((-C, "others + b")),
}
COPIES: dict[str, Query] = {
    "q = C k_j": query((C, "a")),
    "q = k_j/s, s → 0": query((C, "a")),
    r"q = C \hat{k}_j": query((C, "a")),
    "C k_j + e^C Σ_i k_i": query((C, "a"), (EXP, "all")),
    "(C+ln C)k_j − C k_j": query((LN, "a")),
    "C^{0.01} k_j": query((C ** sp.Rational(1, 100), "a")),
    "C Σk_i + ln(C)k_j": query((C, "all"), (LN, "a")),
    "q = -C Σ_{i≠j} k_i": query((-C, "b + others")),
    r"q = C \left(k_j - \sum_{i \neq j} k_i\right)": query((C, "a - b - others")),
    "q = e^{2C} k_j": query((EXP**2, "a")),
    r"q = \log_2(C) k_j": query((LN / sp.log(2), "a")),
    "q = C k_j − 7 Σ_{i≠j} k_i": query((C, "a"), (-7, "b + others")),
    "q = k_j": query((1, "a")),
    "q = 3 k_j": query((3, "a")),
    "q = -C k_j": query((-C, "a")),
    "q = k_j/C": query((1 / C, "a")),
    "q = C Σ_i k_i": query((C, "all")),
    "q = C Σ_{i≠j} k_i": query((C, "b + others")),
    "q = C k_j + C Σ_{i≠j} k_i + k_j": query((C + 1, "a"), (C, "b + others")),
    "q = e^{-C} k_j + C Σ_i k_i": query((1 / EXP, "a"), (C, "all")),
    "(C + ln C) k_j − (C + ln(2C)) k_j": query((-sp.log(2), "a")),
    "q = C k_j + C² Σ_{i≠j} k_i": query((C, "a"), (C**2, "b + others")),
}

Matrix = Callable[[Expr, Expr, Expr], Expr]
EXTRACTS: list[tuple[Matrix, list[str]]] = [
    (
        lambda A, B, one: A * A.T,
        [
            "M = A A^T",
            "M = AA'",
            r"M = A A^{\top}",
            "M = A @ A.T",
            "A Aᵀ",
            "M = A*transpose(A)",
            r"\mathbf{M} = \mathbf{A}\mathbf{A}^\mathsf{T}",
            r"M = \sum_{i=1}^m a_i a_i^T",
            "M = Σ_i a_i a_iᵀ",
            "M = Σ a_i a_i^T",
            r"M = A\,A^\intercal",
            "M := AA^T",
        ],
    ),
    (
        lambda A, B, one: one - B * B.T,
        [
            "M = I - B B^T",
            r"M = I_d - BB^\top",
            "M = -(B B^T - I)",
            r"M = I - \sum_i b_i b_i^T",
            r"M = \mathbb{1} - B B^{T}",
        ],
    ),
    (
        lambda A, B, one: A * (A.T * A).inv() * A.T,
        [
            "M = A(A^TA)^{-1}A^T",
            "M = A inv(A' A) A'",
            "M = A A^+",
            r"M = A A^\dagger",
            "M = A pinv(A)",
            r"M = A\left(A^\top A\right)^{-1}A^\top",
        ],
    ),
    (lambda A, B, one: (A * A.T) ** 2, ["M = (A A^T)²", "M = (A A^T)^2", "M = A A^T A A^T"]),
    (
        lambda A, B, one: A * A.T * (one - B * B.T),
        ["M = A A^T (I - B B^T)", "M = (I - B B^T) A A^T", "M = A A^T - A A^T B B^T"],
    ),
    (
        lambda A, B, one: (A * A.T + one - B * B.T) / 2,
        ["M = ½(A A^T + I - B B^T)", r"M = \frac{1}{2}(AA^T + I - BB^T)"],
    ),
    (lambda A, B, one: 2 * A * A.T - A * A.T, ["M = 2 A A^T - A A^T"]),
    (lambda A, B, one: A * A.T + A * A.T * B * B.T, ["M = A A^T + A A^T B B^T"]),
    (lambda A, B, one: 2 * A * A.T, ["M = 2 A A^T", "M = A A^T + A A^T"]),
    (lambda A, B, one: -A * A.T, ["M = -A A^T"]),
    (lambda A, B, one: B * B.T, ["M = B B^T", r"M = BB^\top", "M = Σ_i b_i b_i^T"]),
    (lambda A, B, one: one, ["M = I", "M = A A^T + B B^T + (I - A A^T - B B^T)"]),
    (lambda A, B, one: one - A * A.T, ["M = I - A A^T"]),
    (lambda A, B, one: one + B * B.T, ["M = I + B B^T"]),
    (lambda A, B, one: A * A.T + B * B.T, ["M = A A^T + B B^T", "M = Σ_i a_i a_i^T + Σ_i b_i b_i^T"]),
    (lambda A, B, one: A * A.T - B * B.T, ["M = A A^T - B B^T"]),
    (lambda A, B, one: A * A.T / 2, ["M = ½ A A^T", "M = A A^T/2"]),
    (lambda A, B, one: A[:, :1] * A[:, :1].T, ["M = a_1 a_1^T"]),
    (lambda A, B, one: A.T, ["M = A^T", "M = A'"]),
    (lambda A, B, one: A.T * A, ["M = A^T A", "M = A'A"]),
    (lambda A, B, one: A * B.T, ["M = A B^T"]),
    (
        lambda A, B, one: A * A.T + A * A.T * sp.Rational(1, 10**20),
        ["M = A A^T + 10^{-20} A A^T", "M = (1 + 1e-20) A A^T"],
    ),
    (lambda A, B, one: one - sp.Rational(999, 1000) * B * B.T, ["M = I - 0.999 B B^T"]),
]

E = EXP
SHARE, NOISY = E / (2 * E + n - 2), 1 / (1 + sp.exp(-C * gamma) + (n - 2) * sp.exp(-C * (1 + gamma)))
NOISY_B = 1 / (1 + sp.exp(C * gamma) + (n - 2) * sp.exp(-C))
PREDICTIONS: list[tuple[str, str, Expr, Expr]] = [
    ("average", text, meant, SHARE)
    for text, meant in {
        r"α_a = \frac{e^C}{2e^C + n - 2}": SHARE,
        "α_a = e^C/(2e^C + n - 2)": SHARE,
        r"\alpha_b = \frac{\exp(C)}{2\exp(C) + (n-2)}": SHARE,
        "α_a = 1/(2 + (n-2)e^{-C})": SHARE,
        "alpha_a = exp(C)/(exp(C) + exp(C) + n - 2)": SHARE,
        "α_b = (2 + (n − 2)/e^C)^{-1}": SHARE,
        "α_a = ½ − (n−2)/(2(2e^C + n − 2))": SHARE,
        r"\alpha_a = \frac{1}{2}\cdot\frac{1}{1 + \frac{n-2}{2} e^{-C}}": SHARE,
        "α_a = e^C/(e^C + n - 1)": E / (E + n - 1),
        "α_a = 1/n": 1 / n,
        "α_a = 1/(1 + e^C)": 1 / (1 + E),
        "α_a = e^C/(2e^C + (n-2)e^C)": 1 / n,
        "α_b = 2e^C/(2e^C + n - 2)": 2 * SHARE,
        "α_a = e^{-C}/(2e^{-C} + n - 2)": 1 / (2 + (n - 2) * E),
        "α_a = 1": sp.Integer(1),
        "α_b = 0": sp.Integer(0),
        "α_a = C/(2C + n)·2": 2 * C / (2 * C + n),
    }.items()
] + [
    ("average-norm-noise", text, meant, exact)
    for text, meant, exact in [
        ("α_a = 1/(1 + e^{-Cγ} + (n-2)e^{-C(1+γ)})", NOISY, NOISY),
        (r"\alpha_a = \frac{e^{C(1+\gamma)}}{e^{C(1+\gamma)} + e^{C} + n - 2}", NOISY, NOISY),
        ("α_b = 1/(1 + exp(Cγ) + (n-2)exp(-C))", NOISY_B, NOISY_B),
        ("α_b = e^C/(e^C + e^{C + Cγ} + n - 2)", NOISY_B, NOISY_B),
        ("α_a = ½", sp.Rational(1, 2), NOISY),
        ("α_a = 1", sp.Integer(1), NOISY),
        (
            "α_a = 1/(1 + e^{Cγ} + (n-2)e^{-C(1+γ)})",
            1 / (1 + sp.exp(C * gamma) + (n - 2) * sp.exp(-C - C * gamma)),
            NOISY,
        ),
        ("α_b = 1/(1 + e^{-Cγ} + (n-2)e^{-C})", 1 / (1 + sp.exp(-C * gamma) + (n - 2) / E), NOISY_B),
        ("α_b = e^C/(2e^C + n - 2)", SHARE, NOISY_B),
    ]
]

REFERENCES = {
    "average": "q = C(k_a + k_b)",
    "copy": "q = C k_j",
    "extract": "M = A A^T",
    "self-attention": r"Q = (u_d u_a^T + u_c u_d^T)/\beta^2, V = (u_b u_b^T - u_c u_c^T)/\beta^2",
}
WEIGHTS = {
    SHARE: r"\frac{e^C}{2 e^C + n - 2}",
    NOISY: r"\frac{1}{1 + e^{-C \gamma} + (n-2) e^{-C (1 + \gamma)}}",
    NOISY_B: r"\frac{1}{1 + e^{C \gamma} + (n-2) e^{-C}}",
}
Part = tuple[int, str, str]
RIGHT_Q, RIGHT_V = ((1, "d", "a"), (1, "c", "d")), ((1, "b", "b"), (-1, "c", "c"))


def written_cases() -> Iterator[Case]:
    """All answers of this file, decided by SymPy."""
    for name, answers, aim in (("average", AVERAGES, even), ("copy", COPIES, only_a)):
        for text, meant in answers.items():
            found = gives((meant,), aim)
            assert found is not None, text
            yield Case(name, text, found, REFERENCES[name])
    for meant, texts in EXTRACTS:
        yield from (Case("extract", text, _extracts(meant), REFERENCES["extract"]) for text in texts)
    for name, text, meant, exact in PREDICTIONS:
        told = _predicts(meant, exact)
        assert told is not None, text
        yield Case(name, text, told, f"{text.partition(' =')[0]} = {WEIGHTS[exact]}")
    yield from _self_attention()


def _extracts(meant: Matrix) -> bool:
    """M A = A and M B = 0, for exact orthonormal columns (rotations by Cayley's formula)."""
    for d, m, p in ((2, 1, 1), (3, 1, 1), (5, 2, 2)):
        skew = sp.Matrix(d, d, lambda row, column: (row - column) * sp.Rational(1, 1 + row + column))
        turn = (sp.eye(d) - skew) * (sp.eye(d) + skew).inv()
        A, B = turn[:, :m], turn[:, m : m + p]
        try:
            M = meant(A, B, sp.eye(d))
        except sp.matrices.exceptions.ShapeError:
            return False
        if M.shape != (d, d) or sp.simplify(M * A - A) != sp.zeros(d, m) or sp.simplify(M * B) != sp.zeros(d, p):
            return False
    return True


def _predicts(meant: Expr, exact: Expr) -> bool | None:
    """True if equal; False if even the limits differ; None if only the limits agree."""
    if sp.simplify((meant - exact).rewrite(sp.exp)) == 0:
        return True
    for size, draw in ((3, sp.Rational(1, 4)), (5, -sp.Rational(1, 4))):
        at = {n: size, gamma: draw}
        if sp.limit(meant.subs(at), C, sp.oo) != sp.limit(exact.subs(at), C, sp.oo):
            return False
    return None


def _self_attention() -> Iterator[Case]:
    """The right answer in several notations, and every answer with one sign or one index changed."""
    for scale in (1, 2, 3):
        for power in (2, 1):
            told = _attends(RIGHT_Q, RIGHT_V, scale, power)
            q = f"{scale if scale > 1 else ''}({_outer(RIGHT_Q)})/β{'²' * (power == 2)}"
            text = f"V = ({_outer(RIGHT_V)})/β², K = I, Q = {q}"
            yield Case("self-attention", text, told, REFERENCES["self-attention"])
    for q, v in [(RIGHT_Q, RIGHT_V), *_slips()]:
        told = _attends(q, v, 1, 2)
        yield Case(
            "self-attention", f"V = ({_outer(v)})/β², K = I, Q = ({_outer(q)})/β²", told, REFERENCES["self-attention"]
        )
        typeset = rf"Q = \frac{{1}}{{\beta^2}}\left({_outer(q)}\right), V = \frac{{{_outer(v)}}}{{\beta^2}}"
        yield Case("self-attention", typeset.replace("^T", r"^\top"), told, REFERENCES["self-attention"])


def _slips() -> Iterator[tuple[tuple[Part, ...], tuple[Part, ...]]]:
    for at in (0, 1):
        for change in ("sign", "turn", "a", "b"):
            yield _slip(RIGHT_Q, at, change), RIGHT_V
            if change in ("sign", "a"):
                yield RIGHT_Q, _slip(RIGHT_V, at, change)


def _slip(parts: tuple[Part, ...], at: int, change: str) -> tuple[Part, ...]:
    sign, row, column = parts[at]
    changed = {"sign": (-sign, row, column), "turn": (sign, column, row)}.get(change, (sign, change, column))
    return (*parts[:at], changed, *parts[at + 1 :])


def _outer(parts: tuple[Part, ...]) -> str:
    text = " ".join(f"{'-' if sign < 0 else '+'} u_{row} u_{column}^T" for sign, row, column in parts)
    return text.removeprefix("+ ")


def _attends(q: tuple[Part, ...], v: tuple[Part, ...], scale: int, power: int) -> bool:
    """Whether c_1 ≈ u_b − u_c and c_2 ≈ u_b, in units of β."""
    u = {name: beta * sp.eye(4)[:, at] for at, name in enumerate("abcd")}
    Q, V = (sum((s * u[r] * u[c].T for s, r, c in parts), sp.zeros(4)) for parts in (q, v))
    Q, V = scale * Q / beta**power, V / beta**2
    x = sp.Matrix.hstack(u["d"] + u["b"], u["a"], u["c"] + u["b"])
    for column, wanted in ((0, u["b"] - u["c"]), (1, u["b"])):
        at = x.T * Q * x[:, column]
        shares = [1 / sum(sp.exp(sp.limit(other - own, beta, sp.oo)) for other in at) for own in at]
        got = (V * x / beta) * sp.Matrix([0 if share == 0 else share for share in shares])
        if sp.simplify(got - wanted / beta) != sp.zeros(4, 1):
            return False
    return True
