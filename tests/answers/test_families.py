"""A problem says nothing about how its keys lie to its values: no answer may take one for the other."""

import re

import numpy as np
import pytest

from attnlab.answers import FormulaError, check, find_problem, problems
from attnlab.answers.parsing.formulas import parse
from attnlab.answers.questions.instances import drawn_instances, instances, values_of
from attnlab.answers.questions.loading import load_problem
from attnlab.answers.questions.questions import expected_form, pose

INDEPENDENT = [name for name, problem in problems().items() if problem.independent() > 1]

CONFUSED = [
    ("copy", "q = C v_j"),
    ("copy", "q = ln(ln C) v_j"),
    ("copy", "q = C k_j (k_j^T v_j)²"),
    ("copy", "q = -C Σ_{i≠j} v_i"),
    ("copy", "q = C (Σ_i k_i^T v_i/n) k_j"),
    ("copy", "v_j^T q ≫ k_i^T q"),
    ("copy", "v_j^T q ≫ v_i^T q for all i ≠ j"),
    ("average", "q = C(v_a + k_b)"),
    ("average", "q = C(k_a^T v_a)²(k_a + k_b)"),
    ("average", "α_a = e^C/(2e^C + n - 2) + (k_a^T v_a)² - 1"),
    ("average-norm-noise", "q = -C (μ_a^T v_a)² Σ_{i≠a,b} μ_i"),
    ("average-noisy", "q = C(v_a + μ_b)"),
    ("average-noisy", "q = C(v_a + v_b)"),
    ("two-heads", "q_1 = C v_a, q_2 = C μ_b"),
    ("two-heads", "q_1 = C v_a, q_2 = C v_b"),
    ("two-heads-norm-noise", "q_1 = C v_a, q_2 = C μ_b"),
]


@pytest.mark.parametrize(("problem", "formula"), CONFUSED)
def test_a_value_is_no_key(problem, formula):
    assert check(problem, formula).verdict == "fails"


def test_a_value_is_no_key_in_a_problem_of_a_teacher(difference, tmp_path):
    path = tmp_path / "difference.toml"
    path.write_text(difference, encoding="utf-8")
    assert check(load_problem(path), "q_1 = C k_a, q_2 = C k_b").verdict == "holds"
    for one, other in (("v_a", "k_b"), ("k_a", "v_b"), ("v_a", "v_b")):
        assert check(load_problem(path), f"q_1 = C {one}, q_2 = C {other}").verdict == "fails"


def test_a_value_is_not_suggested_in_place_of_a_key():
    assert check("copy", "q = v_j").suggestion == "q = C k_j"
    for wrong in ("q = C(v_a + v_b)", "q = C(k_a + v_b)"):
        found = check("average", wrong)
        assert (found.slip, found.suggestion) == ("it should be k, not v", "q = C(k_a + k_b)")


def swapped(problem: str) -> list[str]:
    """The answers that hold by the problem's own samples, with a vector of another family in place of one."""
    found = find_problem(problem)
    answers = [sample.answer for sample in found.samples if sample.verdict.startswith("holds")]
    questions = [pose(found, parse(answer, form=expected_form(found))) for answer in answers]
    families, made = found.families(), []
    for question in questions:
        for left, formula in question.answered.items():
            for path, node in formula.walk():
                base, _, below = str(node.leaf).partition("_") if node.op == "name" else ("", "", "")
                others = [each for each in families if base in families and families[each] != families[base]]
                for other in others:
                    changed = formula.put(path, type(node)("name", leaf=f"{other}_{below}"))
                    made.append(str(question.with_answers({left: changed})))
    return made


@pytest.mark.parametrize("problem", INDEPENDENT)
def test_a_vector_of_another_family_never_makes_a_right_answer(problem):
    answers = swapped(problem)
    assert answers
    for answer in answers:
        assert check(problem, answer).verdict in ("fails", "undecided"), answer


@pytest.mark.parametrize("problem", INDEPENDENT)
def test_families_lie_to_each_other_in_every_way(problem):
    """Alike, opposed, each like another vector, at right angles, and at angles such as that with the cosine 3/5."""
    found = find_problem(problem)
    one, other = {*found.families()}
    products: set[float] = set()
    crossed = apart = False
    for instance in (*instances(found), *drawn_instances(found, 1)):
        draws = {name: np.zeros((1, 1, 99, 99)) for name in found.draws()}
        values = values_of(found, instance, {name: np.zeros((1, 1, 1, 1)) for name in found.small()}, draws)
        inner = np.swapaxes(values[one], -1, -2)[0, 0] @ values[other][0, 0]
        products |= {float(each) for each in np.round(np.diag(inner), 9)}
        crossed |= bool(np.any(np.abs(inner - np.diag(np.diag(inner))) == 1))
        apart |= not inner.any()
        for each in (one, other):
            square = np.swapaxes(values[each], -1, -2)[0, 0] @ values[each][0, 0]
            np.testing.assert_allclose(square, np.eye(len(square)), atol=1e-12)
    assert {-1.0, 0.0, 1.0} < products
    assert crossed
    assert apart
    assert any(0 < abs(each) < 1 for each in products)


UNDECIDED = [
    ("copy", "q = C (k_j^T v_j - 3/5)² k_j"),  # fails only where the cosine is 3/5
    ("copy", "q = C (2 + k_j^T v_j) k_j"),
    ("copy", "q = C k_j + v_j"),
    ("average", "α_a = ½ + e^{-C (k_a^T v_a - 3/7)²}"),
]


@pytest.mark.parametrize(("problem", "formula"), UNDECIDED)
def test_a_limit_that_depends_on_how_families_lie_is_undecided(problem, formula):
    found = check(problem, formula)
    assert found.verdict == "undecided"
    assert found.reason.endswith("it depends on how vectors lie to each other, of which the problem says nothing")


@pytest.mark.parametrize("formula", ["q = C k_j + v_j - v_j", "q = C (v_j^T v_j) k_j", "q = C ‖v_j‖ k_j"])
def test_an_answer_that_names_a_value_but_does_not_depend_on_it_holds(formula):
    assert check("copy", formula).verdict == "holds"


def test_a_teachers_problem_may_ask_for_a_matrix_of_both_families(tmp_path):
    """A memory: M k_i = v_i. Both families belong into the answer, and an equality holds wherever they lie."""
    path = tmp_path / "memory.toml"
    path.write_text(
        """
title = "A linear memory"
question = "Keys and values are orthonormal. Give a matrix M with M k_a = v_a and M k_b = v_b."
wanted = ["M k_a = v_a", "M k_b = v_b"]
sizes = { n = [3, 2, 4], d = [3, 2, 6] }
members = { n = ["a", "b"] }
unknowns = { M = "d×d" }
[symbols]
k = { is = "orthonormal", shape = "d×n" }
v = { is = "orthonormal", shape = "d×n" }
""",
        encoding="utf-8",
    )
    assert check(load_problem(path), "M = Σ_i v_i k_i^T").verdict == "holds"
    assert check(load_problem(path), "M = v k^T").verdict == "holds"
    for wrong in ("M = Σ_i k_i v_i^T", "M = k k^T", "M = Σ_i v_i v_i^T", "M = v_a k_a^T"):
        assert check(load_problem(path), wrong).verdict == "fails", wrong


def test_a_softmax_over_coordinates_has_no_value():
    """Where the keys are coordinate axes, softmax(C k_j) is k_j; where they are not, it is something else."""
    found = check("copy", "q = C softmax(C k_j)")
    assert (found.verdict, found.suggestion) == ("fails", "q = C k_j")


ONE_NAME = {
    "q = C(k_j + k_a)": "expected one name for one vector, got k_a and k_j",
    "q = C(k_j + μ_a)": "expected one name for one vector, got k_j and μ_a",
    "q = C(k_a - Σ_{i≠j} k_i)": "expected one name for one vector, got k_a and the index j",
    "k_j^T q ≫ k_a^T q": "expected one name for one vector, got k_a and k_j",
}


@pytest.mark.parametrize("formula", ONE_NAME)
def test_two_names_for_one_vector_are_refused(formula):
    with pytest.raises(FormulaError, match=re.escape(ONE_NAME[formula])):
        check("copy", formula)
    assert check("copy", "q = C k_a").verdict == "holds"
    assert check("two-heads", "q_1 = C k_a, q_2 = C(μ_b - k_a)").verdict == "holds"
    assert check("copy", "k_a^T q ≫ k_i^T q for all i ≠ a").verdict == "holds"
