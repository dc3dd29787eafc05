"""Formulas on a page: indices lowered, powers raised, everything else as it was, and nothing that is markup."""

import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnlab.report.writing.maths import set_formulas


@pytest.mark.parametrize(
    ("text", "page"),
    [
        ("k_jᵀq ≫ k_iᵀq", "k<sub>j</sub>ᵀq ≫ k<sub>i</sub>ᵀq"),
        ("log_b p", "log<sub>b</sub> p"),
        ("μ_other, q_12", "μ<sub>other</sub>, q<sub>12</sub>"),
        ("Σ_{i≠j} e^{−Δ_i}", "Σ<sub>i≠j</sub> e<sup>−Δ<sub>i</sub></sup>"),
        ("2^(−1/N Σ ln p)", "2<sup>−1/N Σ ln p</sup>"),
        ("e^C/(e^C + n)", "e<sup>C</sup>/(e<sup>C</sup> + n)"),
        ("(a^b)^c, ‖x‖^2, p^0.693", "(a<sup>b</sup>)<sup>c</sup>, ‖x‖<sup>2</sup>, p<sup>0.693</sup>"),
        ("2.2e-16 and 1e5", "2.2×10<sup>−16</sup> and 1×10<sup>5</sup>"),
    ],
)
def test_formulas_are_set(text: str, page: str):
    assert set_formulas(text) == page


@pytest.mark.parametrize("text", ["name_of_a_thing", "x^", "_", "^", "a ^ b", "a1e5", "e^(((()))", "plain words."])
def test_what_is_no_formula_stays(text: str):
    assert set_formulas(text) == text


def test_markup_is_escaped():
    assert set_formulas("<b>_a & e^(<script>)") == "&lt;b&gt;_a &amp; e<sup>&lt;script&gt;</sup>"


@given(st.text(alphabet="ab1_^(){}<>&\"'e-−. Σ", max_size=30))
def test_no_tag_but_ours_comes_out(text: str):
    page = str(set_formulas(text))
    bare = re.sub(r"</?su[bp]>", "", page)
    assert "<" not in bare
    assert ">" not in bare
    kept = set(html.unescape(bare).replace("×10", ""))
    assert kept <= set(text) | set("−0123456789")
