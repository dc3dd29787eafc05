"""Claim 3: taking v_a back out of the sum v_a + v_b."""

import torch
from torch import Tensor

from attnlab.attention import Extraction, Impossible, extractor
from attnlab.claims.claim import Family, Finding, Quantity

FAMILY = Family(
    3,
    "extracting",
    "Extracting a value from a sum",
    bench="attention",
    question="v_a lies in span(A) and v_b in span(B). A and B have orthonormal columns, and the two spans are "
    "orthogonal. Which matrix M gives M(v_a + v_b) = v_a?",
)
DIM = 9


def _normal(generator: torch.Generator, *shape: int) -> Tensor:
    return torch.randn(*shape, generator=generator, dtype=torch.float64)


def _orthogonal_bases(generator: torch.Generator, m: int, p: int) -> tuple[Tensor, Tensor]:
    """Orthonormal A (m columns) and B (p columns), orthogonal to each other."""
    both, _ = torch.linalg.qr(_normal(generator, DIM, m + p))
    return both[:, :m], both[:, m:]


@FAMILY.claim("projector", "M = AAᵀ gives M(v_a + v_b) = v_a.", said_by="B, E")
def _projector(seed: int) -> Finding:
    generator = torch.Generator().manual_seed(seed)
    worst, same = 0.0, 0.0
    for trial in range(100):
        A, B = _orthogonal_bases(generator, 1 + trial % 4, 1 + trial % 5)
        v_a, v_b = A @ _normal(generator, A.shape[1]), B @ _normal(generator, B.shape[1])
        worst = max(worst, float((A @ A.mT @ (v_a + v_b) - v_a).norm()))
        found = extractor(A, B)
        if isinstance(found, Extraction):
            same = max(same, float((found.projector - A @ A.mT).abs().max()))
    return Finding(
        "holds" if worst < 1e-12 else "fails",
        "Aᵀ gives the coordinates of v_a in the basis A. Every column of A is orthogonal to span(B), so v_b "
        "contributes nothing to them. A then rebuilds v_a from these coordinates. Over 100 random pairs of spans the "
        f"result was v_a to within {worst:.1g}. The lab's own extractor finds the same matrix (difference {same:.1g}).",
        (
            Quantity("largest ‖M(v_a + v_b) − v_a‖", worst, how="observed"),
            Quantity("largest difference from the lab's extractor", same, how="observed"),
        ),
    )


@FAMILY.claim("keeps-both", "M must have Mv_a = v_a and Mv_b = v_b.", said_by="E")
def _keeps_both(seed: int) -> Finding:
    generator = torch.Generator().manual_seed(seed)
    asked, left, gone = 0.0, float("inf"), 0.0
    for trial in range(100):
        A, B = _orthogonal_bases(generator, 1 + trial % 4, 1 + trial % 5)
        v_a, v_b = A @ _normal(generator, A.shape[1]), B @ _normal(generator, B.shape[1])
        both = A @ A.mT + B @ B.mT
        asked = max(asked, float((both @ v_a - v_a).norm()), float((both @ v_b - v_b).norm()))
        left = min(left, float((both @ (v_a + v_b) - v_a).norm() / v_b.norm()))
        gone = max(gone, float((A @ A.mT @ v_b).norm()))
    return Finding(
        "holds" if left < 1e-9 else "fails",
        "If M kept both, M(v_a + v_b) would be v_a + v_b: nothing would be taken out. M = AAᵀ + BBᵀ does what is "
        f"asked (to within {asked:.1g}), and over 100 random pairs of spans its result was at least {left:.3f} times "
        "the length of v_b away from v_a. What is needed is Mv_b = 0, and AAᵀ has that: ‖AAᵀv_b‖ is at most "
        f"{gone:.1g}. E then gives this matrix, which is right.",
        (
            Quantity("smallest ‖M(v_a + v_b) − v_a‖/‖v_b‖ if M keeps both", left, how="observed"),
            Quantity("largest ‖AAᵀv_b‖", gone, how="observed"),
        ),
    )


@FAMILY.claim("transpose", "M = Aᵀ gives M(v_a + v_b) = v_a.", said_by="A")
def _transpose(seed: int) -> Finding:
    generator = torch.Generator().manual_seed(seed)
    wrong, nearest, coordinates = 0, float("inf"), 0.0
    for trial in range(100):
        A, B = _orthogonal_bases(generator, 1 + trial % 4, 1 + trial % 5)
        v_a, v_b = A @ _normal(generator, A.shape[1]), B @ _normal(generator, B.shape[1])
        given = A.mT @ (v_a + v_b)
        filled = torch.cat([given, torch.zeros(DIM - len(given))])
        apart = float((filled - v_a).norm() / v_a.norm())
        wrong += given.shape != v_a.shape or apart > 1e-9
        nearest, coordinates = min(nearest, apart), max(coordinates, float((A @ given - v_a).norm()))
    square, _ = torch.linalg.qr(_normal(generator, DIM, DIM))  # any v_a is in the span, and v_b is 0
    v_a = _normal(generator, DIM)
    turned = float((square.mT @ v_a - v_a).norm() / v_a.norm())
    return Finding(
        "fails" if wrong else "holds",
        "This is half of the right answer. Aᵀ(v_a + v_b) are the coordinates of v_a in the basis A: m numbers, while "
        f"v_a has {DIM}. In {wrong} of 100 random cases they are not v_a; filled up with zeros they are still at "
        f"least {nearest:.2f} times v_a's length away from it. Even with m = d the result is v_a rotated, "
        f"{turned:.2f} times its length away here, unless A is the identity; and then no direction is left for v_b. "
        f"One more factor A in front, AAᵀ, corrects the answer: that gives v_a to within {coordinates:.1g}.",
        (
            Quantity("cases of 100 that do not give v_a", wrong),
            Quantity("smallest distance to v_a, in its lengths, zeros filled in", nearest, how="observed"),
            Quantity("distance to v_a with m = d, in its lengths", turned, how="observed"),
            Quantity("largest ‖A(Aᵀ(v_a + v_b)) − v_a‖", coordinates, how="observed"),
        ),
    )


@FAMILY.claim(
    "oblique",
    "If the spans are not orthogonal but share only the vector 0, a matrix still gives v_a: the projector onto "
    "span(A) along span(B).",
    said_by="the lab",
    question="v_a lies in span(A) and v_b in span(B), and the spans are not orthogonal. Is there an M with M(v_a + "
    "v_b) = v_a?",
)
def _oblique(seed: int) -> Finding:
    generator = torch.Generator().manual_seed(seed)
    worst, plain, found_all, condition = 0.0, float("inf"), True, 0.0
    for trial in range(100):
        A, _ = torch.linalg.qr(_normal(generator, DIM, 1 + trial % 4))
        B = _normal(generator, DIM, 1 + trial % 5)
        v_a, v_b = A @ _normal(generator, A.shape[1]), B @ _normal(generator, B.shape[1])
        found = extractor(A, B)
        if not isinstance(found, Extraction) or found.kind != "oblique":
            found_all = False
            continue
        worst = max(worst, float((found.projector @ (v_a + v_b) - v_a).norm()) / found.condition)
        plain = min(plain, float((A @ A.mT @ (v_a + v_b) - v_a).norm()))
        condition = max(condition, found.condition)
    return Finding(
        "holds" if found_all and worst < 1e-11 else "fails",
        "If two spans share only the vector 0, every sum can be split into v_a and v_b in one way only, so v_a can "
        "be recovered. The projection must go along span(B), not at a right angle. Over 100 random pairs of spans it "
        f"was exact up to rounding ({worst:.1g}), where AAᵀ was off by at least {plain:.1e}. The price: an error in "
        f"the sum can grow by a factor of 1/sin of the smallest angle between the spans, here up to {condition:.1f}.",
        (
            Quantity("largest ‖M(v_a + v_b) − v_a‖ / condition", worst, how="observed"),
            Quantity("smallest ‖AAᵀ(v_a + v_b) − v_a‖", plain, how="observed"),
            Quantity("largest growth of an error, 1/sin θ", condition, how="observed"),
        ),
    )


@FAMILY.claim(
    "shared",
    "If the spans share a direction, no matrix gives v_a.",
    said_by="the lab",
    question="v_a lies in span(A) and v_b in span(B), and the spans share a direction. Is there an M with M(v_a + "
    "v_b) = v_a?",
)
def _shared(seed: int) -> Finding:
    generator = torch.Generator().manual_seed(seed)
    proven, residual, best = 0, 0.0, float("inf")
    for trial in range(50):
        A = _normal(generator, DIM, 1 + trial % 4)
        B = torch.cat([_normal(generator, DIM, trial % 4), A @ _normal(generator, A.shape[1], 1)], dim=1)
        found = extractor(A, B)
        if not isinstance(found, Impossible):
            continue
        x = found.certificate
        proven += 1
        residual = max(residual, *(float((y - x.vector).norm()) for y in (A @ x.in_a, B @ x.in_b)))
        # The residual of the least-squares M for M A = A and M B = 0.
        wanted = torch.cat([A, torch.zeros_like(B)], dim=1)
        left = wanted - wanted @ torch.linalg.pinv(torch.cat([A, B], dim=1)) @ torch.cat([A, B], dim=1)
        best = min(best, float(left.norm()))
    return Finding(
        "holds" if proven == 50 and residual < 1e-8 and best > 1e-3 else "fails",
        "If x lies in both spans, then v_a + x and v_b − x have the same sum as v_a and v_b, so no function, linear "
        f"or not, can tell which pair was meant. In {proven} of 50 random cases the lab found such an x (it lies in "
        f"both spans to within {residual:.1g}). The best matrix in the sense of least squares was off by at least "
        f"{best:.2f}.",
        (
            Quantity("cases of 50 proven impossible", proven),
            Quantity("largest distance of x from a span", residual, how="observed"),
            Quantity("least that the best matrix is off by", best, how="observed"),
        ),
    )
