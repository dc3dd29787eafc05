"""Claim 1: the weights are a distribution, on paper and in floating point."""

import math

import torch
from torch import Tensor

from attnlab.attention import attend, softmax
from attnlab.claims.claim import Family, Finding, Quantity

FAMILY = Family(
    1,
    "distribution",
    "Weights are a distribution",
    bench="attention",
    question="Why can the weights αᵢ be read as a distribution?",
)
PRECISIONS = (torch.float64, torch.float32, torch.bfloat16, torch.float16)
LARGEST_LOGIT = 1e4


def _weights(logits: Tensor) -> Tensor:
    """The attention weights for these logits, from keys of dimension 1 and the query 1."""
    keys = logits[:, None]
    return attend(torch.ones(1, dtype=logits.dtype), keys, keys).weights


@FAMILY.claim("sums-to-one", "αᵢ ≥ 0 for every i, and Σᵢ αᵢ = 1.", said_by="A, B, E")
def _sums_to_one(seed: int) -> Finding:
    generator = torch.Generator().manual_seed(seed)
    least, off, allowed = 1.0, dict.fromkeys(PRECISIONS, 0.0), True
    for precision in PRECISIONS:
        for keys in (1, 2, 10, 1000, 30_000):
            for size in (0.1, 10.0, 1000.0, LARGEST_LOGIT):
                logits = size * (2 * torch.rand(keys, generator=generator, dtype=torch.float64) - 1)
                weights = _weights(logits.to(precision))
                apart = abs(float(weights.double().sum()) - 1)
                least, off[precision] = min(least, float(weights.min())), max(off[precision], apart)
                allowed = allowed and apart <= (4 + keys**0.5) * torch.finfo(weights.dtype).eps
    names = {precision: str(precision).removeprefix("torch.") for precision in PRECISIONS}
    return Finding(
        "holds" if least >= 0 and allowed else "fails",
        "A power of e is never negative, and each power is divided by the sum of all of them, so the weights are "
        f"shares of one whole. The computer agrees. Over logits up to ±{LARGEST_LOGIT:g} and up to 30,000 keys, the "
        f"smallest weight was {least:g}, and the sum differed from 1 by at most {off[torch.float64]:.1e} in float64, "
        "which is rounding. Logits in half precision are turned into weights in float32, so their weights sum to 1 "
        "as closely as float32 allows. There must be at least one key.",
        (
            Quantity("smallest weight", least, how="observed"),
            *(
                Quantity(f"largest |Σα − 1|, {names[precision]}", off[precision], how="observed")
                for precision in PRECISIONS
            ),
        ),
    )


def _as_written(logits: Tensor) -> Tensor:
    """exp(x)/Σexp(x), without protection against overflow."""
    powers = logits.exp()
    return powers / powers.sum()


def _is_distribution(weights: Tensor) -> bool:
    return bool(torch.isfinite(weights).all()) and bool((weights >= 0).all()) and abs(float(weights.sum()) - 1) < 1e-5


def _edge(sign: float, precision: torch.dtype, keys: int = 1) -> float:
    """The size up to which the formula as written works for equal logits of this sign, by bisection."""
    low, high = 0.0, LARGEST_LOGIT
    for _ in range(50):
        middle = (low + high) / 2
        works = _is_distribution(_as_written(torch.full((keys,), sign * middle, dtype=precision)))
        low, high = (middle, high) if works else (low, middle)
    return low


@FAMILY.claim(
    "as-written", "exp(xᵢ)/Σⱼ exp(xⱼ), computed as it is written, is a distribution.", said_by="the lab, as a warning"
)
def _naive(seed: int) -> Finding:
    generator = torch.Generator().manual_seed(seed)
    drawn = LARGEST_LOGIT * (2 * torch.rand(200, 10, generator=generator, dtype=torch.float64) - 1)
    broken = sum(not _is_distribution(_as_written(row)) for row in drawn)
    mended = sum(not _is_distribution(softmax(row)) for row in drawn)
    above, single = _edge(1.0, torch.float64), _edge(1.0, torch.float32)
    below, crowd = -_edge(-1.0, torch.float64), _edge(1.0, torch.float64, keys=1000)
    works = above > 1 and below < -1
    return Finding(
        "holds" if broken == 0 else "holds if" if works and mended == 0 else "fails",
        "On paper it is; in a computer only if the numbers are not too large. float64 has no number for "
        f"e^{math.ceil(above)}, so one logit above {above:.2f} gives ∞/∞, which is NaN. If all logits are below "
        f"−{-below:.2f}, the formula gives 0/0. Many large logits break it sooner, because their sum must fit, too: a "
        f"thousand equal logits break it at {crowd:.2f}. In float32 the limit is {single:.2f}. With logits up to "
        f"±{LARGEST_LOGIT:g}, the formula broke on {broken} of 200 rows. The remedy costs one subtraction: subtract "
        "the largest logit from all of them first. That changes no weight, because e^(x−m)/Σe^(x−m) = e^x/Σe^x. Then "
        f"{mended} of the 200 rows broke.",
        (
            Quantity("largest logit that works, float64", above, 1e-9, "bound"),
            Quantity("largest logit that works, float32", single, 1e-4, "bound"),
            Quantity("the same for 1,000 equal logits, float64", crowd, 1e-9, "bound"),
            Quantity("below which all logits give 0/0, float64", below, 1e-9, "bound"),
            Quantity("rows of 200 that broke, as written", broken, how="observed"),
            Quantity("rows of 200 that broke, the largest logit subtracted first", mended),
        ),
        condition=f"Σ e^x fits: ln Σ e^x stays below {above:.2f}, and not all x are below −{-below:.2f} (float64)"
        if broken
        else "",
    )
