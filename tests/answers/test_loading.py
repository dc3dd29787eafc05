"""Problems from files: a teacher's own, and what is said of one that cannot be."""

from dataclasses import asdict
from importlib import resources
from pathlib import Path

import pytest

from attnlab.answers import check, load_problem, problems
from attnlab.errors import FileError


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "difference.toml"


def test_a_teachers_problem_is_a_small_file(path: Path, difference: str):
    path.write_text(difference, encoding="utf-8")
    problem = load_problem(path)
    assert problem.name == "difference"
    assert check(problem, "q_1 = C k_a; q_2 = C k_b").verdict == "holds"
    swapped = check(problem, "q_1 = C k_b; q_2 = C k_a")
    assert (swapped.verdict, swapped.suggestion) == ("fails", "q_1 = C k_a, q_2 = C k_b")
    for sample in problem.samples:
        assert check(problem, sample.answer).verdict == sample.verdict


@pytest.mark.parametrize("broken", ["∂J/∂x = h ⊙ (1 s - h)", "∂J/∂x = (", "∂J/∂x = nobody"])
def test_a_sample_that_says_nothing_is_not_told_as_a_correction(path: Path, broken: str):
    """What is wrong with it is told where the samples are checked."""
    own = resources.files("attnlab.answers") / "problems" / "network-gradients.toml"
    before, _, samples = own.read_text(encoding="utf-8").partition("[[samples]]")
    first = f'[[samples]]\nanswer = "{broken}"\nverdict = "holds"\n\n'
    path.write_text(f"{before}{first}[[samples]]{samples}", encoding="utf-8")
    found = check(load_problem(path), "∂J/∂x = x")
    assert found.verdict == "fails"
    assert str(found.suggestion).startswith("∂J/∂x =")


WRONG = {
    ('title = "The difference of two values"\n', ""): "missing key title",
    ("shown_in", "show_in"): "unknown key show_in",
    ('"c ≈ v_a - v_b"', '"c"'): "wanted: expected left = right or left ≈ right, got 'c'",
    ('"c ≈ v_a - v_b"', '"c ≈ k_a + )"'): "wanted: 'k_a + )', character 8: expected a name, a number or '(', got ')'",
    ('"c ≈ v_a - v_b"', '"c ≈ x"'): "x is not a symbol of this problem",
    ('"c ≈ v_a - v_b"', '"c ≈ 2"'): "wanted: c is a vector of d numbers and 2 is a number",
    ("[2, 3, 6], d", "[2, 3], d"): "sizes: expected lists of the same length, with a number for each instance",
    (
        "n = [2, 3, 6]",
        "n = [0, 3, 6]",
    ): "sizes.n: expected a list of whole numbers from 1 to 64, smallest instance first",
    ("n = [2, 3, 6]", "n = [2, 3, 9]"): "k: 9 orthogonal vectors do not fit into 6 dimensions",
    ('q_1 = "d"', 'q_1 = "z"'): "q_1: z in the shape 'z' is not one of n, d",
    (
        'is = "orthonormal", shape = "d×n", says = "the keys"',
        'is = "cat"',
    ): "symbols.k.is: expected orthonormal",
    ("v softmax(k^T q_1)", "k v"): "k is d×n and v is d×n: they cannot be multiplied",
    ('verdict = "fails"', 'verdict = "perhaps"'): "samples: expected the verdict holds, holds if or fails",
    ('members = { n = ["a", "b"] }', "members = 3"): "members: expected a table",
    ('title = "', "title = "): "expected TOML: ",
    ('wanted = "c ≈ v_a - v_b"', "wanted = []"): "wanted: expected an equation",
    ('shown_in = "v"', "shown_in = 3"): "shown_in: expected a name for shown_in",
    ('members = { n = ["a", "b"] }', 'members = { n = ["a", "a"] }'): "members.n: expected different names",
    ("[definitions]\n", '[definitions]\nq_1 = "k_a"\n'): "q_1: this name is taken; choose another",
    ("\nk = {", "\nn = {"): "n: this name is taken; choose another",
    ("[symbols]\n", '[symbols]\nz = { is = "normal", variance = -1.0 }\n'): "symbols.z: expected a variance above 0",
    (
        "[symbols]\n",
        '[aliases]\nu = "w"\n[symbols]\n',
    ): "aliases.u: expected a new name for a symbol",
    ('says = "the keys" }', "norm = 3 }"): "symbols.k: expected a name for norm",
    ("v softmax(k^T q_1)", "v softmax(C k^T q_1)"): "definitions.c: C is no symbol of the problem; add it to the symb",
    ('shown_in = "v"', 'shown_in = "v"\nunit = "0"'): "unit: expected a number other than 0",
    ('shown_in = "v"', 'shown_in = "v"\nunit = "β"'): "unit: β is no symbol of the problem",
    (
        'shown_in = "v"',
        'shown_in = "v"\ncondition = "k_aᵀ q_1 - k_i q_1"',
    ): "k_i is a vector of d numbers and q_1 is a vector",
    ('shown_in = "v"', 'shown_in = "v"\ncondition = "k_a - k_i"'): "condition: expected a number, got k_a − k_i, which",
}


@pytest.mark.parametrize("change", WRONG)
def test_what_is_wrong_in_a_file_is_named(path: Path, difference: str, change):
    before, after = change
    assert before in difference
    path.write_text(difference.replace(before, after, 1), encoding="utf-8")
    with pytest.raises(FileError) as refused:
        load_problem(path)
    assert str(refused.value).startswith(f"{path}: {WRONG[change]}")
    assert "\n" not in str(refused.value)


def test_files_that_are_no_text_are_refused(path: Path, tmp_path: Path):
    with pytest.raises(FileError, match="there is no such file"):
        load_problem(path)
    with pytest.raises(FileError, match="expected a file, got a folder"):
        load_problem(tmp_path)
    path.write_bytes(b"title = 'x'\nquestion = '\xff'")
    with pytest.raises(FileError, match="line 2: expected UTF-8 text"):
        load_problem(path)
    path.write_bytes(b"#" * 200_000)
    with pytest.raises(FileError, match="expected a problem of at most 100,000 bytes"):
        load_problem(path)


@pytest.mark.parametrize("name", problems())
def test_the_labs_own_problems_pass_the_same_examination(name):
    from importlib.resources import as_file, files

    with as_file(files("attnlab.answers").joinpath("problems", f"{name}.toml")) as path:
        assert asdict(load_problem(path)) == asdict(problems()[name]) | {"file": str(path)}
