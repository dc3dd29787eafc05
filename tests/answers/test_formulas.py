"""Formulas as people write them: read alike, written back, and refused with the place and the reason."""

import contextlib
import time
from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from attnlab.answers.parsing.formulas import FormulaError, parse, parse_expression
from attnlab.answers.parsing.names import symbol
from attnlab.answers.parsing.nodes import Node, add, call, hadamard, name, negate, number, power, times, transpose

# What is typed, and what it is read as.
WRITTEN = {
    "q = C(k_a + k_b)": "q = C(k_a + k_b)",
    "q = C*k_a + C*k_b": "q = C k_a + C k_b",
    "M = A A^T": "M = A Aᵀ",
    "M = AA^T": "M = A Aᵀ",
    "M = A A'": "M = A Aᵀ",
    "M = A A.T": "M = A Aᵀ",
    r"M = A A^{\top}": "M = A Aᵀ",
    r"M = A\,A^\mathsf{T}": "M = A Aᵀ",
    "M = A @ transpose(A)": "M = A Aᵀ",
    "M = A(A^TA)^{-1}A^T": "M = A(Aᵀ A)⁻¹ Aᵀ",
    "M = A inv(A' A) A'": "M = A(Aᵀ A)⁻¹ Aᵀ",
    r"q_1 = \lambda \mu_a": "q_1 = λ μ_a",
    r"q_1 = \lambda\boldsymbol{\mu}_{a}": "q_1 = λ μ_a",
    "q1 = lambda mu_a": "q_1 = λ μ_a",
    "q₁ = λμₐ": "q_1 = λ μ_a",
    r"q = \frac{t}{2}(u_a+u_b)": "q = (t/2)(u_a + u_b)",
    r"q = \frac12 C (k_a+k_b)": "q = ½ C(k_a + k_b)",
    "q = ½C(k_a+k_b)": "q = ½ C(k_a + k_b)",
    "V = (u_b u_b^T - u_c u_c^T)/β²": "V = (u_b u_bᵀ − u_c u_cᵀ)/β²",
    r"V = \frac{1}{\beta^2}\left(u_b u_b^\top - u_c u_c^\top\right)": "V = (1/β²)(u_b u_bᵀ − u_c u_cᵀ)",
    "Q = (u_d u_a^T + u_c u_d^T)/‖u_a‖^2": "Q = (u_d u_aᵀ + u_c u_dᵀ)/‖u_a‖²",
    r"Q = u_d u_a^T/\|u_a\|^2": "Q = u_d u_aᵀ/‖u_a‖²",
    "q = -C Σ_{i≠a,b} μ_i": "q = −C Σ_{i≠a,b} μ_i",
    r"q = -C\sum_{i \notin \{a,b\}} \mu_i": "q = −C Σ_{i≠a,b} μ_i",
    r"M = \sum_{i=1}^m a_i a_i^T": "M = Σ_i a_i a_iᵀ",
    r"\alpha_a = \frac{e^{C}}{2e^{C}+n-2}": "α_a = e^C/(2 e^C + n − 2)",
    "α_a = 1/(1 + exp(-Cγ))": "α_a = 1/(1 + exp(−C γ))",
    "$q = 1e3 (k_a + k_b)$": "q = 1000(k_a + k_b)",
    "q_1 = C μ_a, q_2 = C μ_b": "q_1 = C μ_a, q_2 = C μ_b",
    "q_1 = C μ_a; q_2 = C μ_b": "q_1 = C μ_a, q_2 = C μ_b",
    "q_1 = C μ_a and q_2 = C μ_b": "q_1 = C μ_a, q_2 = C μ_b",
    "C(k_a + k_b)": "C(k_a + k_b)",
    r"V = \frac{u_b u_b^T - u_c u_c^T}{\beta^2}": "V = (u_b u_bᵀ − u_c u_cᵀ)/β²",
    "q = C‖k_a‖(k_a+k_b)": "q = C ‖k_a‖(k_a + k_b)",
    r"q = \lVert k_a \rVert_2 k_b": "q = ‖k_a‖ k_b",
    "q := C**2 k_a.": "q = C² k_a",
    "q\u00a0≈ C µ_a": "q = C μ_a",
    "ｑ ＝ 𝐶 𝐤_a": "q = C k_a",
    r"q = C \mathbf{k_a} + C k_{\text{b}}": "q = C k_a + C k_b",
    r"q = C \left\{ k_a + k_b \right\}": "q = C(k_a + k_b)",
    r"\begin{align} q &= C k_a \end{align}": "q = C k_a",
    r"q = -C \sum_{i \neq a, i\neq b} k_i": "q = −C Σ_{i≠a,b} k_i",
    "M = I_d - B B^T": "M = I − B Bᵀ",
    r"M = \mathrm{Id} - B B^T": "M = I − B Bᵀ",
    "q_1 = q_2 = C μ_a": "q_1 = C μ_a, q_2 = C μ_a",
    "q = \\frac{C}{2}\n(k_a + k_b)": "q = (C/2)(k_a + k_b)",
    "q_1 = C μ_a\nq_2 = C μ_b": "q_1 = C μ_a, q_2 = C μ_b",
    "“q = C k_a”": "q = C k_a",
    "q = C times (k_a + k_b)": "q = C(k_a + k_b)",
    "q = 0.5C k_a + 1/2 C k_b": "q = 0.5C k_a + ½ C k_b",
    "q_a = λμ_1": "q_a = λ μ_1",
    r"c \to v_a": "c = v_a",
    "c → ½(v_a + v_b)": "c = ½(v_a + v_b)",
    "M = A A^+": "M = A A⁺",
    r"M = A A^\dagger": "M = A A⁺",
    r"M = A A^{\dagger}": "M = A A⁺",
    "M = A pinv(A)": "M = A A⁺",
    "M = a_1 a_1^T": "M = a_1 a_1ᵀ",
    r"q = C \hat{k}_j": "q = C k̂_j",
    r"q = -C \sum_{i \in [n] \setminus \{a,b\}} \mu_i": "q = −C Σ_{i≠a,b} μ_i",
    r"q = -C \sum_{i \in \{1, \dots, n\} \setminus \{a, b\}} \mu_i": "q = −C Σ_{i≠a,b} μ_i",
    r"q = -C \sum_{i=1, i \neq a,b}^{n} \mu_i": "q = −C Σ_{i≠a,b} μ_i",
    r"q = -C \sum_{\substack{i \ne a \\ i \ne b}} \mu_i": "q = −C Σ_{i≠a,b} μ_i",
    r"q = \sum\limits^n_{i=1} k_i": "q = Σ_i k_i",
    "q = C Σk_i + ln(C) k_j": "q = C Σ_i k_i + ln(C) k_j",
    "q = ∑_i k_i": "q = Σ_i k_i",
    r"\begin{cases} q_1 = C\mu_a \\ q_2 = C\mu_b \end{cases}": "q_1 = C μ_a, q_2 = C μ_b",
    r"\left\{\begin{array}{l} q_1 = C\mu_a \\[4pt] q_2 = C\mu_b \end{array}\right.": "q_1 = C μ_a, q_2 = C μ_b",
    r"q_1 = C\mu_a \qquad q_2 = C\mu_b": "q_1 = C μ_a, q_2 = C μ_b",
    r"\begin{aligned} q &= C k_a \\ &\quad + C k_b \end{aligned}": "q = C k_a + C k_b",
    "-C Σ_{i≠a,b} μ_i": "−C Σ_{i≠a,b} μ_i",
    r"α_a = \exp(-C) + \log C + e^{-C}": "α_a = exp(−C) + ln(C) + e^{−C}",
    r"q = \sqrt[3]{C} k_a + √2 k_b": "q = C^{⅓} k_a + sqrt(2) k_b",
    r"q = \ln C^2 k_a + \ln(C)^2 k_b": "q = ln(C²) k_a + ln(C)² k_b",
    r"q = C^\frac12 k_a": "q = C^{½} k_a",
    r"α_a = k^\top_a q + kᵀ_b q": "α_a = k_aᵀ q + k_bᵀ q",
    "h ⊙ (1 - h)": "h ⊙ (1 − h)",
    r"W_2^T x \odot h": "W_2ᵀ x ⊙ h",
    r"h \circ (1 - h)": "h ⊙ (1 − h)",
    "h ∘ (1 - h)": "h ⊙ (1 − h)",
    "2.*h .* (1 - h)": "2 ⊙ h ⊙ (1 − h)",
    "σ(x)": "σ(x)",
    r"\sigma\left(x\right)": "σ(x)",
    "sigmoid(x)": "σ(x)",
    r"\operatorname{sigmoid}(x)": "σ(x)",
    "σ'(x)": "σ'(x)",
    r"\sigma'(W_1 x)": "σ'(W_1 x)",
    r"\operatorname{diag}(x) + diag(x)": "diag(x) + diag(x)",
    "∂J/∂x = [((ŷ − y)W₂ᵀ) ⊙ h ⊙ (1 − h)] W₁ᵀ": "∂J/∂x = ((ŷ − y) W_2ᵀ ⊙ h ⊙ (1 − h)) W_1ᵀ",
    r"\frac{\partial J}{\partial x} = \hat{y} - y": "∂J/∂x = ŷ − y",
    r"\partial CE / \partial θ = \hat y - y": "∂CE/∂θ = ŷ − y",
    r"\nabla_{\theta} CE(y, ŷ) = yhat - y": "∂CE/∂θ = ŷ − y",
    "∇_x J = y_hat - y": "∂J/∂x = ŷ − y",
    "dJ/dx = ŷ - y": "∂J/∂x = ŷ − y",
    r"\frac{dJ}{dW^{(1)}} = x": "∂J/∂W_1 = x",
    "W_1 + W₁ + W1 + W^{(1)} + W^{[1]}": "W_1 + W_1 + W_1 + W_1 + W_1",
    r"W^{(1)\top} + b^{(1)}": "W_1ᵀ + b_1",
    "log_b(p) + log2(p)": "ln(p)/ln(b) + ln(p)/ln(2)",
    r"\log_2 p + \log_{b} p + \log_{b+1} p": "ln(p)/ln(2) + ln(p)/ln(b) + ln(p)/ln(b + 1)",
    r"\prod_{i=1}^n p_i + Π_i p_i": "Π_i p_i + Π_i p_i",
    "b^J + 2^{H}": "b^J + 2^H",
    r"M = A A^{\text{T}}": "M = A Aᵀ",
}


@pytest.mark.parametrize(("typed", "read"), WRITTEN.items())
def test_a_formula_is_read_however_it_is_written(typed, read):
    assert str(parse(typed)) == read
    assert parse(read).expressions == parse(typed).expressions


SMALL = ["s → 0", r"s \to 0^+", "s ≪ 1", r"s \ll 1", "s is small", "small s", "s tends to 0"]


@pytest.mark.parametrize("said", SMALL)
@pytest.mark.parametrize("link", [", ", " as ", " for "])
def test_a_constant_can_be_said_to_be_small(said, link):
    answer = parse(f"q = k_j/s{link}{said}")
    assert (str(answer), answer.small, answer.large) == ("q = k_j/s", {"s"}, frozenset())


EVERY = ["", " for all i ≠ j", r" \forall i \neq j", r"\quad \text{for all } i \ne j", " (i ≠ j)", ", for i != j"]


@pytest.mark.parametrize("every", EVERY)
@pytest.mark.parametrize("far", ["≫", ">>", r"\gg"])
def test_a_condition_says_what_is_far_above_what(far, every):
    answer = parse(f"If k_j^T q {far} k_i^T q{every}")
    assert not answer.expressions
    (condition,) = answer.conditions
    assert (str(condition.left), str(condition.right)) == ("k_jᵀ q", "k_iᵀ q")
    assert (condition.index, condition.left_out) == (("i", ("j",)) if every else ("", ()))
    assert parse(str(answer)) == answer


def test_a_condition_may_follow_a_formula_and_name_the_smaller_side_first():
    answer = parse(r"q = C k_j, k_i^T q \ll k_j^T q for all i")
    assert str(answer) == "q = C k_j, k_jᵀ q ≫ k_iᵀ q for all i"


def test_a_limit_and_a_list_declare_constants():
    answer = parse(r"q = \lim_{r \to \infty} r k_a")
    assert (str(answer), answer.large) == ("q = r k_a", {"r"})
    answer = parse(r"q_1 = x k_a, q_2 = y k_b, x, y \gg 0, x \in \mathbb{R}")
    assert (str(answer), answer.large) == ("q_1 = x k_a, q_2 = y k_b", {"x", "y"})


def test_sigma_is_a_constant_if_the_answer_says_so():
    assert parse("q = σ(k_a + k_b), σ ≫ 0").expressions == {"q": times(name("σ"), add(name("k_a"), name("k_b")))}
    assert parse_expression("σ(x)") == call("sigmoid", name("x"))


SAID = [
    "C ≫ 0",
    r"C \gg 1",
    "C > 0",
    "C → ∞",
    r"C \to \infty",
    "C -> inf",
    "C is large",
    "C large",
    "large C",
    "C is a very large constant",
    "C tends to infinity",
    "1 ≪ C",
]


@pytest.mark.parametrize("said", SAID)
@pytest.mark.parametrize("link", [", ", "; ", " where ", " with ", " for ", " as ", r" \quad ", r" \text{ where } "])
def test_a_constant_can_be_said_to_be_large(said, link):
    answer = parse(f"q = C k_a{link}{said}")
    assert (str(answer), answer.large) == ("q = C k_a", {"C"})


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (r"\mu_{a}", "μ_a"),
        ("mu_a", "μ_a"),
        ("μₐ", "μ_a"),
        ("q1", "q_1"),
        ("q₁₂", "q_12"),
        (r"\vec{k}_b", "k_b"),
        ("I", "I"),
        (r"\hat{\mu}_a", "μ̂_a"),
        (r"\widehat{\mathbf{y}}", "ŷ"),
        ("muhat_1", "μ̂_1"),
        (r"\varphi", "φ"),
        ("Delta", "Δ"),
        ("W^{(2)}", "W_2"),
    ],
)
def test_a_symbol_has_one_name(written, meant):
    assert symbol(written) == meant


REFUSED = {
    "q = C(k_a + )": "'q = C(k_a + )', character 13: expected a name, a number or '(', got ')'",
    "q = C(k_a + k_b": "'q = C(k_a + k_b', character 16: expected ')' or an operator, but the formula ends",
    "q = C k_a)": "'q = C k_a)', character 10: expected an operator or '=', got ')'",
    "q =": "'q =', character 4: expected a name, a number or '(', but the formula ends",
    "= C": "'= C', character 1: expected a name, a number or '(', got '='",
    "q = C ? k_a": "'q = C ? k_a', character 7: expected an operator, a name or a number, got '?'",
    "q = ‖k_a": "'q = ‖k_a', character 5: expected an operator, a name or a number, got '‖'",
    r"q = \foo k_a": r"'q = \foo k_a', character 5: expected an operator, a name or a number, got '\foo'",
    "q = C k_a = ": "'q = C k_a =', character 12: expected a name, a number or '(', but the formula ends",
    "2q = C k_a": "expected a name on the left of =, got '2q'",
    "q = ⟨k_a⟩": "'q = ⟨k_a⟩', character 9: expected an operator, got '⟩'",
    "q = C^" + "9" * 40: "expected 0 or a number from 1e-300 to 1e+15, got '" + "9" * 40 + "'",
    "q = 1e-999999999 k_a": "expected 0 or a number from 1e-300 to 1e+15, got '1e-999999999'",
    "Σ_{i=1}^{2} k_i": "expected a sum over all members, such as Σ_i or Σ_{i≠a,b}, got 'Σ_{i=1}^{2}'",
    "q = __import__('os')": "character 5: expected an operator, a name or a number, got '_'",
    "": "expected a formula such as q = C(k_a + k_b), got an empty text",
    "C >> 0": "expected a formula such as q = C(k_a + k_b), got only a condition",
    "q = k_a; q = k_b": "q is given twice: 'q = k_a; q = k_b'",
    "Σ_{i<3} k_i": "expected a sum over all members, such as Σ_i or Σ_{i≠a,b}, got 'Σ_{i<3}'",
    "x" * 10_000_000: "expected a formula of at most 1000 characters, got 10,000,000",
    "Σ k_i v_l": "expected a sum over all members, such as Σ_i or Σ_{i≠a,b}, got 'Σ'",
    "√" * 900 + "2": "expected a formula nested at most 40 deep, got a deeper formula",
    "Σ_i " * 4 + "k_i": "expected a formula of at most 1000 operations, got a longer formula",
}


@pytest.mark.parametrize(("typed", "said"), REFUSED.items(), ids=lambda text: text[:20])
def test_what_cannot_be_read_is_refused_with_the_place(typed, said):
    with pytest.raises(FormulaError) as refused:
        parse(typed)
    assert str(refused.value).endswith(said)


HOSTILE = [
    "q = Σ_{" + r"\{a}" * 240,
    "q = C k_a" + " " * 900 + "+ C k_b",
    "q = C k_a" + " , where" * 120,
    "q = " + "k" * 990,
    "q = " + "a_{" * 330,
    "q = " + "|a" * 490,
    "q = " + r"\lVert a" * 120,
    "q = " + r"\text{" * 160,
    "q = " + r"\quad a" * 140,
    "q = " + "i ≠ a, " * 140,
    "q = " + "is very " * 120,
    "q = " + "(a > " * 190,
    "q = " + "Σ" * 990,
    r"\\" * 490 + "=",
]


@pytest.mark.parametrize("typed", HOSTILE, ids=lambda text: text[:16])
def test_no_text_takes_long_to_read(typed):
    parse("q = C k_a")  # the grammar is made once
    began = time.process_time()
    with contextlib.suppress(FormulaError):
        parse(typed)
    assert time.process_time() - began < 1


@pytest.mark.parametrize("typed", ["0.1", "1e-9", "3.", ".5", "0.30000000000000004", "12345678901.5", "1e15", "0e9"])
def test_a_number_is_exact_and_written_with_all_its_digits(typed):
    read = parse_expression(typed)
    assert read == number(Fraction(typed))
    assert parse_expression(str(read)) == read


def test_a_float_is_the_decimal_that_it_shows():
    assert number(0.1) == parse_expression("0.1")


def test_brackets_as_deep_as_a_formula_is_long_are_read():
    assert parse_expression("(" * 450 + "A" + ")" * 450) == name("A")


NAMES = st.sampled_from(["A", "k_a", "μ_b", "C", "λ", "n", "u_1", "ŷ", "k̂_a", "∂J/∂x"]).map(name)
NUMBERS = st.one_of(st.integers(0, 99), st.decimals(0, 999, places=3).map(Fraction)).map(number)


def combined(inner: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    several = st.lists(inner, min_size=2, max_size=3)
    return st.one_of(
        several.map(lambda terms: add(*terms)),
        several.map(lambda factors: times(*factors)),
        inner.map(negate),
        inner.map(transpose),
        st.tuples(inner, inner).map(lambda pair: Node("over", pair)),
        st.tuples(inner, st.one_of(NAMES, st.integers(2, 9).map(number))).map(lambda pair: power(*pair)),
        several.map(lambda factors: hadamard(*factors)),
        st.tuples(st.sampled_from(["exp", "ln", "pinv", "sigmoid", "sigmoid'", "diag"]), inner).map(
            lambda pair: call(*pair)
        ),
        st.tuples(st.sampled_from(["each", "product"]), inner).map(
            lambda pair: Node(pair[0], (pair[1],), ("i", ("a",)))
        ),
    )


@given(st.recursive(st.one_of(NAMES, NUMBERS), combined, max_leaves=8))
def test_what_is_written_is_read_back_the_same(node):
    sums = sum(1 for _, each in node.walk() if each.op in ("each", "product"))
    assume(sums < 3)  # more work than a formula may be
    assert parse_expression(str(node)) == node
