"""All scores of all heads of a model: on windows of a text, on repeated random tokens, and from its matrices."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from attnlab.errors import ArgumentError
from attnlab.evaluation.heads.chance import Chance, circuits_chance, pattern_chance, repeats_chance
from attnlab.evaluation.heads.circuits import circuit_scores, token_map
from attnlab.evaluation.heads.measures import MARGIN, MEASURES, NAMES, HeadMeasure
from attnlab.evaluation.heads.passes import Advance, Collected, score_repeats, score_text, text_windows
from attnlab.evaluation.heads.repeats import draw_repeats
from attnlab.evaluation.scoring.intervals import FEWEST, Estimate, estimated, spread
from attnlab.models.inside import Inside
from attnlab.models.lens import Head, every_head
from attnlab.statistics import mean_and_half_width

Values = Float[np.ndarray, " windows"]
CONTROLLED = ("induction", "duplicate")
"""Measures that have a control: the same key with `_control`."""


@dataclass(frozen=True)
class HeadScore:
    """The scores of a head by measure, and the names that they earn it."""

    head: Head
    scores: Mapping[str, Estimate]
    names: tuple[str, ...]


@dataclass(frozen=True)
class Scores:
    """The scores of every head. A measure that does not apply to a model is missing."""

    heads: tuple[HeadScore, ...]
    chance: Mapping[str, Chance]
    windows: int
    length: int
    """The number of windows of the text, and the tokens in each."""
    rows: int
    row_length: int
    """The number of rows of repeated tokens (as many are shuffled), and the tokens in each; 0 if there are none."""


@torch.no_grad()
def score_heads(
    inside: Inside,
    ids: Int[Tensor, " tokens"],
    known: Int[Tensor, " vocabulary"],
    start: int | None = None,
    seed: int = 0,
    advance: Advance = lambda done: None,
) -> Scores:
    """The scores of every head on a text of at least two tokens, `ids`. Random tokens are drawn from `known`. Every
    window and row begins with the start token, if the model has one."""
    if inside.context < 2:
        raise ArgumentError("model", "expected a context window of at least 2 tokens, got 1: nothing to look back at")
    windows = text_windows(ids, inside.context, start)
    repeats = draw_repeats(known, inside.context, seed, start)
    found, drawn = Collected(inside.layers), Collected(inside.layers)
    score_text(inside, windows, found, advance)
    _check_finite(found)
    chance = pattern_chance(windows.shape[1], inside.dim)
    if repeats is not None:
        score_repeats(inside, repeats, drawn, advance)
        chance |= repeats_chance(repeats)
    fixed: dict[str, Tensor] = {}
    if inside.circuits(0) is not None:
        tokens = token_map(inside)
        fixed, chance = _circuits(inside, tokens), chance | circuits_chance(tokens, inside.dim, seed)
    heads = _scored(inside, found.values(), drawn.values(), fixed, chance)
    chance = {key: chance[key] for key in MEASURES if key in heads[0].scores}
    return Scores(heads, chance, *windows.shape, *((0, 0) if repeats is None else repeats.ids.shape))


def _check_finite(found: Collected) -> None:
    """Raise if a score is not a number, because the model's weights are not."""
    for values in found.values().values():
        broken = np.argwhere(~np.isfinite(values))
        if len(broken):
            head = Head(*broken[0, :2].tolist())
            raise ArgumentError("model", f"the attention of head {head} is NaN or infinite; expected finite weights")


def _circuits(inside: Inside, tokens: Float[Tensor, "width width"]) -> dict[str, Float[Tensor, "layers heads"]]:
    """The scores from the matrices of all layers."""
    layers = [each for layer in range(inside.layers) if (each := inside.circuits(layer)) is not None]
    found = [circuit_scores(each, tokens) for each in layers]
    return {key: torch.stack([each[key] for each in found]) for key in found[0]}


def _scored(
    inside: Inside,
    found: Mapping[str, Float[np.ndarray, "layers heads windows"]],
    drawn: Mapping[str, Float[np.ndarray, "layers heads rows"]],
    fixed: Mapping[str, Float[Tensor, "layers heads"]],
    chance: Mapping[str, Chance],
) -> tuple[HeadScore, ...]:
    """Each head with its scores, their intervals, and its names."""
    heads = []
    for head in every_head(inside):
        scores = {key: over_windows(values[head], MEASURES[key]) for key, values in found.items()}
        scores |= {key: over_rows(values[head], MEASURES[key]) for key, values in drawn.items()}
        scores |= {key: Estimate(float(values[head])) for key, values in fixed.items()}
        beyond = {
            key: over_rows(drawn[key][head] - drawn[f"{key}_control"][head]) for key in CONTROLLED if key in drawn
        }
        ordered = {key: scores[key] for key in MEASURES if key in scores}
        heads.append(HeadScore(head, ordered, names_of(scores, beyond, chance)))
    return tuple(heads)


def over_windows(values: Values, measure: HeadMeasure | None = None) -> Estimate:
    """The mean over windows of a text, with its 95 % interval for more text of the kind, from four windows on.

    >>> found = over_windows(np.array([0.5, 0.9, 0.6, 0.8]))
    >>> found.value, round(found.low, 3), round(found.high, 3)
    (0.7, 0.409, 0.991)
    """
    if len(values) >= FEWEST and not np.ptp(values):  # all windows are alike: say, a pattern that no text changes
        return Estimate(float(values[0]), float(values[0]), float(values[0]))
    return _within(estimated(float(values.mean()), spread((values, np.ones(len(values))))), measure)


def over_rows(values: Values, measure: HeadMeasure | None = None) -> Estimate:
    """The mean over rows that were drawn independently, with its 95 % interval."""
    middle, half = mean_and_half_width(values.tolist())
    return _within(Estimate(middle, middle - half, middle + half), measure)


def _within(found: Estimate, measure: HeadMeasure | None) -> Estimate:
    """The estimate, its interval cut where the possible range of the measure ends."""
    if measure is None or found.low is None or found.high is None:
        return found
    return Estimate(found.value, max(found.low, measure.low), min(found.high, measure.high))


def names_of(
    scores: Mapping[str, Estimate], beyond_control: Mapping[str, Estimate], chance: Mapping[str, Chance]
) -> tuple[str, ...]:
    """The names that a head has earned, the clearest first. `beyond_control` is how far a score is above its control;
    it must be above the margin, too."""
    earned: dict[str, float] = {}
    for key, name in NAMES.items():
        found = scores.get(key)
        if found is None or found.low is None or found.low <= chance[key].value + MARGIN:
            continue
        control = beyond_control.get(key)
        if control is None or (control.low is not None and control.low > MARGIN):
            earned[name] = found.value - chance[key].value
    return tuple(sorted(earned, key=lambda name: -earned[name]))
