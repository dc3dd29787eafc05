"""Found matrices do what was wanted, and what cannot be done is proved."""

import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from attnlab.attention.constructions import (
    Construction,
    Exhausted,
    Inputs,
    OutsideHull,
    SameQuery,
    TooFewDirections,
    evaluate,
    format_matrix,
    limit,
    parse_inputs,
    parse_matrix,
    parse_wants,
    solve,
)
from attnlab.attention.impossible import Impossible
from attnlab.errors import ArgumentError

COURSEWORK = "x1 = d + b; x2 = a; x3 = c + b"
few = settings(deadline=None, max_examples=40)


def integers(*shape: int, seed: int, size: int = 2) -> torch.Tensor:
    return torch.randint(-size, size + 1, shape, generator=torch.Generator().manual_seed(seed)).double()


def random(*shape: int, seed: int) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def asked(text: str, wants: str, **given: str):
    inputs = parse_inputs(text)
    matrices = {name: parse_matrix(matrix, inputs.parts) for name, matrix in given.items()}
    return inputs, solve(inputs, parse_wants(wants, inputs), V=matrices.get("V"), K=matrices.get("K"))


def impossible(text: str, wants: str, **given: str) -> tuple[Inputs, Impossible]:
    inputs, found = asked(text, wants, **given)
    assert isinstance(found, Impossible)
    return inputs, found


def check(inputs: Inputs, wants: dict[int, torch.Tensor], found: object, beta: float = 10.0) -> Construction:
    assert isinstance(found, Construction)
    rows = list(wants)
    expected = torch.stack([wants[i] for i in rows])
    torch.testing.assert_close(limit(inputs, found.Q, found.K, found.V).outputs[rows], expected, atol=1e-8, rtol=1e-8)
    at_beta = evaluate(inputs, found.Q, found.K, found.V, beta=beta).outputs[rows]
    assert float((at_beta - expected).norm(dim=-1).max()) == pytest.approx(found.error, abs=1e-12)
    assert found.error <= found.error_bound + 1e-8
    assert found.margin > 1 - 1e-6
    return found


@pytest.mark.parametrize("beta", [2.0, 5.0, 10.0, 30.0])
def test_the_coursework_reads_as_a_person_would_write(beta):
    inputs = parse_inputs(COURSEWORK)
    wants = parse_wants("c2 = b; c1 = b - c", inputs)
    found = check(inputs, wants, solve(inputs, wants, beta=beta), beta)
    shown = [format_matrix(M, inputs.parts) for M in (found.Q, found.K, found.V)]
    assert shown == ["(u_d u_aᵀ + u_c u_dᵀ)/β²", "I", "(u_b u_bᵀ − u_c u_cᵀ)/β²"]
    assert found.attends == {0: (2,), 1: (0,)}
    assert found.margin == 1.0
    assert found.error <= found.error_bound + 1e-15
    assert found.error_bound == pytest.approx((1 + 2**0.5) * torch.exp(torch.tensor(-(beta**2)).double()))


@pytest.mark.parametrize("x2", ["a", "a + d", "a + c"])
def test_the_identity_cannot_take_b_out(x2):
    inputs, found = impossible(f"x1 = d + b; x2 = {x2}; x3 = c + b", "c2 = b", V="I")
    proof = found.certificate
    assert isinstance(proof, OutsideHull)
    heights = inputs.coefficients @ proof.direction
    want = parse_wants("c2 = b", inputs)[1]
    assert float(heights.max()) == proof.at_most < proof.reaches == float(want @ proof.direction)


def test_the_reason_is_in_plain_words():
    _, found = impossible(COURSEWORK, "c2 = b", V="I")
    assert found.reason == (
        "with this V and any Q and K, c2 is an average of V x1 = u_b + u_d, V x2 = u_a, V x3 = u_b + u_c; along "
        "u_b − u_c − u_d each of those reaches at most 0, and the wanted u_b reaches 1"
    )


@few
@given(st.integers(1, 4), st.integers(0, 1), st.integers(0, 10_000), st.data())
def test_independent_inputs_can_do_anything(count, spare, seed, data):
    size = count + spare
    # rounded, since numbers that are tiny beside 1 are refused
    numbers = (random(count, size, seed=seed) + 3 * torch.eye(count, size)).round(decimals=3)
    inputs = Inputs(tuple("abcdef"[:size]), numbers)
    rows = data.draw(st.sets(st.integers(0, count - 1), min_size=1))
    wants = {i: random(size, seed=seed + i + 1).round(decimals=3) for i in rows}
    check(inputs, wants, solve(inputs, wants))


@few
@given(st.integers(1, 4), st.integers(1, 4), st.integers(0, 10_000), st.sampled_from(["", "V", "K", "VK"]), st.data())
def test_what_some_matrices_do_is_found(count, size, seed, given_names, data):
    """Inputs may repeat, be 0 and depend on each other here; the wants come from matrices that are known to exist."""
    inputs = Inputs(tuple("abcd"[:size]), integers(count, size, seed=seed))
    Q, K, V = (integers(size, size, seed=seed + i) for i in (1, 2, 3))
    done = limit(inputs, Q, K, V).outputs
    wants = {i: done[i] for i in data.draw(st.sets(st.integers(0, count - 1), min_size=1))}
    try:
        found = solve(inputs, wants, V=V if "V" in given_names else None, K=K if "K" in given_names else None)
    except ArgumentError as error:  # rare; hypothesis complains where it is not
        assume("decide" not in error.message)
        raise
    answer = check(inputs, wants, found)
    for name, matrix in (("V", V), ("K", K)):
        if name in given_names:
            assert torch.equal(getattr(answer, name), matrix)


@few
@given(st.integers(1, 3), st.integers(1, 2), st.integers(0, 10_000))
def test_what_is_impossible_is_never_done(count, size, seed):
    """Thousands of small matrices, none of which may give what was said to be impossible."""
    inputs = Inputs(tuple("ab"[:size]), integers(count, size, seed=seed, size=1))
    wants = dict(enumerate(integers(count, size, seed=seed + 1, size=1)))
    found = solve(inputs, wants)
    if isinstance(found, Construction):
        check(inputs, wants, found)
        return
    X, expected = inputs.coefficients, torch.stack(list(wants.values()))
    Q, V = integers(4000, size, size, seed=seed + 2, size=1), integers(4000, size, size, seed=seed + 3)
    scores = X @ Q.mT @ X.mT
    best = (scores == scores.amax(-1, keepdim=True)).double()
    outputs = best / best.sum(-1, keepdim=True) @ X @ V.mT
    assert float((outputs - expected).abs().amax((-1, -2)).min()) > 1e-9


@few
@given(st.integers(1, 4), st.integers(1, 3), st.integers(0, 10_000))
def test_certificates_of_a_given_v_hold(count, size, seed):
    inputs, V = Inputs(tuple("abc"[:size]), integers(count, size, seed=seed)), integers(size, size, seed=seed + 1)
    wants = {0: integers(size, seed=seed + 2)}
    found = solve(inputs, wants, V=V)
    if isinstance(found, Construction):
        check(inputs, wants, found)
    elif isinstance(proof := found.certificate, OutsideHull):
        heights = inputs.coefficients @ V.mT @ proof.direction
        assert float(wants[0] @ proof.direction) > float(heights.max()) + 1e-6


@pytest.mark.parametrize(
    ("text", "wants", "reason", "certificate"),
    [
        ("x1 = a; x2 = a", "c1 = a; c2 = 0",
         "x1 = x2, so they ask the same query and c1 = c2 for any Q, K and V; the wanted outputs are c1 = u_a; c2 = 0",
         SameQuery(0, 1, 1.0)),
        ("x1 = a; x2 = 3a", "c1 = a; c2 = 0",
         "x2 = 3 x1, so its scores are 3 times those of x1, and as β grows both attend to the same inputs: c1 = c2 "
         "for any Q, K and V; the wanted outputs are c1 = u_a; c2 = 0",
         SameQuery(0, 1, 3.0)),
        ("x1 = a; x2 = b; x3 = a + b + 0c", "c1 = a; c2 = b; c3 = c",
         "the wants c1 = u_a; c2 = u_b; c3 = u_c span 3 directions, the inputs 2, and every output is V times an "
         "average of inputs, for any Q and K",
         TooFewDirections(2, 3)),
        ("x1 = a; x2 = -a", "c1 = a; c2 = a",
         "as β grows each row attends equally to some of the inputs, and none of the 9 ways to do so gives "
         "c1 = u_a; c2 = u_a: for 7 no V takes the averages of the attended inputs to the wants; for 2 no Q and K "
         "give those inputs the best scores",
         Exhausted(9, 7, 2)),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_explained(text, wants, reason, certificate):
    _, found = impossible(text, wants)
    assert found.reason == reason
    assert found.certificate == certificate


def test_a_want_inside_the_hull_may_still_be_out_of_reach():
    _, found = impossible("x1 = a; x2 = b; x3 = c", "c1 = 0.7b + 0.3c", V="I")
    assert found.certificate == Exhausted(7, 7, 0)
    assert "this V does not take the averages" in found.reason
    _, found = impossible(COURSEWORK, "c1 = b; c2 = a", K="0")
    assert found.certificate == Exhausted(1, 1, 0)
    assert "not even the only way to do so gives" in found.reason
    _, found = impossible("x1 = a; x2 = b; x3 = 0.25a + 0.75b", "c1 = 0.25a + 0.75b", V="I")
    assert found.certificate == Exhausted(7, 6, 1), "between a and b no score is best alone"


def test_a_want_outside_the_hull_by_rounding_is_not_outside():
    third, more = "0.33333333333333", "0.333333333335"
    for number in (third, more):
        _, found = asked("x1 = a; x2 = b; x3 = c", f"c1 = {number}a + {number}b + {number}c", V="I")
        assert isinstance(found, Construction)
        assert found.attends == {0: (0, 1, 2)}
    _, found = impossible("x1 = a; x2 = b; x3 = c", "c1 = 0.33334a + 0.33334b + 0.33334c", V="I")
    assert isinstance(found.certificate, OutsideHull)


def test_an_input_of_nothing_attends_to_everything():
    inputs, found = asked("x1 = 0; x2 = a; x3 = b", "c1 = a")
    assert isinstance(found, Construction)
    assert format_matrix(found.V, inputs.parts) == "3 u_a u_aᵀ/β²"
    assert (found.attends, found.margin, found.error) == ({0: (0, 1, 2)}, torch.inf, 0.0)


def test_a_given_v_or_k_is_kept():
    inputs, found = asked("x1 = a; x2 = b; x3 = c", "c1 = 0.5b + 0.5c; c2 = 0.5a + 0.5c", V="I")
    assert isinstance(found, Construction)
    assert found.attends == {0: (1, 2), 1: (0, 2)}
    inputs, found = asked(COURSEWORK, "c2 = b; c1 = b - c", K="c c^T")  # only x3 has a key: attend to it, or shun it
    assert isinstance(found, Construction)
    assert format_matrix(found.K, inputs.parts) == "u_c u_cᵀ/β²"
    assert set(found.attends.values()) <= {(2,), (0, 1), (0, 1, 2)}


def test_ten_rows_are_found_at_once():
    inputs = Inputs(tuple("abcdefghij"), torch.eye(10, dtype=torch.float64))
    shifted = dict(enumerate(torch.eye(10, dtype=torch.float64).roll(1, 1)))
    found = check(inputs, shifted, solve(inputs, shifted))
    assert format_matrix(found.V, inputs.parts) == "I"
    assert found.attends == {i: ((i + 1) % 10,) for i in range(10)}


def coursework(**changes):
    inputs = parse_inputs(COURSEWORK)
    return solve(**({"inputs": inputs, "wants": parse_wants("c2 = b", inputs)} | changes))


@pytest.mark.usefixtures("as_installed")
@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"wants": {}}, "wants: expected at least one wanted output, got no outputs"),
        ({"wants": {3: torch.ones(4)}}, "wants: expected the number of an input, from 0 to 2, got 3"),
        ({"wants": {0: torch.ones(3)}}, "wants[0]: expected 4 numbers, got 3"),
        ({"wants": {0: torch.full((4,), torch.nan)}}, "wants[0]: expected finite numbers, got nan at [0]"),
        ({"V": torch.ones(4, 3)}, "V: expected 4 × 4, one row and column per part, got shape (4, 3)"),
        ({"K": torch.full((4, 4), torch.inf)}, "K: expected finite numbers, got inf at [0, 0]"),
        ({"V": 1e5 * torch.eye(4)}, "V: expected 0 or numbers of size 0.0001 to 10000, got 100000"),
        ({"beta": -1.0}, "beta: expected a number above 0 and below 1e+100, got -1"),
        ({"inputs": Inputs(tuple(f"p{i}" for i in range(27)), torch.ones(1, 27))},
         "inputs: expected at most 26 parts to solve for, got 27"),
        ({"inputs": Inputs(tuple("abcd"), random(11, 4, seed=1)), "wants": {0: torch.ones(4)}},
         "inputs: expected at most 10 different keys, got 11"),
        ({"inputs": Inputs(tuple("abcd"), torch.cat([torch.eye(4), -torch.eye(4)])),
          "wants": {i: random(4, seed=i) for i in range(8)}},
         "wants: no answer among the simplest of 1.788e+19 ways to attend, and the others are too many to try; "
         "use fewer inputs or wants"),
    ],
)  # fmt: skip
def test_bad_input_is_named(changes, message):
    with pytest.raises(ArgumentError) as error:
        coursework(**changes)
    assert str(error.value) == message
