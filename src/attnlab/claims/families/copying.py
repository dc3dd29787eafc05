"""Claim 2: when a query can copy one value, and how well."""

import math

import numpy as np
import torch
from scipy.optimize import linprog, nnls
from torch import Tensor

from attnlab.attention import Containment, Design, Impossible, attend, copy_query
from attnlab.charts import Lines, Series
from attnlab.claims.claim import Family, Finding, Quantity

FAMILY = Family(
    2, "copying", "Copying one value", bench="attention", question="When is c (almost) a copy of one value v_j?"
)


def _normal(generator: torch.Generator, *shape: int) -> Tensor:
    return torch.randn(*shape, generator=generator, dtype=torch.float64)


def _errors_by_margin(margins: np.ndarray, keys: int) -> tuple[float, ...]:
    """1 − α_j in the worst case: every other logit is below that of j by exactly the margin."""
    others = [torch.cat([torch.zeros(1), torch.full((keys - 1,), -float(margin))]).double() for margin in margins]
    one, values = torch.ones(1, dtype=torch.float64), torch.eye(keys, dtype=torch.float64)
    return tuple(float(attend(one, logits[:, None], values).weights[1:].sum()) for logits in others)


def _chart() -> Lines:
    margins = np.linspace(0, 16, 33)
    bound = [min(1.0, 9 * math.exp(-margin)) for margin in margins]
    return Lines(
        "The weight that is not on j, by the margin",
        "margin Δ = k_jᵀq − largest other k_iᵀq",
        "1 − α_j",
        (
            Series("10 keys, the others all Δ behind", tuple(margins.tolist()), _errors_by_margin(margins, 10)),
            Series("the bound (n − 1)e^(−Δ), at most 1", tuple(margins.tolist()), tuple(bound)),
        ),
        "For ten keys the weight that is not on j starts at 0.9. From a margin of about 4 on it falls as a straight "
        "line on the logarithmic axis, by a factor e for each unit of margin, just below the bound.",
        log_y=True,
    )


@FAMILY.claim("margin", "k_jᵀq ≫ k_iᵀq for all i ≠ j  ⇒  α_j ≈ 1 and c ≈ v_j.", said_by="A, B, C, D, E")
def _margin(seed: int) -> Finding:
    generator = torch.Generator().manual_seed(seed)
    off, outside, far = 0.0, 0, 0.0
    for trial in range(300):
        count, dim = 2 + trial % 40, 1 + trial % 13
        keys, values, query = (_normal(generator, *size) for size in ((count, dim), (count, 5), (dim,)))
        logits = keys @ query
        top, second = logits.topk(2).values.tolist()
        query = query * (0.1 + 25 * trial / 300) / (top - second)  # margins from 0.1 to 25
        found, j = attend(query, keys, values), int(logits.argmax())
        gaps = (keys[j] - keys) @ query
        others = torch.cat([gaps[:j], gaps[j + 1 :]])
        weight, margin = float(found.weights[j]), float(others.min())
        missed = float(found.weights[:j].sum() + found.weights[j + 1 :].sum())
        off = max(off, abs(weight - 1 / (1 + float(torch.exp(-others).sum()))))
        outside += missed > (count - 1) * math.exp(-margin) * (1 + 1e-9)
        if margin > 20:
            far = max(far, float((found.output - values[j]).norm()))
    return Finding(
        "holds" if off < 1e-12 and outside == 0 and far < 1e-6 else "fails",
        "Only differences of logits matter. Dividing numerator and denominator by the largest power gives the weight "
        "α_j = 1/(1 + Σ e^(−Δ_i)), where Δ_i is how far the logit of key i is below that of key j. So the weight on "
        "the other keys is at most (n − 1)e^(−Δ), where the margin Δ is the smallest Δ_i. On 300 random sets of keys "
        f"the formula was right to {off:.1g} and the bound was broken {outside} times; with a margin above 20 the "
        f"output was within {far:.1g} of v_j. “Much larger” need not be very large: a margin of ln((n − 1)/ε) leaves "
        "a weight of at most ε on the other keys.",
        (
            Quantity("largest |α_j − formula|", off, how="observed"),
            Quantity("instances of 300 that break the bound", outside),
            Quantity("largest ‖c − v_j‖ with a margin above 20", far, how="observed"),
        ),
        chart=_chart(),
    )


def _without_margin(generator: torch.Generator) -> tuple[float, float]:
    """‖c − v_j‖ and α_j for a value that is the mean of the others, and logits that are all equal."""
    others = _normal(generator, 6, 5)
    values = torch.cat([others.mean(0, keepdim=True), others])
    found = attend(torch.zeros(3, dtype=torch.float64), _normal(generator, 7, 3), values)
    return float((found.output - values[0]).norm()), float(found.weights[0])


@FAMILY.claim("needed", "c ≈ v_j must have k_jᵀq ≫ k_iᵀq for all i ≠ j.", said_by="C, D")
def _needed(seed: int) -> Finding:
    generator = torch.Generator().manual_seed(seed)
    broken, closest, apart = 0, float("inf"), 0.0
    for trial in range(300):
        count, dim = 2 + trial % 40, 1 + trial % 13
        keys, query = _normal(generator, count, dim), (1 + trial / 30) * _normal(generator, dim)
        found, j = attend(query, keys, torch.eye(count, dtype=torch.float64)), int((keys @ query).argmax())
        others = torch.arange(count) != j
        weight, missed = float(found.weights[j]), float(found.weights[others].sum())
        margin = float(((keys[j] - keys) @ query)[others].min())
        broken += margin < math.log(weight / missed) - 1e-9
        if missed > 1e-6:  # below, rounding would decide
            closest = min(closest, float((found.output - torch.eye(count)[j]).norm()) / missed)
        apart = max(apart, weight if margin < math.log(9) else 0.0)
    off, share = _without_margin(generator)
    needed, mixture = broken == 0 and closest >= 1 and apart <= 0.9, off < 1e-12
    return Finding(
        "holds if" if needed and mixture else "holds" if needed else "fails",
        "For the weight it is necessary: e^(−Δ_i) = α_i/α_j is at most (1 − α_j)/α_j, so α_j ≥ 1 − ε needs a margin "
        f"of ln((1 − ε)/ε) above every other key. On 300 random sets of keys, {broken} broke that bound, and no key "
        f"with a margin below ln 9 = 2.20 had a weight above {apart:.2f}. The output needs the weight as long as v_j "
        "is not a mixture of the other values: for orthonormal values ‖c − v_j‖ is at least 1 − α_j (measured: at "
        f"least {closest:.2f} times that). A value that is the mean of the others is copied with no margin at all: "
        f"with equal logits, α_j = {share:.3f} and ‖c − v_j‖ = {off:.1g}. “≫” is about the difference, not the ratio: "
        "logits of 1000 and 980 copy.",
        (
            Quantity("sets of keys of 300 that break the bound", broken),
            Quantity("largest weight with a margin below ln 9", apart, how="observed"),
            Quantity("least ‖c − v_j‖/(1 − α_j), orthonormal values", closest, how="observed"),
            Quantity("‖c − v_j‖ with equal logits, v_j the mean of the others", off, how="observed"),
        ),
        condition="v_j is no mixture of the other values" if needed and mixture else "",
    )


@FAMILY.claim("mask", "k_iᵀq = −∞ for all i ≠ j  ⇒  c = v_j, exactly.", said_by="B")
def _mask(seed: int) -> Finding:
    generator = torch.Generator().manual_seed(seed)
    apart = 0.0
    for trial in range(100):
        count = 2 + trial % 30
        keys, values, query = (_normal(generator, *size) for size in ((count, 6), (count, 5), (6,)))
        j = trial % count
        mask = torch.zeros(1, count, dtype=torch.bool)
        mask[0, j] = True
        apart = max(apart, float((attend(query, keys, values, mask=mask).output - values[j]).abs().max()))
    return Finding(
        "holds" if apart == 0 else "fails",
        "No finite key and query have a product of −∞, but a mask sets logits to −∞: that is how a model is kept "
        "from reading the future. e^(−∞) is exactly 0, so the copy is exact: over 100 random cases the largest "
        f"difference was {apart:g}.",
        (Quantity("largest |c − v_j|", apart, how="observed"),),
    )


def _is_inside(keys: np.ndarray, j: int) -> bool:
    """Whether key j is a convex combination of the others, by a linear program that does not use `copy_query`."""
    others = np.delete(keys, j, axis=0)
    found = linprog(
        np.zeros(len(others)), A_eq=np.vstack([others.T, np.ones(len(others))]), b_eq=np.append(keys[j], 1.0)
    )
    return found.status == 0


@FAMILY.claim(
    "hull",
    "Some query copies v_j if and only if k_j lies outside the convex hull of the other keys.",
    said_by="the lab",
)
def _hull(seed: int) -> Finding:
    random = np.random.default_rng(seed)
    inside = outside = disagree = 0
    residual, over, worst = 0.0, 0, 0.0
    for trial in range(80):
        keys = random.normal(size=(4 + trial % 7, 2 + trial % 2))
        found, tensor = copy_query(torch.from_numpy(keys), 0), torch.from_numpy(keys)
        within = _is_inside(keys, 0)
        inside, outside = inside + within, outside + (not within)
        disagree += within != isinstance(found, Impossible)
        if isinstance(found, Design):
            worst = max(worst, found.error)
        elif isinstance(found.certificate, Containment):
            residual = max(residual, float((found.certificate.coefficients @ tensor - tensor[0]).abs().max()))
            queries = torch.from_numpy(random.normal(size=(200, keys.shape[1])) * 5)
            over += int((torch.softmax(queries @ tensor.mT, -1)[:, 0] > 1 - found.certificate.leak + 1e-9).sum())
    good = disagree == 0 and min(inside, outside) > 5 and residual < 1e-8 and over == 0 and worst <= 1e-3
    return Finding(
        "holds" if good else "fails",
        "Suppose k_j is a mixture of other keys. Then for every query its logit is the same mixture of their logits, "
        "so it can never be the largest alone. Otherwise a plane separates k_j from the other keys, and a long query "
        f"at a right angle to that plane copies v_j. Of 80 random sets of keys, {outside} had their key outside the "
        f"hull, and a query was found that copies its value (error at most {worst:.1e}); {inside} had their key "
        "inside, and the mixture was found that proves it. A linear programme that knows nothing of attention "
        f"disagreed in {disagree} cases. The proof also gives a ceiling for the weight of a key inside the hull; of "
        f"200 random queries for each such key, {over} exceeded it.",
        (
            Quantity("keys outside the hull, copied", outside, how="observed"),
            Quantity("keys inside the hull, with proof", inside, how="observed"),
            Quantity("disagreements with the linear programme", disagree),
            Quantity("largest error of the copies", worst, how="observed"),
            Quantity("largest |mixture − key| of the proofs", residual, how="observed"),
            Quantity("random queries above the ceiling of the proof", over),
        ),
    )


@FAMILY.claim(
    "best-margin",
    "The largest margin that a query with ‖q‖ = 1 can give key j is the distance of k_j from the convex hull of the "
    "others.",
    said_by="the lab",
)
def _best_margin(seed: int) -> Finding:
    random = np.random.default_rng(seed)
    apart, beaten, tried = 0.0, 0, 0
    for trial in range(60):
        keys = random.normal(size=(3 + trial % 8, 4))
        differences = np.delete(keys[0] - keys, 0, axis=0)
        # The nearest point of a hull, by Lawson and Hanson: least squares with weights ≥ 0, then scaled to sum 1.
        share, _ = nnls(np.vstack([differences.T, np.ones(len(differences))]), np.append(np.zeros(4), 1.0))
        distance = float(np.linalg.norm(differences.T @ share / share.sum()))
        found = copy_query(torch.from_numpy(keys), 0, norm=1.0)
        if not isinstance(found, Design):
            continue
        tried += 1
        margin = float((differences @ found.query.numpy()).min())
        units = random.normal(size=(500, 4))
        rivals = (differences @ (units / np.linalg.norm(units, axis=1, keepdims=True)).T).min(0)
        apart, beaten = max(apart, abs(margin - distance)), beaten + int((rivals > margin + 1e-9).sum())
    return Finding(
        "holds" if apart < 1e-8 and beaten == 0 and tried > 20 else "fails",
        f"The best query points from the nearest mixture of the other keys straight to k_j. For {tried} random keys "
        "outside their hulls, the margin of the query found and the distance, computed by another method, differ by "
        f"at most {apart:.1g}. Of 500 random queries for each key, {beaten} had a larger margin. So a short query can "
        "copy the value of a key that is far from all mixtures of the others.",
        (
            Quantity("keys outside their hulls", tried, how="observed"),
            Quantity("largest |margin − distance|", apart, how="observed"),
            Quantity("random queries with a larger margin", beaten),
        ),
    )
