"""Scores on repeated random tokens: constructed heads, controls, and plain loops."""

import pytest
import torch
from torch import Tensor

from attnlab.evaluation.heads.chance import CONTROL, REPEATED, repeats_chance
from attnlab.evaluation.heads.patterns import uniform
from attnlab.evaluation.heads.repeats import (
    LONGEST,
    ROWS,
    Repeats,
    control_places,
    copying_scores,
    draw_repeats,
    placed_scores,
    repeated_places,
    stripe,
)

KNOWN = torch.arange(10, 60)
both_starts = pytest.mark.parametrize("start", [None, 3])


def drawn(length: int = 24, start: int | None = None, known: Tensor = KNOWN) -> Repeats:
    found = draw_repeats(known, length, seed=5, start=start)
    assert found is not None
    return found


def matching(rows: Tensor, shift: int, before: int = 0) -> Tensor:
    """The weights of a head that attends evenly to the tokens `shift` after earlier copies of the current token, and to
    itself if there are none."""
    weights = torch.zeros(len(rows), 1, rows.shape[1], rows.shape[1], dtype=torch.float64)
    for number, row in enumerate(rows.tolist()):
        for i, token in enumerate(row):
            places = [j + shift for j in range(before, i) if row[j] == token] or [i]
            weights[number, 0, i, places] = 1 / len(places)
    return weights


def looking_back(rows: Tensor, distance: int) -> Tensor:
    """The weights of a head that looks back a fixed number of tokens."""
    length = rows.shape[1]
    weights = torch.zeros(length, length, dtype=torch.float64)
    weights[torch.arange(length), (torch.arange(length) - distance).clamp_min(0)] = 1
    return weights.expand(len(rows), 1, -1, -1)


def scored(weights: Tensor, places: Tensor, keys: tuple[str, ...]) -> dict[str, float]:
    means = placed_scores(weights, places).mean((0, 2))
    return dict(zip(keys, means.tolist(), strict=True))


@both_starts
def test_rows_repeat_with_periods_that_differ(start):
    found = drawn(start=start)
    assert found.ids.shape == found.shuffled.shape == (ROWS, 24)
    assert found.before == int(start is not None)
    assert len(set(found.periods.tolist())) > 3
    for row, other, period in zip(found.ids.tolist(), found.shuffled.tolist(), found.periods.tolist(), strict=True):
        assert row[: found.before] == other[: found.before] == ([] if start is None else [start])
        tokens, shuffled = row[found.before :], other[found.before :]
        assert tokens[period:] == tokens[:-period]
        assert len(set(tokens[:period])) == period
        assert set(tokens) <= set(KNOWN.tolist())
        assert shuffled[:period] == tokens[:period]
        assert sorted(shuffled[period : 2 * period]) == sorted(tokens[:period])
        assert shuffled != tokens


def test_another_seed_gives_other_rows_and_the_same_seed_the_same():
    again = draw_repeats(KNOWN, 24, seed=5)
    other = draw_repeats(KNOWN, 24, seed=6)
    assert again is not None
    assert other is not None
    assert torch.equal(again.ids, drawn().ids)
    assert not torch.equal(other.ids, drawn().ids)


def test_a_long_context_has_rows_of_bounded_length_and_a_short_one_none():
    assert drawn(5000).ids.shape == (ROWS, LONGEST)
    assert drawn(8).periods.tolist() == [4] * ROWS
    assert draw_repeats(KNOWN, 7) is None
    assert draw_repeats(KNOWN, 8, start=3) is None
    assert draw_repeats(KNOWN[:3], 100) is None
    assert drawn(known=torch.arange(5)).periods.max() <= 5
    found = draw_repeats(torch.arange(5), 24, start=2)
    assert found is not None
    assert not (found.ids[:, 1:] == 2).any()


@both_starts
def test_heads_that_match_score_1_and_nothing_in_the_control(start):
    found = drawn(start=start)
    for key, shift in (("induction", 1), ("duplicate", 0)):
        here = scored(matching(found.ids, shift, found.before), repeated_places(found), REPEATED)
        assert here[key] == pytest.approx(1)
        assert here["duplicate" if shift else "induction"] == pytest.approx(0)
        control = scored(matching(found.shuffled, shift, found.before), control_places(found), CONTROL)
        # A matching head meets other tokens' offsets in shuffled copies now and then.
        assert control[f"{key}_control"] < 0.25


def test_a_head_that_looks_back_a_fixed_number_scores_as_in_the_control():
    found = drawn(64)
    period = int(found.periods[0])
    here = scored(looking_back(found.ids, period - 1), repeated_places(found), REPEATED)
    control = scored(looking_back(found.shuffled, period - 1), control_places(found), CONTROL)
    assert here["induction"] < 0.2  # right in the few rows of its own period
    assert here["induction"] == pytest.approx(control["induction_control"], abs=0.02)


@both_starts
def test_the_scores_are_those_of_a_loop(start):
    found = drawn(start=start)
    weights = torch.rand(ROWS, 2, 24, 24, dtype=torch.float64).tril()
    repeated = placed_scores(weights, repeated_places(found))
    control = placed_scores(weights, control_places(found))
    for row in range(ROWS):
        tokens, shown = found.ids[row].tolist(), found.shuffled[row].tolist()
        sums = {"induction": 0.0, "duplicate": 0.0}
        held, queries, kept = dict(sums), 0, 0
        for i in range(found.before, 24):
            copies = [j for j in range(found.before, i) if tokens[j] == tokens[i]]
            if not copies:
                continue
            queries += 1
            fair = all(shown[j] != shown[i] for j in copies)
            kept += fair
            for j in copies:
                for key, place in (("induction", j + 1), ("duplicate", j)):
                    sums[key] += float(weights[row, 1, i, place])
                    held[key] += fair * float(weights[row, 1, i, place])
        for place, key in enumerate(sums):
            assert float(repeated[row, place, 1]) == pytest.approx(sums[key] / queries)
            assert float(control[row, place, 1]) == pytest.approx(held[key] / kept)
        period = int(found.periods[row])
        assert float(repeated[row, 2, 1]) == pytest.approx(float(stripe(weights[row : row + 1], period)[0, 1]))


def test_the_stripe_is_the_diagonal_with_offset_1_minus_n():
    weights = torch.rand(1, 1, 10, 10)
    wanted = [float(weights[0, 0, i, i - 4]) for i in range(4, 10)]
    assert float(stripe(weights, 5)) == pytest.approx(sum(wanted) / len(wanted))


def test_a_uniform_head_scores_chance():
    found = drawn(start=3)
    even = uniform(24).expand(ROWS, 1, -1, -1)
    here = scored(even, repeated_places(found), REPEATED) | scored(even, control_places(found), CONTROL)
    chance = repeats_chance(found)
    assert here == pytest.approx({key: chance[key].value for key in here})
    assert chance["copying_logits"].value == 1 / int(found.periods.min())


def test_copying_by_logits_is_that_of_a_loop():
    draw = torch.Generator().manual_seed(2)
    values = torch.randn(2, 3, 6, 4, generator=draw, dtype=torch.float64)
    out = torch.randn(3, 5, 4, generator=draw, dtype=torch.float64)
    read = torch.randn(9, 5, generator=draw, dtype=torch.float64)
    tokens = torch.tensor([[1, 4, 8], [0, 2, 3]])
    found = copying_scores(values, tokens, 1, out, read, read.mean(0))
    for row in range(2):
        for head in range(3):
            shares = []
            for place, token in enumerate(tokens[row].tolist()):
                logits = read @ out[head] @ values[row, head, 1 + place]
                raised = (logits - logits.mean()).clamp_min(0)
                total = float(raised[tokens[row]].sum())
                shares.append(float(raised[token]) / total if total else 0.0)
            assert float(found[row, head]) == pytest.approx(sum(shares) / len(shares))


def test_a_head_that_passes_tokens_on_copies_them():
    read = torch.eye(8, dtype=torch.float64)
    tokens = torch.tensor([[5, 2, 7, 0]])
    found = copying_scores(read[tokens][:, None], tokens, 0, torch.eye(8)[None].double(), read, read.mean(0))
    assert float(found) == pytest.approx(1)
    against = copying_scores(-read[tokens][:, None], tokens, 0, torch.eye(8)[None].double(), read, read.mean(0))
    assert float(against) == 0
