"""All scores of a model together: what is measured on what, intervals, and names."""

import numpy as np
import pytest
import torch

from attnlab.errors import ArgumentError
from attnlab.evaluation.heads.chance import Chance
from attnlab.evaluation.heads.measures import MEASURES, NAMES
from attnlab.evaluation.heads.passes import text_windows
from attnlab.evaluation.heads.patterns import pattern_scores
from attnlab.evaluation.heads.repeats import draw_repeats, placed_scores, repeated_places
from attnlab.evaluation.heads.scores import names_of, over_rows, over_windows, score_heads
from attnlab.evaluation.scoring.intervals import Estimate
from attnlab.models.inside import TransformerInside
from attnlab.models.kinds import make_model
from attnlab.models.mixers import MIXERS
from attnlab.models.transformer import Transformer, TransformerConfig
from attnlab.models.transformer_config import Mixing

SIZE, CONTEXT = 40, 16
KNOWN = torch.arange(SIZE)
IDS = torch.randint(SIZE, (405,), generator=torch.Generator().manual_seed(1))
WITHOUT_KEYS = {"qk_rank", "key_spread"}


def opened(mixer: Mixing = "dot-product", context: int = CONTEXT, size: int = SIZE) -> TransformerInside:
    shape = TransformerConfig(layers=2, heads=2, width=16, context=context, mixer=mixer, qk_norm=mixer != "smeared")
    model = make_model(shape, size, seed=3)
    assert isinstance(model, Transformer)
    return TransformerInside(model)


@pytest.mark.parametrize("mixer", MIXERS)
def test_every_mixer_has_its_scores_in_their_ranges(mixer):
    found = score_heads(opened(mixer), IDS, KNOWN)
    assert [str(each.head) for each in found.heads] == ["0.0", "0.1", "1.0", "1.1"]
    missing = MEASURES.keys() - found.chance.keys()
    assert missing == {
        "dot-product": set(),
        "sink": set(),
        "smeared": {"qk_rank"},
        "perceiver": {"qk_rank"} | (missing & {"key_spread"}),
    }.get(mixer, WITHOUT_KEYS)
    for each in found.heads:
        assert list(each.scores) == list(found.chance)
        for key, score in each.scores.items():
            assert MEASURES[key].low - 1e-6 <= score.value <= MEASURES[key].high + 1e-6, key
            assert (score.low is None) == (MEASURES[key].seen_on == "weights"), key
            if score.low is not None and score.high is not None:
                assert MEASURES[key].low <= score.low <= score.value + 1e-9
                assert score.value - 1e-9 <= score.high <= MEASURES[key].high
    assert (found.windows, found.length, found.rows, found.row_length) == (25, CONTEXT, 16, CONTEXT)


def test_scores_are_means_over_windows_and_rows_however_they_are_batched(monkeypatch):
    inside = opened()
    found = score_heads(inside, IDS, KNOWN, seed=7)
    seen = inside.look(text_windows(IDS, CONTEXT, None)).layers[1]
    wanted = {key: each[:, 1].mean() for key, each in pattern_scores(seen).items()}
    repeats = draw_repeats(KNOWN, CONTEXT, 7)
    assert repeats is not None
    rows = placed_scores(inside.look(repeats.ids).layers[1].weights, repeated_places(repeats))
    wanted |= {"induction": rows[:, 0, 1].mean(), "duplicate": rows[:, 1, 1].mean()}
    values = {key: found.heads[3].scores[key].value for key in wanted}
    assert values == pytest.approx({key: float(each.detach()) for key, each in wanted.items()}, abs=1e-5)
    monkeypatch.setattr("attnlab.evaluation.heads.passes.LARGEST", 1)
    again = score_heads(inside, IDS, KNOWN, seed=7)
    assert {key: each.value for key, each in again.heads[3].scores.items()} == pytest.approx(
        {key: each.value for key, each in found.heads[3].scores.items()}, abs=1e-5
    )


def test_a_start_token_begins_every_window():
    windows = text_windows(torch.arange(5, 20), 6, 3)
    assert windows.tolist() == [[3, *range(first, first + 5)] for first in (5, 10, 15)]
    assert text_windows(torch.arange(4), 6, None).tolist() == [[0, 1, 2, 3]]
    assert text_windows(torch.arange(4), 6, 3).tolist() == [[3, 0, 1, 2, 3]]
    assert text_windows(torch.arange(1000), 5000, None).shape == (3, 256)
    found = score_heads(opened(), IDS, KNOWN, start=3)
    assert (found.windows, found.length, found.row_length) == (27, CONTEXT, CONTEXT)


def test_a_short_context_has_no_scores_on_repeats_and_a_short_text_no_intervals():
    found = score_heads(opened(context=6), IDS[:12], KNOWN)
    assert (found.windows, found.rows, found.row_length) == (2, 0, 0)
    assert not {"induction", "duplicate", "copying_logits"} & found.chance.keys()
    assert all(each.scores["previous"].low is None for each in found.heads)
    assert all(each.names == () for each in found.heads)
    two = score_heads(opened(), IDS[:2], KNOWN)
    assert (two.windows, two.length) == (1, 2)


def test_a_model_that_is_broken_or_sees_one_token_is_refused_in_one_line():
    with pytest.raises(ArgumentError, match=r"^model: expected a context window of at least 2 tokens, got 1"):
        score_heads(opened(context=1), IDS, KNOWN)
    inside = opened()
    with torch.no_grad():
        inside.model.get_parameter("blocks.1.mixer.qkv.weight")[0] = torch.nan
    with pytest.raises(ArgumentError, match=r"^model: the attention of head 1\.0 is NaN or infinite"):
        score_heads(inside, IDS, KNOWN)


def test_a_layout_that_the_lab_does_not_know_has_scores_of_patterns_only(monkeypatch):
    monkeypatch.setattr(TransformerInside, "circuits", lambda self, layer: None)
    found = score_heads(opened(), IDS, KNOWN)
    assert MEASURES.keys() - found.chance.keys() == {"copying_eigenvalues", "copying_logits", "qk_rank", "ov_rank"}


def test_a_head_whose_keys_are_all_zero_has_finite_scores():
    inside = opened()
    with torch.no_grad():
        inside.model.get_parameter("blocks.0.mixer.qkv.weight").zero_()
    found = score_heads(inside, IDS, KNOWN).heads[0].scores
    assert found["key_spread"].value == 0
    assert found["entropy"].value == pytest.approx(1)
    assert found["copying_eigenvalues"].value == 0


def test_progress_counts_every_token():
    done: list[float] = []
    score_heads(opened(), IDS, KNOWN, advance=done.append)
    assert sum(done) == 400 + 2 * 16 * CONTEXT


def test_intervals_over_windows_and_rows():
    alike = over_windows(np.full(5, 0.25))
    assert (alike.value, alike.low, alike.high) == (0.25, 0.25, 0.25)
    assert over_windows(np.array([0.25, 0.5, 0.75])) == Estimate(0.5)  # too few for an interval
    near = over_windows(np.array([0.0, 0.9, 0.1, 0.8, 0.0, 1.0]), MEASURES["previous"])
    assert near.low is not None
    assert near.high is not None
    assert 0 <= near.low < near.value < near.high <= 1
    values = np.array([0.2, 0.3, 0.7])
    half = 4.302652729911275 * values.std(ddof=1) / np.sqrt(3)  # Student's t at 0.975 with 2 degrees of freedom
    found = over_rows(values)
    assert (found.low, found.high) == pytest.approx((0.4 - half, 0.4 + half))


CHANCE = dict.fromkeys(NAMES, Chance(0.1))


@pytest.mark.parametrize(
    ("scores", "beyond", "names"),
    [
        ({"previous": Estimate(0.8, 0.7, 0.9)}, {}, ("previous token",)),
        ({"previous": Estimate(0.5, 0.29, 0.7)}, {}, ()),  # the interval reaches below the margin
        ({"previous": Estimate(0.8)}, {}, ()),  # no interval
        ({"first": Estimate(0.5, 0.4, 0.6), "self": Estimate(0.9, 0.8, 1.0)}, {}, ("self", "sink")),
        ({"induction": Estimate(0.8, 0.7, 0.9)}, {"induction": Estimate(0.7, 0.6, 0.8)}, ("induction",)),
        ({"induction": Estimate(0.8, 0.7, 0.9)}, {"induction": Estimate(0.1, 0.0, 0.2)}, ()),  # so is the control
        ({"duplicate": Estimate(0.8, 0.7, 0.9)}, {"duplicate": Estimate(0.5, 0.4, 0.6)}, ("duplicate token",)),
    ],
)
def test_a_name_needs_a_score_beyond_chance_and_its_control(scores, beyond, names):
    assert names_of(scores, beyond, CHANCE) == names
