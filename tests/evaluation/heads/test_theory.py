"""The theory beside heads: constructed heads whose truth is known, and independent loops."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.optimize import minimize
from scipy.special import expit, log_softmax
from scipy.stats import norm

from attnlab.errors import ArgumentError
from attnlab.evaluation.heads.theory.equal_lengths import change, equal_lengths, window_bits
from attnlab.evaluation.heads.theory.reach import best_weight, reach
from attnlab.evaluation.heads.theory.rows import HeadRows, QueryRow, draw_rows
from attnlab.evaluation.heads.theory.scales import best_averaging_scale, scale_of
from attnlab.evaluation.heads.theory.sinks import lead_parts, sink_of
from attnlab.evaluation.heads.theory.spread import law, predicted_and_observed
from attnlab.models.inside import TransformerInside
from attnlab.models.kinds import make_model
from attnlab.models.lens import Head, every_head
from attnlab.models.transformer import Transformer, TransformerConfig

SIZE, CONTEXT = 13, 12
TINY = TransformerConfig(layers=2, heads=2, width=16, context=CONTEXT, qk_norm=False, latents=3)


def opened(**changes) -> TransformerInside:
    """A model whose heads attend to something, in float64."""
    model = make_model(TransformerConfig(**{**TINY.__dict__, **changes}), SIZE, seed=1)
    assert isinstance(model, Transformer)
    generator = torch.Generator().manual_seed(4)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.4 * torch.randn(parameter.shape, generator=generator))
    return TransformerInside(model.double())


def some_windows(count: int = 6) -> torch.Tensor:
    return torch.randint(SIZE, (count, CONTEXT), generator=torch.Generator().manual_seed(2))


def row(keys, query, scale: float = 1.0, sink: float = 0.0, window: int = 0) -> QueryRow:
    keys, query = np.array(keys, float), np.array(query, float)
    logits = np.append(scale * keys @ query, np.log(sink) if sink else -np.inf)
    return QueryRow(window, query, keys, np.exp(log_softmax(logits))[:-1], scale, sink)


def test_rows_are_what_the_heads_computed():
    inside, windows = opened(), some_windows()
    heads = draw_rows(inside, windows, count=18, seed=3)
    assert [each.head for each in heads] == every_head(inside)
    seen = inside.look(windows)
    for each in heads:
        assert len(each.rows) == 18
        layer = seen.layers[each.head.layer]
        assert layer.keys is not None
        lengths = layer.keys[:, each.head.place].norm(dim=-1)
        assert each.length == pytest.approx(float(lengths.mean()))
        assert each.variation == pytest.approx(float(lengths.std(correction=0) / lengths.mean()))
        for found in each.rows:
            place = len(found.keys) - 1
            assert place >= 1
            np.testing.assert_allclose(found.weights, layer.weights[found.window, each.head.place, place, : place + 1])
            np.testing.assert_allclose(np.exp(log_softmax(found.logits)), found.weights, atol=1e-6)
    places = [[len(found.keys) for found in draw_rows(inside, windows, 18, seed)[0].rows] for seed in (3, 4)]
    assert places[0] == [len(found.keys) for found in heads[0].rows] != places[1]


@given(st.floats(-4, 6), st.floats(-3, 4), st.floats(0.01, 0.6))
@settings(max_examples=15, deadline=None)
def test_the_law_is_the_integral_over_lengths(logit, other, variation):
    """σ(m(1 + γ) − rest) over γ ~ N(0, v), by scipy's quadrature; the attended key has the larger weight."""
    logit, other = max(logit, other), min(logit, other)
    found = row([[1.0, 0.0], [0.0, 1.0]], [logit, other])
    mean, sd = law(found, length=1.0, variation=variation)
    first, second = (
        quad(lambda z, p=p: expit(logit * (1 + variation * z) - other) ** p * norm.pdf(z), -9, 9, limit=200)[0]
        for p in (1, 2)
    )
    assert mean == pytest.approx(first, abs=1e-7)
    assert sd**2 == pytest.approx(second - first**2, abs=1e-7)


def test_lengths_that_are_noise_have_the_spread_of_the_law():
    """Rows drawn from the law itself: the ratio is 1 within its interval, and 95 % lie within the range."""
    random = np.random.default_rng(0)
    rows = []
    for window in range(150):
        length = 1 + 0.2 * random.standard_normal()
        rows.append(row([[length, 0.0], [0.0, 0.6]], [3.0, 0.0], window=window))
    found = predicted_and_observed(HeadRows(Head(0, 0), tuple(rows), 1.0, 0.2))
    assert found.ratio is not None
    assert found.ratio.low is not None
    assert found.ratio.high is not None
    assert found.ratio.low < 1 < found.ratio.high
    assert found.ratio.high - found.ratio.low < 0.7
    assert found.within == pytest.approx(0.95, abs=0.05)
    assert found.bias == pytest.approx(0, abs=0.02)


def test_keys_of_one_length_have_no_spread():
    rows = tuple(row([[1.0, 0.0], [0.0, 1.0]], [a, 0.0], window=i) for i, a in enumerate((1.0, 2.0, 3.0, 4.0, 5.0)))
    found = predicted_and_observed(HeadRows(Head(0, 0), rows, 1.0, 0.0))
    assert (found.predicted, found.observed) == pytest.approx((0, 0), abs=1e-12)
    assert found.ratio is None


def test_a_head_that_chooses_long_keys_is_above_the_law():
    rows = tuple(row([[1.4, 0.0], [0.0, 0.6]], [3.0, 3.0], window=i) for i in range(20))
    found = predicted_and_observed(HeadRows(Head(0, 0), rows, 1.0, 0.2))
    assert found.bias > 0.05
    assert found.within == 0.0


@given(st.integers(0, 200), st.sampled_from([0.0, 1.0]))
@settings(max_examples=8, deadline=None)
def test_no_query_of_the_same_length_does_better(seed, sink):
    random = np.random.default_rng(seed)
    keys = random.standard_normal((random.integers(2, 12), 3))
    found = row(keys, random.standard_normal(3) * 2, scale=0.7, sink=sink)
    best, bound = best_weight(found, found.attended)
    radius = np.linalg.norm(found.query)

    def loss(angles):
        query = radius * angles / max(np.linalg.norm(angles), 1e-9)
        logits = np.append(0.7 * keys @ query, np.log(sink) if sink else -np.inf)
        return -log_softmax(logits)[found.attended]

    starts = [found.query, keys[found.attended], random.standard_normal(3)]
    least = min(float(minimize(loss, start, method="BFGS").fun) for start in starts)
    assert found.weights.max() <= best + 1e-9
    assert np.exp(-least) <= bound + 1e-9
    assert best <= bound + 1e-12
    assert bound == pytest.approx(best, rel=2e-3)


def test_a_key_between_others_has_a_limit_and_a_proof():
    found = reach(row([[-1.0], [1.0], [0.1]], [0.01]))
    assert found.limit == 1.0  # the attended key is the outer one, 1
    middle = row([[-1.0, 0.2], [1.0, 0.2], [0.0, 0.2]], [0.0, 5.0])
    middle = QueryRow(0, middle.query, middle.keys, np.array([0.33, 0.33, 0.34]), 1.0)
    found = reach(middle)
    assert found.limit == pytest.approx(1 / 3)
    assert "is in the convex hull of others" in found.hull
    assert found.bound <= 1 / 3 + 1e-9


@given(st.integers(0, 300))
@settings(max_examples=30, deadline=None)
def test_the_parts_of_a_lead_add_up(seed):
    random = np.random.default_rng(seed)
    found = row(random.standard_normal((7, 4)) * random.uniform(0.1, 3, (7, 1)), random.standard_normal(4), scale=0.5)
    assert sum(lead_parts(found)) == pytest.approx(found.logits[0] - found.logits.mean(), abs=1e-12)


def test_a_long_key_leads_by_its_length_and_a_turned_one_by_its_angle():
    long = sink_of(HeadRows(Head(0, 0), (row([[3.0, 0.0], [1.0, 0.0], [1.0, 0.0]], [1.0, 0.0]),), 1.0, 0.1))
    assert (long.angle, long.rest) == (0.0, 0.0)
    assert long.length == pytest.approx(3 - 5 / 3)
    turned = sink_of(HeadRows(Head(0, 0), (row([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]], [1.0, 0.0]),), 1.0, 0.1))
    assert (turned.length, turned.rest) == (0.0, 0.0)
    assert turned.lead == pytest.approx(2 / 3)


def test_the_scale_of_a_head():
    found = scale_of(HeadRows(Head(0, 0), (row(np.eye(3), [4.0, 1.0, 0.0]), row(np.eye(3), [2.0, 0.0, 0.0])), 1.0, 0.2))
    assert found.trained == pytest.approx((3.5 + 2.0) / 2)
    assert found.best == best_averaging_scale(3, 0.2)
    assert scale_of(HeadRows(Head(0, 0), (row(np.eye(3), [4.0, 1.0, 0.0]),), 1.0, 0.0)).best is None


@pytest.mark.parametrize("mixer", ["dot-product", "sink", "smeared"])
@torch.no_grad()
def test_equal_lengths_are_those_of_a_loop(mixer):
    inside, windows = opened(mixer=mixer), some_windows(2)
    lengths = {head: 1.5 + head.place for head in every_head(inside)}
    seen = inside.look(windows, equal_lengths(lengths, [Head(0, 1)]))
    plain = inside.look(windows).layers[0]
    assert plain.queries is not None
    assert plain.keys is not None
    assert torch.equal(seen.layers[0].weights[:, 0], plain.weights[:, 0])
    for window in range(2):
        for place in range(CONTEXT):
            q, k = plain.queries[window, 1, place], plain.keys[window, 1, : place + 1]
            logits = plain.scale * (k / k.norm(dim=-1, keepdim=True) * 2.5) @ q
            if mixer == "sink":
                logits = torch.cat([logits, torch.zeros(1)])
            wanted = torch.softmax(logits, -1)[: place + 1]
            torch.testing.assert_close(seen.layers[0].weights[window, 1, place, : place + 1], wanted)


def test_normalised_keys_lose_nothing_by_equal_lengths():
    inside, windows = opened(qk_norm=True), some_windows()
    lengths = {each.head: each.length for each in draw_rows(inside, windows, 6)}
    plain, equal = (window_bits(inside, windows, lens) for lens in (None, equal_lengths(lengths, [*lengths])))
    np.testing.assert_allclose(plain, equal, atol=1e-3)


def test_bits_of_windows_and_their_change():
    inside, windows = opened(), some_windows(5)
    found = window_bits(inside, windows)
    for ids, bits in zip(windows, found, strict=True):
        logs = torch.log_softmax(inside.model(ids[None])[0].detach(), -1)
        wanted = -sum(float(logs[i, ids[i + 1]]) for i in range(CONTEXT - 1)) / np.log(2)
        assert bits == pytest.approx(wanted, rel=1e-5)
    assert change(found, found + 11.0, CONTEXT - 1).value == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("mixer", "message"),
    [
        ("synthesizer", "model: a synthesizer compares no two tokens: its heads have no keys to hold theory against"),
        ("perceiver", "model: the logits of its heads are not dot products of queries and keys"),
    ],
)
def test_other_heads_are_refused(mixer, message):
    with pytest.raises(ArgumentError) as refused:
        draw_rows(opened(mixer=mixer), some_windows(1), 3)
    assert str(refused.value) == message
