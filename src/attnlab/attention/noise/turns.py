"""Where the logits of normalised keys may turn sharply: there the first panels of the quadrature end.

Along a line in z, a noisy key moves through space on a straight line, k(z). Where it passes close to 0 its direction,
and so its logit, changes within a short stretch: with the least norm d at z = c, the speed s = ‖k′‖ and
u = (z − c) s / d,

    ‖k(z)‖ = d √(1 + u²),    logit = (n + g u) / √(1 + u²) = R cos(atan u − atan(g / n)),    R² = n² + g²

All happens within |u| ≲ 1, that is |z − c| ≲ d / s, and is as narrow as 1 / √R of that around the top, u = g / n, once
a softmax has made a spike of it. Panels end at both places, and grow from there geometrically. (Logits that are affine
in z need none of this: log α_i is concave, so what a weight does between two nodes shows at the nodes in some weight.)
"""

import math

import numpy as np

from attnlab.attention.noise.kronrod import Array
from attnlab.attention.noise.logits import Logits
from attnlab.attention.noise.quadrature import Breaks

RATIO = 8.0
"""The factor by which panels grow away from a turn."""
WIDE = 0.3
"""The usual panels resolve a turn at least this wide."""
_MOST_ANGLES = 256


def turns(logits: Logits, tolerance: float) -> Breaks | None:
    """The places where panels should end; None if the logits are affine, because then nothing can hide."""
    return None if logits.frames is None or not logits.directions else _Turns(logits, 1e-3 * tolerance)


class _Turns:
    """The turns of normalised logits along any line; turns narrower than `narrowest` do not matter."""

    def __init__(self, logits: Logits, narrowest: float):
        assert logits.frames is not None
        frames, narrow = logits.frames.cpu().numpy(), np.finfo(np.float64).eps
        moving = (np.abs(frames[:, :, 1:]) > narrow * np.abs(frames).max((1, 2), keepdims=True)).any((1, 2))
        self.frames: Array = frames[moving]
        # The numerators' coefficients, (columns, heads, terms).
        stacked = np.concatenate([logits.mean.cpu().numpy()[None], logits.factors.cpu().numpy()])
        self.numerators: Array = stacked.transpose(2, 1, 0)[moving]
        # A numerator is yᵀk(z); ‖y‖ is the largest its logit can be, R.
        seen = self.numerators @ np.linalg.pinv(self.frames)
        self.sizes: Array = np.linalg.norm(seen, axis=2).max(1)
        self.narrowest = narrowest

    def __call__(self, prefix: Array) -> Array:
        """The ends for lines along the axis after `prefix`: (lines, ends)."""
        axis, lines = prefix.shape[1], len(prefix)
        before = np.concatenate([np.ones((lines, 1)), prefix], axis=1)
        start = np.einsum("lt,cit->lci", before, self.frames[:, :, : axis + 1])
        along, inner = self.frames[:, :, axis + 1], self.frames[:, :, axis + 2 :]
        if inner.shape[2]:
            # Inner axes bring a key as close to 0 as they can; only the rest of it is left to this axis.
            rest = np.eye(inner.shape[1]) - inner @ np.linalg.pinv(inner)
            start, along = np.einsum("cij,lcj->lci", rest, start), np.einsum("cij,cj->ci", rest, along)
        size = np.linalg.norm(self.frames, axis=(1, 2))
        speed = np.linalg.norm(along, axis=1)
        speed = np.where(speed > 1e-14 * size, speed, np.nan)
        centre = -np.einsum("lci,ci->lc", start, along) / speed**2
        width = np.linalg.norm(start + centre[:, :, None] * along, axis=2) / speed
        ends = [self._ladder(centre, width)]
        if not inner.shape[2]:
            ends += self._tops(before, centre, width)
        if self.frames.shape[2] == 2 and len(self.frames) > 1:
            ends.append(self._angles(centre, width))
        return np.concatenate(ends, axis=1)

    def _tops(self, before: Array, centre: Array, width: Array) -> list[Array]:
        """The ends around the maximum (or minimum) of each head's logits, u = g / n."""
        found = []
        for head in range(self.numerators.shape[1]):
            growth = width * self.numerators[:, head, -1]
            level = before @ self.numerators[:, head, :-1].T + centre * self.numerators[:, head, -1]
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                u = growth / level
                found.append(self._ladder(centre + width * u, width * (1 + u**2) / np.sqrt(1 + self.sizes)))
        return found

    def _ladder(self, centre: Array, width: Array) -> Array:
        """Ends at the centres and, geometrically, at ± width, ± 8 width, … around them: (lines, ends)."""
        width = np.maximum(width, self.narrowest)
        sharp = width < WIDE
        if not sharp.any():
            return np.empty((len(centre), 0))
        steps = 1 + math.ceil(math.log(1 / width[sharp].min(), RATIO))
        away = width[..., None] * RATIO ** np.arange(steps)
        away = np.where(sharp[..., None] & (away < 1), away, np.nan)
        places = centre[..., None] + np.concatenate([-away, np.where(sharp, 0, np.nan)[..., None], away], axis=-1)
        return places.reshape(len(centre), -1)

    def _angles(self, centre: Array, width: Array) -> Array:
        """If several keys turn on one line: ends at equal angles atan u. They are close enough that no two logits,
        whose difference bends by at most R per angle squared, can meet and part again between two nodes."""
        count = min(_MOST_ANGLES, math.ceil(np.sqrt(self.sizes.max()) * math.pi / 8))
        angles = math.pi * (np.arange(1, count) / count - 0.5)
        return (centre[..., None] + np.maximum(width, self.narrowest)[..., None] * np.tan(angles)).reshape(
            len(centre), -1
        )
