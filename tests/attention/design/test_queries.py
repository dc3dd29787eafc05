"""Designed queries against attention itself, and proofs of impossibility against linear programming."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.special import entr

from attnlab.attention.design.obstacles import Containment, Dependency
from attnlab.attention.design.queries import Design, average_query, copy_query, mix_query
from attnlab.attention.functional import attend
from attnlab.attention.impossible import Impossible
from attnlab.errors import ArgumentError

quick = settings(max_examples=50, deadline=None)
seeds = st.integers(0, 10**6)


def random(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def grid(*shape: int, seed: int = 0) -> torch.Tensor:
    """Keys with small whole coordinates: duplicates, faces and midpoints abound."""
    return torch.randint(-2, 3, shape, generator=torch.Generator().manual_seed(seed)).double()


def weights(keys: torch.Tensor, query: torch.Tensor) -> torch.Tensor:
    return attend(query, keys, keys).weights


def possible(answer: object) -> Design:
    assert isinstance(answer, Design)
    return answer


def contained(answer: object) -> Containment:
    assert isinstance(answer, Impossible)
    assert isinstance(answer.certificate, Containment)
    return answer.certificate


def dependent(answer: object) -> Dependency:
    assert isinstance(answer, Impossible)
    assert isinstance(answer.certificate, Dependency)
    return answer.certificate


def meets(keys: torch.Tensor, support: list[int]) -> bool:
    """Whether the affine span of the support meets the hull of the others, by linear programming."""
    rest = [i for i in range(len(keys)) if i not in support]
    if not rest:
        return False
    span, hull = keys[support].numpy(), keys[rest].numpy()
    rows = np.vstack(
        [np.hstack([span.T, -hull.T]), [1.0] * len(span) + [0.0] * len(hull), [0.0] * len(span) + [1.0] * len(hull)]
    )
    wanted = np.append(np.zeros(keys.shape[1]), [1.0, 1.0])
    bounds = [(None, None)] * len(span) + [(0, None)] * len(hull)
    return linprog(np.zeros(rows.shape[1]), A_eq=rows, b_eq=wanted, bounds=bounds).status == 0


def check_design(design: Design, keys: torch.Tensor, tolerance: float | None) -> None:
    """Every number in the design is the true one."""
    reached = weights(keys.double(), design.query)
    torch.testing.assert_close(design.weights, reached, atol=1e-15, rtol=0)
    assert design.error == pytest.approx(float((reached - design.target).abs().max()), abs=1e-15)
    assert design.leak == pytest.approx(float(reached[design.target == 0].sum()), abs=1e-15)
    assert design.error <= design.bound
    if tolerance is not None:
        assert design.error <= tolerance


def check_containment(proof: Containment, keys: torch.Tensor, support: list[int]) -> None:
    """The certificate proves what it says."""
    outside = torch.ones(len(keys), dtype=torch.bool)
    outside[support] = False
    assert bool((proof.coefficients >= 0).all())
    assert float(proof.coefficients[~outside].abs().sum()) == float(proof.span[outside].abs().sum()) == 0
    assert float(proof.coefficients.sum()) == pytest.approx(1, abs=1e-12)
    assert float(proof.span.sum()) == pytest.approx(1, abs=1e-9)
    size = float(keys.norm(dim=1).max() * proof.span.abs().sum())
    assert float((proof.coefficients @ keys - proof.span @ keys).norm()) <= 1e-8 * size
    reached = weights(keys, proof.query)
    torch.testing.assert_close(proof.weights, reached, atol=1e-15, rtol=0)
    assert float(reached[outside].sum()) >= proof.leak - 1e-9


@quick
@given(seeds, st.integers(1, 9), st.integers(1, 4), st.sampled_from([random, grid]))
def test_a_key_can_be_copied_unless_it_is_in_the_hull_of_the_others(seed, n, dim, draw):
    keys = draw(n, dim, seed=seed)
    answer = copy_query(keys, 0, tolerance=1e-4)
    assert isinstance(answer, Impossible) == meets(keys, [0])
    if isinstance(answer, Design):
        check_design(answer, keys, 1e-4)
    else:
        check_containment(contained(answer), keys, [0])


@quick
@given(seeds, st.integers(2, 8), st.integers(1, 5), st.integers(1, 3), st.sampled_from([random, grid]))
def test_mixes(seed, n, dim, size, draw):
    keys, support = draw(n, dim, seed=seed), list(range(min(size, n)))
    shares = torch.softmax(2 * random(len(support), seed=seed + 1), 0)
    shares[-1] = 1 - shares[:-1].sum()
    answer = mix_query(keys, dict(zip(support, shares.tolist(), strict=True)), tolerance=0.01)
    if isinstance(answer, Design):
        check_design(answer, keys, 0.01)
        assert not meets(keys, support)
    elif isinstance(answer.certificate, Containment):
        check_containment(answer.certificate, keys, support)
        assert meets(keys, support)
    else:
        check_dependency(answer.certificate, keys, answer.certificate.coefficients, seed)


def check_dependency(proof: Dependency, keys: torch.Tensor, powers: torch.Tensor, seed: int) -> None:
    assert float(powers.abs().max()) == 1
    assert abs(proof.wanted_log_ratio) > 1e-9
    assert float(powers.sum()) == pytest.approx(0, abs=1e-8)
    assert float((powers @ keys).norm()) <= 1e-8 * float(keys.norm())
    logs = weights(keys, random(keys.shape[1], seed=seed + 2)).log()
    assert float(powers @ logs) == pytest.approx(0, abs=1e-7)


@quick
@given(
    seeds, st.sampled_from([{0: 1.0}, {0: 0.5, 3: 0.5}, {1: 0.7, 2: 0.2, 4: 0.1}]), st.sampled_from([0.3, 1e-3, 1e-9])
)
def test_independent_keys_take_any_mix(seed, target, tolerance):
    keys = random(5, 6, seed=seed)
    design = possible(mix_query(keys, target, tolerance=tolerance))
    check_design(design, keys, tolerance)
    if design.scale > 0:
        assert design.error == pytest.approx(tolerance, rel=1e-4), "it is the shortest"
    ratios = design.weights[list(target)] / (1 - design.leak)
    torch.testing.assert_close(ratios, torch.tensor(list(target.values()), dtype=torch.float64), atol=1e-9, rtol=1e-9)


@quick
@given(seeds, st.floats(0.1, 50))
def test_the_margin_is_the_best_for_the_norm(seed, norm):
    keys = random(6, 7, seed=seed)
    for target in ({2: 1.0}, {1: 0.5, 4: 0.5}):
        design = possible(mix_query(keys, target, norm=norm))
        check_design(design, keys, None)
        assert float(design.query.norm()) == pytest.approx(norm, rel=1e-14)
        rest = [i for i in range(6) if i not in target]
        differences = keys[list(target)][:1] - keys[rest]
        assert float((differences @ design.query).min()) == pytest.approx(norm * design.margin, rel=1e-9)
        for other in random(20, 7, seed=seed + 1):
            level = keys[list(target)] - keys[list(target)].mean(0)
            rival = other - torch.linalg.pinv(level) @ (level @ other)
            assert float((differences @ rival).min() / rival.norm()) <= design.margin + 1e-9


@quick
@given(seeds, st.integers(3, 30), st.integers(1, 3))
def test_a_contained_key_has_a_ceiling_and_the_best_query_reaches_it(seed, n, dim):
    keys = random(n, dim, seed=seed)
    others = torch.softmax(random(n - 1, seed=seed + 1), 0)
    keys[0] = others @ keys[1:]  # strictly inside
    proof = contained(copy_query(keys, 0))
    check_containment(proof, keys, [0])
    ceiling = 1 / (1 + math.exp(float(entr(proof.coefficients.numpy()).sum())))
    # On an edge, rounding leaves the key just beside it: then the proof gives up 1e-6 of a logit.
    assert 1 - proof.leak == pytest.approx(ceiling, abs=1e-12 if proof.shorter_than == math.inf else 1e-6)
    assert ceiling <= 0.5
    assert float(proof.weights[0]) == pytest.approx(ceiling, abs=1e-6)
    for size in (0.1, 1.0, 10.0):
        for query in size * random(10, dim, seed=seed + 2):
            assert float(weights(keys, query)[0]) <= ceiling + 1e-12


@quick
@given(seeds, st.integers(2, 3), st.integers(4, 8))
def test_the_leak_of_a_mix_has_a_floor(seed, size, n):
    """The size keys wanted leave one direction free, and an even mix holds everywhere along it."""
    keys, support = random(n, size, seed=seed), list(range(size))
    keys[-1] = keys[support].mean(0)
    proof = contained(mix_query(keys, {s: 1 / size for s in support}))
    check_containment(proof, keys, support)
    across = torch.linalg.svd(keys[support] - keys[support].mean(0)).Vh[size - 1 :]
    for step in torch.linspace(-30, 30, 41, dtype=torch.float64):
        assert float(weights(keys, step * across.sum(0))[size:].sum()) >= proof.leak - 1e-9


def test_ceilings_by_hand():
    middle = torch.tensor([[0.0], [1.0], [2.0]])
    assert contained(copy_query(middle, 1)).leak == pytest.approx(2 / 3, abs=1e-12)
    for m in (3, 5, 12):
        angles = torch.arange(m, dtype=torch.float64) * (2 * math.pi / m)
        circle = torch.stack([angles.cos(), angles.sin()], 1)
        keys = torch.cat([torch.zeros(1, 2, dtype=torch.float64), circle])
        assert contained(copy_query(keys, 0)).leak == pytest.approx(m / (m + 1), abs=1e-12)


def test_a_key_on_a_face_is_best_read_from_far_away():
    keys = torch.tensor([[1.0, 0.0], [0.0, 0.0], [2.0, 0.0], [1.0, 1.0], [0.0, 5.0]], dtype=torch.float64)
    proof = contained(copy_query(keys, 0))
    check_containment(proof, keys, [0])
    assert proof.leak == pytest.approx(2 / 3, abs=1e-9)
    assert float(proof.weights[0]) == pytest.approx(1 / 3, abs=1e-9)
    torch.testing.assert_close(proof.coefficients.tolist(), [0.0, 0.5, 0.5, 0.0, 0.0], atol=1e-9, rtol=0)


@pytest.mark.parametrize("n", [2, 3, 4, 10, 100, 1000])
def test_copying_among_orthonormal_keys(n):
    """The direction is e_j less the mean of the others: margin √(n/(n−1)), the others alike, so the bound is exact."""
    keys = torch.eye(n, dtype=torch.float64)
    design = possible(copy_query(keys, 1, tolerance=0.01))
    assert design.margin == pytest.approx(math.sqrt(n / (n - 1)), rel=1e-12)
    assert design.scale * design.margin == pytest.approx(math.log((n - 1) * 0.99 / 0.01), rel=1e-12)
    assert design.bound == pytest.approx(design.error, rel=1e-6)
    rest = torch.full((n,), -1 / (n - 1), dtype=torch.float64)
    rest[1] = 1
    torch.testing.assert_close(design.query / design.scale, rest / rest.norm(), atol=1e-9, rtol=0)


@quick
@given(seeds, st.permutations(range(6)))
def test_permuting_keys_permutes_the_design(seed, order):
    keys = random(6, 4, seed=seed)
    place = {old: new for new, old in enumerate(order)}
    for target in ({0: 1.0}, {1: 0.6, 5: 0.4}):
        straight = mix_query(keys, target)
        moved = mix_query(keys[list(order)], {place[i]: w for i, w in target.items()})
        assert type(straight) is type(moved)
        if isinstance(straight, Design):
            torch.testing.assert_close(possible(moved).query, straight.query, atol=1e-6, rtol=1e-6)
            torch.testing.assert_close(possible(moved).weights, straight.weights[list(order)], atol=1e-7, rtol=1e-6)


@quick
@given(seeds)
def test_moving_all_keys_changes_nothing(seed):
    keys = random(6, 4, seed=seed)
    for target in ({0: 1.0}, {1: 0.6, 5: 0.4}):
        straight, moved = mix_query(keys, target), mix_query(keys + 1000, target)
        assert type(straight) is type(moved)
        if isinstance(straight, Design):
            torch.testing.assert_close(possible(moved).query, straight.query, atol=1e-6, rtol=1e-6)


def test_already_there():
    keys = torch.zeros(2, 3)
    design = possible(average_query(keys, 0, 1))
    assert design.query.tolist() == [0, 0, 0]
    assert (design.error, design.leak, design.scale, design.margin) == (0, 0, 0, math.inf)
    loose = possible(copy_query(torch.eye(3), 0, tolerance=0.7))
    assert loose.query.tolist() == [0, 0, 0]
    exact = possible(copy_query(torch.eye(3), 0, tolerance=2 / 3))
    assert exact.error <= 2 / 3


def test_a_single_key():
    design = possible(copy_query(torch.tensor([[3.0, 4.0]]), 0))
    assert design.weights.tolist() == [1.0]
    assert design.error == 0
    assert float(possible(copy_query(torch.tensor([[3.0, 4.0]]), 0, norm=7.0)).query.norm()) == pytest.approx(7)
    assert possible(copy_query(torch.tensor([[3.0, 4.0]]), 0, norm=0.0)).query.tolist() == [0, 0]


def test_a_norm_when_no_other_key_is_left():
    keys = torch.tensor([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], dtype=torch.float64)
    design = possible(mix_query(keys, {0: 0.75, 1: 0.25}, norm=5.0))
    assert float(design.query.norm()) == pytest.approx(5, rel=1e-14)
    assert design.weights.tolist() == pytest.approx([0.75, 0.25], abs=1e-12)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16], ids=str)
def test_keys_of_lower_precision_are_taken_as_they_are(dtype):
    keys = random(5, 4, seed=3).to(dtype)
    design = possible(average_query(keys, 0, 1, tolerance=1e-6))
    assert design.query.dtype == design.weights.dtype == torch.float64
    check_design(design, keys, 1e-6)
    assert torch.equal(design.query, possible(average_query(keys.double(), 0, 1, tolerance=1e-6)).query)


def test_keys_of_very_different_lengths():
    keys = torch.tensor([[0.0], [1.0], [1e12]], dtype=torch.float64)
    assert possible(copy_query(keys, 0, tolerance=1e-6)).error <= 1e-6
    keys = torch.tensor([[0.0, 1e-6], [1.0, 0.0], [-1.0, 0.0]], dtype=torch.float64)
    assert possible(copy_query(keys, 0, tolerance=1e-3)).error <= 1e-3


@pytest.mark.parametrize("j", [0, 1])
def test_many_keys(j):
    keys = random(500, 64, seed=1)
    keys[0] *= 0.1
    answer = copy_query(keys, j)
    check_containment(contained(answer), keys, [0]) if j == 0 else check_design(possible(answer), keys, 1e-3)


@pytest.mark.parametrize(
    ("keys", "target", "reason"),
    [
        ([[0.0], [1.0], [2.0]], {1: 1.0},
         "key 1 is in the convex hull of others, 0.5·key 0 + 0.5·key 2, "
         "so no query gives it more than 0.3333 of the weight"),
        ([[0.0, 1.0], [2.0, 1.0], [0.0, 1.0]], {0: 1.0},
         "key 0 is the same as key 2, so no query gives it more than 0.5 of the weight"),
        ([[0.0]] + [[x] for x in (-1.0, 1.0) for _ in range(4)], {0: 1.0},
         "key 0 is in the convex hull of others, 0.125·key 1 + 0.125·key 2 + 0.125·key 3 + 0.125·key 4 + 0.125·key 5 + "
         "0.125·key 6 and 2 more, so no query gives it more than 0.1111 of the weight"),
        ([[0.0], [1.0], [2.0]], {0: 0.75, 1: 0.25},
         "the convex hull of the other keys meets the span of those wanted: key 2 is 2·key 1 − key 0, "
         "so no query with the wanted ratios leaves less than 0.07692 of the weight on others"),
        ([[0.0], [1.0], [1.0]], {0: 0.5, 1: 0.5},
         "the convex hull of the other keys meets the span of those wanted: key 2 is key 1, "
         "so no query with the wanted ratios leaves less than 0.3333 of the weight on others"),
        ([[1.0, 2.0], [0.0, 1.0], [1.0, 2.0]], {0: 0.75, 2: 0.25},
         "keys 0 and 2 are equal, so every query gives them the same weight; "
         "the target wants 3 times as much for key 0"),
        ([[0.0], [1.0], [2.0]], {0: 0.25, 1: 0.5, 2: 0.25},
         "every query keeps α_0^-0.5 · α_1^1 · α_2^-0.5 = 1; the target needs 2"),
    ],
)  # fmt: skip
def test_the_reason_in_plain_words(keys, target, reason):
    answer = mix_query(torch.tensor(keys), target)
    assert isinstance(answer, Impossible)
    assert answer.reason == reason


def test_the_dependency_of_three_keys_on_a_line():
    proof = dependent(mix_query(torch.tensor([[0.0], [1.0], [2.0]]), {0: 0.25, 1: 0.5, 2: 0.25}))
    assert proof.coefficients.tolist() == pytest.approx([-0.5, 1, -0.5], abs=1e-12)
    assert proof.wanted_log_ratio == pytest.approx(math.log(2), abs=1e-12)
    on_it = possible(mix_query(torch.tensor([[0.0], [1.0], [2.0]]), {0: 1 / 7, 1: 2 / 7, 2: 4 / 7}))
    assert on_it.error < 1e-12


def test_a_tolerance_that_rounding_forbids():
    with pytest.raises(ArgumentError, match=r"^tolerance: expected a larger tolerance, got 1e-12; .* reaches .*e-"):
        mix_query(1e9 + torch.eye(2).double(), {0: 0.75, 1: 0.25}, tolerance=1e-12)


EYE = torch.eye(3)


@pytest.mark.usefixtures("as_installed")
@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: mix_query(EYE, {}), "target: expected a weight for at least one key, got no weights"),
        # wrong types on purpose, hence what is silenced
        (lambda: mix_query("x", {0: 1.0}),  # pyright: ignore[reportArgumentType]
         "keys: expected a torch tensor, got str"),
        (lambda: copy_query([[1.0], [1.0, 2.0]], 0),  # pyright: ignore[reportArgumentType]
         "keys: expected a torch tensor, got list"),
        (lambda: copy_query(torch.eye(3, dtype=torch.int64), 0), "keys: expected floating-point numbers, got int64"),
        (lambda: copy_query(EYE, "0"), "key: expected a whole number, got '0'"),  # pyright: ignore[reportArgumentType]
        (lambda: average_query(EYE, 0, None), "b: expected a whole number, got None"),  # pyright: ignore[reportArgumentType]
        (lambda: average_query(EYE, 0, 1.5), "b: expected a whole number, got 1.5"),  # pyright: ignore[reportArgumentType]
        (lambda: mix_query(EYE, {0: "1"}), "target: expected a number, got '1'"),  # pyright: ignore[reportArgumentType]
        (lambda: copy_query(EYE, 0, norm="1"), "norm: expected a number, got '1'"),  # pyright: ignore[reportArgumentType]
        (lambda: copy_query(EYE, 0, tolerance="x"),  # pyright: ignore[reportArgumentType]
         "tolerance: expected a number, got 'x'"),
        (lambda: mix_query(EYE, {3: 1.0}), "target: expected a key number from 0 to 2, got 3"),
        (lambda: mix_query(EYE, {-1: 1.0}), "target: expected a key number from 0 to 2, got -1"),
        (lambda: mix_query(EYE, {0: 0.0, 1: 1.0}), "target: expected weights above 0 that sum to 1, got 0 for key 0"),
        (lambda: mix_query(EYE, {0: math.nan}), "target: expected weights above 0 that sum to 1, got nan for key 0"),
        (lambda: mix_query(EYE, {0: 0.5, 1: 0.4}), "target: expected weights that sum to 1, got a sum of 0.9"),
        (lambda: copy_query(EYE, 3), "key: expected a key number from 0 to 2, got 3"),
        (lambda: average_query(EYE, 3, 0), "a: expected a key number from 0 to 2, got 3"),
        (lambda: average_query(EYE, 0, -1), "b: expected a key number from 0 to 2, got -1"),
        (lambda: average_query(EYE, 1, 1), "b: expected two different keys, got 1 for both a and b"),
        (lambda: copy_query(EYE, 0, tolerance=0.1, norm=1.0), "norm: expected a tolerance or a norm, got both"),
        (lambda: copy_query(EYE, 0, tolerance=0.0), "tolerance: expected a number above 1e-15 and below 1, got 0"),
        (lambda: copy_query(EYE, 0, norm=-1.0), "norm: expected a number from 0 to 1e+150, got -1"),
        (lambda: copy_query(EYE, 0, norm=math.inf), "norm: expected a number from 0 to 1e+150, got inf"),
        (lambda: mix_query(EYE, {0: 0.75, 1: 0.25}, norm=0.5),
         "norm: the wanted ratios need at least 0.776836, got 0.5"),
        (lambda: mix_query(torch.tensor([[1.0], [0.0]]), {0: 0.75, 1: 0.25}, norm=2.0),
         "norm: expected 1.09861, because any other length changes the ratios; got 2"),
        (lambda: copy_query(torch.ones(3), 0), "keys: expected two axes (keys, dim), got shape (3,)"),
        (lambda: copy_query(torch.ones(0, 3), 0),
         "keys: expected at least one of keys and of dim, got shape (0, 3)"),
        (lambda: copy_query(torch.tensor([[1.0, math.nan]]), 0), "keys: expected finite numbers, got nan at [0, 1]"),
        (lambda: copy_query(torch.ones(2, 2, dtype=torch.int64), 0),
         "keys: expected floating-point numbers, got int64"),
    ],
)  # fmt: skip
def test_bad_input_is_named(call, message):
    with pytest.raises(ArgumentError) as error:
        call()
    assert str(error.value) == message


def test_keys_too_near_to_decide_get_no_false_proof():
    keys = torch.tensor([[1.0, 0.3], [1 + 0.7e-8, 0.3 + 0.4e-8], [-0.2, 0.9]], dtype=torch.float64)
    with pytest.raises(ArgumentError, match=r"^keys: the wanted keys are too nearly dependent to decide in float64$"):
        mix_query(keys, {0: 0.7, 1: 0.3})
