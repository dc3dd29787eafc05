"""The queries, and the scale of queries, that come closest to a target under noise: for one head, two, or H.

They minimise E‖c − target‖² itself. `distribution` measures every answer again, so the reported error is exact (or has
a standard error), whatever the search did.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, Unpack

import numpy as np
import torch
from jaxtyping import Float
from scipy.optimize import minimize_scalar
from torch import Tensor

from attnlab.attention.argument_checks import check_between, check_whole, exact_rows, exact_vector
from attnlab.attention.descent import Objective
from attnlab.attention.noise import Distribution, NoisyKeys, distribution
from attnlab.attention.noise.distribution import Method, choose_method
from attnlab.attention.noise.keys import check_noisy
from attnlab.attention.noise.readout import ReadoutOptions, readout

SMALL_LOGIT, LARGE_LOGIT, LARGEST_LOGIT = 1e-2, 1e4, 1e9
"""The range of scales: at the lowest, no logit exceeds the first number; at the highest, every head has a logit of the
second. Up to the third, where float64 has eight digits of a logit left, the search looks for a further fall."""
WEAKEST_HEAD = 1e-6
"""A head whose logits are a smaller share of the strongest head's does not lengthen the search."""
SEARCH_SAMPLES = 1 << 14
"""Draws while searching, if the error cannot be computed exactly; always one seed, so that the error is smooth."""


@dataclass(frozen=True)
class Best:
    """The best queries found, and their distribution.

    `scale` is their common factor if only that was searched for. `unbounded` means that there is no best scale: the
    error still falls at `scale`, rises nowhere beyond it, and far beyond is flat within rounding. Where rounding hides
    a further fall, the answer is the scale from which on it does, and `unbounded` is False.
    """

    queries: Float[Tensor, "heads dim"]
    scale: float | None
    unbounded: bool
    distribution: Distribution


def best_scale(
    keys: NoisyKeys,
    directions: Float[Tensor, "*heads dim"],
    target: Float[Tensor, "value"],
    *,
    most: float | None = None,
    **options: Unpack[ReadoutOptions],
) -> Best:
    """The scale C ≥ 0 for which the queries C · directions have the least error; at most `most`, if given.

    The search range depends on the logits only, so directions ten times as long have a scale ten times smaller.

    >>> from attnlab.attention.scenario import AveragingQuestion
    >>> ten = AveragingQuestion(keys=10)
    >>> best = best_scale(ten.noisy_keys(), ten.directions(heads=1), ten.target())
    >>> f"C = {best.scale:.3f}, error {best.distribution.error:.4f}"
    'C = 2.136, error 0.1468'
    """
    if most is not None:
        check_between("most", most, 0.0, math.inf)
    check_noisy(keys)
    directions = exact_rows("directions", directions, "heads", "dim")
    asked = readout(keys, directions, target, **options)
    # The exact method takes a second or so for three directions of noise: too long for a hundred evaluations.
    slow = choose_method(asked) == "exact" and asked.logits.directions > 2
    methods: set[Method] = set()

    def look(scale: float, method: Method | Literal["auto"] = "quasi-monte-carlo" if slow else "auto") -> Distribution:
        found = distribution(keys, scale * directions, target, method=method, samples=SEARCH_SAMPLES, **options)
        methods.add(found.method)
        return found

    sizes = _logit_sizes(keys, directions.to(keys.means.device), options)
    scale, unbounded = _least(look, sizes, math.inf if most is None else most)
    if methods > {"monte-carlo"}:  # plain draws compare with one another only: they are the same at every scale
        scale, unbounded = _least(partial(look, method="monte-carlo"), sizes, math.inf if most is None else most)
    return Best(scale * directions, scale, unbounded, distribution(keys, scale * directions, target, **options))


def _logit_sizes(
    keys: NoisyKeys, directions: Float[Tensor, "heads dim"], options: ReadoutOptions
) -> Float[Tensor, "heads"]:
    """The size of each head's logits: the range of their means, or the largest standard deviation of their noise.

    A constant added to all logits of a head does not count, unless there is a sink to compare them with.
    """
    longest = directions.abs().amax().clamp_min(torch.finfo(directions.dtype).tiny)
    units = directions / longest  # of size 1, so that no square underflows
    means, shared = units @ keys.means.mT, (keys.shared @ units.mT).mT
    variances = (keys.own @ units.mT).square().sum(1).mT + keys.isotropic * units.square().sum(1, keepdim=True)
    if options.get("normalise_keys", False):
        squares = keys.means.square().sum(1) + keys.isotropic * keys.means.shape[1]
        squares = squares + keys.own.square().sum((1, 2)) + keys.shared.square().sum((0, 2))
        norms = squares.sqrt().clamp_min(torch.finfo(squares.dtype).tiny)
        means, shared, variances = means / norms, shared / norms, variances / norms / norms
    if options.get("sink", 0.0) > 0.0:
        means = torch.nn.functional.pad(means, (0, 1))  # the sink's own logit does not move
    else:
        shared = shared - shared[..., :1]
    noise = (variances + shared.square().sum(0)).amax(1).sqrt()
    return longest * torch.maximum(means.amax(1) - means.amin(1), noise)


def _least(look: Callable[[float], Distribution], sizes: Float[Tensor, "heads"], most: float) -> tuple[float, bool]:
    """The scale of the least error, for logits of these sizes at scale 1, and whether the error falls for ever."""
    strongest = float(sizes.max())
    if strongest == 0.0:
        return 0.0, False  # no scale changes any weight
    weakest = float(sizes[sizes > WEAKEST_HEAD * strongest].min())
    low, high, far = SMALL_LOGIT / strongest, LARGE_LOGIT / weakest, LARGEST_LOGIT / weakest
    near = np.geomspace(low, high, 1 + round(10 * math.log10(high / low)))
    beyond = np.geomspace(high, far, 1 + round(math.log10(far / high)))[1:]
    scales = np.concatenate([[0.0], near, beyond])
    if most < far:
        scales = np.append(scales[scales < most], most)
    looks = [look(scale) for scale in scales]
    errors = np.array([each.error for each in looks])
    slack = np.array([_rounding(each) for each in looks])
    worse = np.flatnonzero(errors - slack > np.min(errors + slack))
    settled = worse[-1] + 1 if len(worse) else 0  # from here on, all errors are the least within rounding
    if settled < min(len(near), len(scales) - 1):
        return float(scales[settled]), False
    if most >= far and _falls_for_ever(errors, slack, start=len(near)):
        return high, True
    # The error may have more than one valley: search the deepest.
    lowest = int(np.argmin(errors))
    if lowest in (0, len(scales) - 1):
        return float(scales[lowest]), False
    valley = (scales[lowest - 1], scales[lowest + 1])
    within = {"xatol": 1e-7 * scales[lowest]}
    # scipy's stub calls the result an object
    found: Any = minimize_scalar(lambda c: look(c).error, bounds=valley, method="bounded", options=within)
    return float(found.x if found.fun < errors[lowest] else scales[lowest]), False


def _rounding(found: Distribution) -> float:
    """How uncertain the error is when it is compared with others of the same draws, if it was drawn."""
    if found.standard_error is None:
        return found.error_bound
    return found.readout.rounding(torch.float32 if found.method == "monte-carlo" else torch.float64)


def _falls_for_ever(errors: np.ndarray, slack: np.ndarray, start: int) -> bool:
    """Whether, within rounding, no error before `start` is less, no error beyond is more, and the end is flat."""
    first = errors[start] - slack[start] <= np.min(errors[:start] + slack[:start])
    on = np.all(errors[start:] - slack[start:] <= errors[start] + slack[start])
    return bool(first and on and abs(errors[-1] - errors[-2]) <= slack[-1] + slack[-2])


def best_queries(
    keys: NoisyKeys,
    target: Float[Tensor, "value"],
    *,
    heads: int = 1,
    starts: int = 6,
    seed: int = 0,
    **options: Unpack[ReadoutOptions],
) -> Best:
    """The queries with the least error, in any direction; the best of several local searches.

    Each search follows the gradient of the error over fixed nodes of the noise (a grid for one or two noisy sources,
    Sobol points for more). `distribution` then measures the end points, and the best one is the answer.

    Heads with equal queries act as one head. So fewer heads are searched too, and their queries repeated: more heads
    are never worse than a number of heads that divides them, and more starts are never worse than fewer.

    >>> from attnlab.attention.scenario import AveragingQuestion
    >>> ten = AveragingQuestion(keys=10)
    >>> best = best_queries(ten.noisy_keys(), ten.target(), starts=1)
    >>> best.distribution.error < 1e-6  # it asks for neither a nor b, so their noise has no effect
    True
    """
    check_noisy(keys)
    check_whole("heads", heads, 1)
    check_whole("starts", starts, 1)
    check_whole("seed", seed)
    check_between("seed", seed, -1, 2**63)
    shares = options.get("head_weights")
    found = []
    if shares is None:
        for fewer in (count for count in range(1, heads) if heads % count == 0):
            found.append(_search(keys, target, fewer, starts, seed, options))
    elif heads > 1:
        whole = exact_vector("head_weights", shares, heads).sum()[None]
        found.append(_search(keys, target, 1, starts, seed, {**options, "head_weights": whole}))
    found.append(_search(keys, target, heads, starts, seed, options))
    best = min(found, key=lambda best: best.distribution.error)
    # Repeating the queries of fewer heads changes no output, so the measured error stays the same.
    return replace(best, queries=best.queries.repeat(heads // len(best.queries), 1))


def _search(
    keys: NoisyKeys, target: Float[Tensor, "value"], heads: int, starts: int, seed: int, options: ReadoutOptions
) -> Best:
    """The best of `starts` descents; each new best one also gets its best scale."""
    objective = Objective(keys, heads, target, seed, **options)
    generator = torch.Generator().manual_seed(seed)
    ends: list[Best] = []
    longer: list[Best] = []
    for start in range(starts):
        queries = objective.descend(_first_queries(keys, objective.pull, heads, generator, start))
        end = Best(queries, None, False, distribution(keys, queries, target, seed=seed, **options))
        if all(end.distribution.error < each.distribution.error for each in ends):
            # A descent creeps where the error falls for ever; a search over the scale is quick.
            longer.append(replace(best_scale(keys, queries, target, **options), scale=None))
        ends.append(end)
    return min(ends + longer, key=lambda best: best.distribution.error)


def _first_queries(
    keys: NoisyKeys, pull: Float[Tensor, "keys"], heads: int, generator: torch.Generator, start: int
) -> Float[Tensor, "heads dim"]:
    """Where a search starts. First, each head looks for one of the keys whose values the target holds. Second, every
    head looks for all of them, as a single head would. After that, heads look for random keys.
    """
    noise = torch.randn(heads, len(pull), generator=generator, dtype=torch.float64).to(pull.device)
    wanted = torch.topk(pull, min(len(pull), max(2, heads))).indices
    looks = torch.zeros_like(noise)
    if start == 0 and heads > 1:
        looks[torch.arange(heads), wanted[torch.arange(heads) % len(wanted)]] = 1.0
    elif start <= 1:
        looks[:, wanted[:2]] = 1.0
    else:
        looks = noise * pull.abs() / pull.abs().amax().clamp_min(1e-300)
        noise = 33.0 * noise
    return 3.0 * (looks + 0.01 * noise) @ keys.means
