"""Values as text for people: (1, 0, 0), ½ v_a + ½ v_b."""

from collections.abc import Sequence
from typing import Any

import numpy as np

WELL_KNOWN = {0.5: "½", 0.25: "¼", 0.75: "¾"}
NEGLIGIBLE = 5e-4


def plain(value: float) -> str:
    """A number in three digits, with a true minus sign."""
    rounded = float(f"{value:.3g}") if abs(value) < 1e9 else value
    rounded = 0.0 if abs(rounded) < 1e-12 else rounded
    return f"{rounded:g}".replace("-", "−").replace("e−0", "e−")


def plain_matrix(value: np.ndarray) -> str:
    """A number, a vector in round brackets, or a matrix row by row."""
    if value.shape == (1, 1):
        return plain(value.item())
    if value.shape[1] == 1:
        return f"({', '.join(plain(each) for each in value[:, 0])})"
    return f"[{'; '.join(', '.join(plain(each) for each in row) for row in value)}]"


def as_json(value: np.ndarray) -> Any:
    """A number, a list, or a list of rows, rounded to six digits."""
    rounded = [[float(f"{each:.6g}") + 0.0 if np.isfinite(each) else str(each) for each in row] for row in value]
    if value.shape == (1, 1):
        return rounded[0][0]
    return [row[0] for row in rounded] if value.shape[1] == 1 else rounded


def combination(value: np.ndarray, family: np.ndarray, names: Sequence[str]) -> str | None:
    """A vector as a sum of orthogonal vectors, 0.58 v_a + 0.21 v_b; None if it is not such a sum."""
    if not np.isfinite(value).all():
        return None
    lengths = (family**2).sum(axis=0)
    parts = (family.T @ value[:, 0]) / lengths
    if np.abs(family @ parts - value[:, 0]).max() > 1e-6 * max(1.0, float(np.abs(value).max())):
        return None
    terms = [(part, name) for part, name in zip(parts, names, strict=True) if abs(part) >= NEGLIGIBLE]
    if not terms:
        return "0"
    first, *rest = [(bool(part < 0), _times(abs(float(part)), name)) for part, name in terms]
    return "−" * first[0] + first[1] + "".join(f" {'−' if minus else '+'} {term}" for minus, term in rest)


def _times(factor: float, name: str) -> str:
    rounded = round(factor, 3)
    return name if rounded == 1 else f"{WELL_KNOWN.get(rounded) or plain(rounded)} {name}"
